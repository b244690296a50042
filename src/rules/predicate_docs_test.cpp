#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "rules/predicate_facts_test.hpp"
#include "rules/wake_facts.hpp"

namespace belfry::rules {
namespace {

// The blocks of a page by what stands behind their first backticks.
std::map<std::string, std::vector<std::string>> read_page(const std::string& name = "predicates.md") {
    std::map<std::string, std::vector<std::string>> blocks;
    std::ifstream page(BELFRY_SOURCE_DIR "/docs/" + name);
    std::string block;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("```")) {
            block = line.substr(3);
        } else if (!block.empty()) {
            blocks[block].push_back(line);
        }
    }
    return blocks;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

TEST(PredicatesPage, its_examples_answer_as_it_says) {
    auto blocks = read_page();
    ASSERT_GE(blocks["holds"].size(), 15U);
    ASSERT_GE(blocks["fails"].size(), 5U);
    const std::string json = joined(blocks["facts"]);
    const TestFacts facts(json);
    for (const char* block : {"holds", "fails"}) {
        for (const std::string& line : blocks[block]) {
            const auto read = Predicate::parse(line, test_roots);
            ASSERT_TRUE(read.ok()) << line << ": " << read.error().message;
            EXPECT_EQ(read->holds(facts), std::string_view(block) == "holds") << line;
        }
    }
}

TEST(PredicatesPage, its_refusals_read_as_it_says) {
    const std::vector<std::string> lines = read_page()["refused"];
    ASSERT_GE(lines.size(), 10U);
    ASSERT_EQ(lines.size() % 2, 0U);
    for (std::size_t i = 0; i < lines.size(); i += 2) {
        const auto read = Predicate::parse(lines[i], test_roots);
        ASSERT_FALSE(read.ok()) << lines[i];
        EXPECT_EQ(read.error().message, lines[i + 1]) << lines[i];
    }
}

TEST(AgentsPage, its_predicates_are_taken) {
    const auto blocks = read_page("agents.md");
    model::WakeSubscription of_events;
    of_events.types = {"ci.*"};
    model::WakeSubscription of_changes;
    of_changes.tokens = {"key:agentChanged"};
    for (const auto& [block, subscription] : {std::pair("events", of_events), std::pair("changes", of_changes)}) {
        ASSERT_TRUE(blocks.contains(block)) << block;
        for (const std::string& line : blocks.at(block)) {
            const auto read = Predicate::parse(line, roots_of(subscription));
            EXPECT_TRUE(read.ok()) << line << ": " << (read.ok() ? "" : read.error().message);
        }
    }
}

}  // namespace
}  // namespace belfry::rules
