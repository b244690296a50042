#include "rules/known_types.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;

std::vector<std::string> lines_of_page() {
    std::ifstream page(BELFRY_SOURCE_DIR "/docs/events.md");
    std::vector<std::string> lines;
    for (std::string line; std::getline(page, line);) lines.push_back(line);
    return lines;
}

std::string fields_of(const KnownType& known, bool required) {
    constexpr const char* kinds[] = {"text", "number", "any"};
    std::string text;
    for (const PayloadField& field : known.fields) {
        if (field.required != required) continue;
        text += (text.empty() ? " `" : ", `") + std::string(field.name) + "` " + kinds[static_cast<int>(field.kind)];
    }
    return text + " |";
}

TEST(EventsPage, has_every_known_type_with_its_severity_and_its_payload) {
    std::vector<std::string> wanted;
    for (const KnownType& known : known_types()) {
        wanted.push_back("| `" + std::string(known.type) + "` | " + std::string(model::severity_name(known.severity)) +
                         " |" + fields_of(known, true) + fields_of(known, false));
    }
    std::vector<std::string> found;
    bool is_inside = false;
    for (const std::string& line : lines_of_page()) {
        if (line.starts_with("#")) is_inside = line == "## Types that Belfry knows";
        if (is_inside && line.starts_with("| `")) found.push_back(line);
    }
    EXPECT_EQ(found, wanted);
}

TEST(EventsPage, tells_the_limits_of_the_fields) {
    const std::vector<std::string> page = lines_of_page();
    const auto limit_of = [&page](const std::string& field) -> std::string {
        for (const std::string& line : page) {
            if (line.starts_with("| `" + field + "` |")) return line.substr(line.rfind('|', line.size() - 2) + 2);
        }
        return "no such row";
    };
    const auto bytes = [](std::size_t count) { return std::to_string(count) + " bytes |"; };
    EXPECT_EQ(limit_of("type"), std::to_string(limits::event_type_chars_max) + " characters |");
    EXPECT_EQ(limit_of("source"), bytes(limits::event_source_bytes_max));
    EXPECT_EQ(limit_of("id"), bytes(limits::event_source_id_bytes_max));
    EXPECT_EQ(limit_of("dedupe_key"), bytes(limits::event_dedupe_key_bytes_max));
    for (const char* field : {"user_id", "session_id", "agent_id"}) {
        EXPECT_EQ(limit_of(field), bytes(limits::scope_id_bytes_max)) << field;
    }
    EXPECT_EQ(limit_of("tokens"),
              std::to_string(limits::event_tokens_max) + " entries of " + bytes(limits::event_token_bytes_max));
}

}  // namespace
}  // namespace belfry::rules
