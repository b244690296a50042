#include "rules/recall.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

using Words = std::vector<std::string>;

model::AgentMessage said(std::int64_t position, const std::string& text) {
    model::AgentMessage message;
    message.position = position;
    message.id.bytes[15] = static_cast<std::uint8_t>(position);
    std::string content;
    model::JsonWriter writer(content);
    writer.begin_object().field("text", text).end_object();
    message.content = model::RawJson::trusted(std::move(content));
    return message;
}

TEST(Recall, the_shortest_word_is_given_up_first_and_of_equals_the_last) {
    const RecallTries tries = recall_tries({"where", "is", "the", "key", "of"});
    EXPECT_EQ(tries.joint, (std::vector<Words>{{"where", "is", "the", "key", "of"},
                                               {"where", "is", "the", "key"},
                                               {"where", "the", "key"},
                                               {"where", "the"},
                                               {"where"}}));
    EXPECT_EQ(tries.single, (Words{"is", "the", "key"}));
    const RecallTries many = recall_tries({"is", "it", "marta", "who", "keeps", "the", "violin"});
    EXPECT_EQ(many.joint[2], (Words{"marta", "who", "keeps", "violin"})) << "not one by one";
    EXPECT_EQ(many.joint[3], (Words{"marta", "keeps", "violin"}));
    EXPECT_TRUE(recall_tries({}).joint.empty());
    const RecallTries one = recall_tries({"key"});
    EXPECT_EQ(one.joint, std::vector<Words>{{"key"}});
    EXPECT_TRUE(one.single.empty()) << "it was tried";
}

TEST(Recall, there_is_an_end_to_trying) {
    EXPECT_EQ(recall_words("a b c d e f g h i j k l m n o p q r s t").size(), base::limits::recall_words_max);
    const RecallTries tries = recall_tries(recall_words("a b c d e f g h i j k l m n o p"));
    EXPECT_EQ(tries.joint.size() + tries.single.size(), base::limits::recall_tries_max);
}

TEST(Recall, what_has_more_of_the_words_comes_first_then_what_is_newer) {
    const std::vector<model::AgentMessage> memory{said(1, "the boiler needs water"), said(2, "boiler"),
                                                  said(3, "a boiler"), said(4, "tea")};
    std::vector<Words> tries;
    const auto look = [&](const Words& words) -> base::Result<std::vector<model::AgentMessage>> {
        tries.push_back(words);
        std::vector<model::AgentMessage> found;
        if (words.size() == 2) found = {memory[0]};
        else found = {memory[2], memory[1], memory[0]};
        return found;
    };
    const auto found = recall("Water boiler?", 3, look);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->size(), 3U);
    EXPECT_EQ((*found)[0].message.position, 1);
    EXPECT_EQ((*found)[0].words, 2);
    EXPECT_EQ((*found)[1].message.position, 3);
    EXPECT_EQ((*found)[2].message.position, 2);
    EXPECT_EQ((*found)[2].words, 1);
    EXPECT_EQ(tries, (std::vector<Words>{{"water", "boiler"}, {"boiler"}}));
}

TEST(Recall, a_question_has_words_that_its_answer_has_not) {
    const std::vector<model::AgentMessage> memory{said(1, "the code of the gate is 4711"), said(2, "what is for tea"),
                                                  said(3, "what is it")};
    const auto look = [&](const Words& words) -> base::Result<std::vector<model::AgentMessage>> {
        std::vector<model::AgentMessage> found;
        for (auto at = memory.rbegin(); at != memory.rend(); ++at) {
            const std::string text = at->content.bytes();
            const bool has_all =
                std::ranges::all_of(words, [&](const auto& word) { return text.find(word) != text.npos; });
            if (has_all && found.size() < 2) found.push_back(*at);
        }
        return found;
    };
    const auto found = recall("what is the code of the gate", 2, look);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ((*found)[0].message.position, 1);
    EXPECT_EQ((*found)[0].words, 5);
}

TEST(Recall, snippets_show_where_it_stands) {
    const auto look = [](const Words&) -> base::Result<std::vector<model::AgentMessage>> {
        return std::vector<model::AgentMessage>{said(1, "the boiler needs water")};
    };
    const auto found = recall("boiler", 1, look);
    ASSERT_TRUE(found.ok());
    EXPECT_NE((*found)[0].snippet.find("boiler"), std::string::npos);
}

TEST(Recall, nothing_more_is_asked_for_once_there_is_enough) {
    int asked = 0;
    const auto look = [&](const Words&) -> base::Result<std::vector<model::AgentMessage>> {
        ++asked;
        return std::vector<model::AgentMessage>{said(2, "long words"), said(1, "long words")};
    };
    const auto found = recall("long words", 1, look);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->size(), 1U);
    EXPECT_EQ(found->front().message.position, 2);
    EXPECT_EQ(asked, 1);
}

TEST(Recall, a_question_without_a_word_is_refused_and_the_stores_error_is_told) {
    const auto fails = [](const Words&) -> base::Result<std::vector<model::AgentMessage>> {
        return base::error(base::Code::io, "the disk");
    };
    EXPECT_EQ(recall("?! …", 5, fails).error().code, base::Code::invalid);
    EXPECT_EQ(recall("key", 5, fails).error().code, base::Code::io);
}

}  // namespace
}  // namespace belfry::rules
