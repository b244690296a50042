#include "rules/digest.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

using model::Notification;
using model::Severity;

Notification shown(std::string subscriber, Severity severity, std::string text) {
    Notification row;
    row.subscriber_id = std::move(subscriber);
    row.severity = severity;
    row.content = row.text = std::move(text);
    row.created_at = *base::parse_timestamp("2026-03-01T15:30:01.500Z");
    row.fact = {1, 1, model::FactStatus::seen, row.created_at};
    return row;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (lead >= 0x80 && lead < 0xC2) return false;
        for (std::size_t k = 1; k < bytes; ++k) {
            if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
        }
        i += bytes;
    }
    return true;
}

TEST(AmbientDigest, seven_items_are_one_sentence_with_the_count_and_the_gist) {
    std::vector<Notification> inbox;
    for (int i = 0; i < 4; ++i) inbox.push_back(shown("tool_failure", Severity::warning, "a tool failed"));
    for (int i = 0; i < 2; ++i) inbox.push_back(shown("", Severity::info, "lunch is ready"));
    inbox.insert(inbox.begin() + 1, shown("download", Severity::error, "the download of \"a.zip\" failed"));
    EXPECT_EQ(
        ambient_digest(inbox, base::limits::digest_bytes_max),
        "Not written by a person: the person was shown 7 notifications (4 tool_failure, 2 notice, 1 download), the "
        "most severe one (error) says \"the download of 'a.zip' failed\"; do not announce any of them.");
}

TEST(AmbientDigest, of_nothing_is_nothing_and_of_one_is_in_the_singular) {
    EXPECT_EQ(ambient_digest({}, 400), "");
    const Notification one = shown("ci", Severity::info, "green");
    EXPECT_EQ(ambient_digest({&one, 1}, 400),
              "Not written by a person: the person was shown 1 notification (1 ci), the most severe one (info) says "
              "\"green\"; do not announce it.");
}

TEST(AmbientDigest, names_of_equals_the_newest_and_what_was_narrated_in_the_words_the_person_heard) {
    std::vector<Notification> inbox = {shown("a", Severity::error, "first"), shown("a", Severity::error, "second"),
                                       shown("a", Severity::info, "third")};
    EXPECT_NE(ambient_digest(inbox, 400).find("\"second\""), std::string::npos);
    inbox[1].narration = "I saw to it";
    EXPECT_NE(ambient_digest(inbox, 400).find("\"I saw to it\""), std::string::npos);
}

TEST(AmbientDigest,
     under_a_tight_limit_the_words_give_way_first_then_the_rare_kinds_and_never_the_order_not_to_announce) {
    std::vector<Notification> inbox;
    for (int i = 0; i < 40; ++i) {
        inbox.push_back(shown("kind_" + std::to_string(i % 13), Severity::error, std::string(300, 'x') + "ü€𝄞\nü€𝄞"));
    }
    inbox.push_back(shown("kind_0", Severity::critical, "fire — 🔥 — fire — 🔥 — fire — 🔥 — fire — 🔥"));
    for (std::size_t bytes = 0; bytes <= 500; ++bytes) {
        const std::string text = ambient_digest(inbox, bytes);
        ASSERT_LE(text.size(), bytes);
        ASSERT_TRUE(is_utf8(text)) << text;
        ASSERT_EQ(text.find('\n'), std::string::npos);
        if (bytes < 100) continue;
        ASSERT_TRUE(text.starts_with("Not written by a person: the person was shown 41 notifications")) << text;
        ASSERT_TRUE(text.ends_with("; do not announce any of them.")) << text;
    }
    EXPECT_NE(ambient_digest(inbox, 200).find("says \"fire"), std::string::npos);
    EXPECT_NE(ambient_digest(inbox, 200).find(" other)"), std::string::npos);
}

TEST(FactLine, is_one_line_with_time_severity_kind_and_words) {
    EXPECT_EQ(fact_line(shown("tool_failure", Severity::error, "vault_search: timeout"), 300),
              "[SEEN] 2026-03-01 15:30:01 error tool_failure: vault_search: timeout");
    EXPECT_EQ(fact_line(shown("", Severity::info, ""), 300), "[SEEN] 2026-03-01 15:30:01 info notice: ");
}

TEST(FactLine, says_how_far_the_user_knows_it) {
    Notification row = shown("", Severity::info, "hello");
    row.fact.status = model::FactStatus::none;
    EXPECT_EQ(fact_line(row, 300), "[SHOWN] 2026-03-01 15:30:01 info notice: hello") << "nobody has acknowledged it";
    row.fact.status = model::FactStatus::shown;
    EXPECT_EQ(fact_line(row, 300), "[SHOWN] 2026-03-01 15:30:01 info notice: hello");
    row.fact.status = model::FactStatus::escalated;
    EXPECT_EQ(fact_line(row, 300), "[SHOWN, escalated] 2026-03-01 15:30:01 info notice: hello");
    row.version = 2;
    EXPECT_EQ(fact_line(row, 300),
              "[SHOWN, escalated] 2026-03-01 15:30:01 info notice (the user was shown an earlier text): hello");
}

TEST(FactLine, nothing_in_a_text_starts_another_line) {
    const std::string breaks =
        "a\nb\r\nc\vd\fe\xC2\x85"
        "f\xE2\x80\xA8g\xE2\x80\xA9h\ti\x1b[0m\n\n";
    EXPECT_EQ(fact_line(shown("x\ny", Severity::info, breaks), 300),
              "[SEEN] 2026-03-01 15:30:01 info x y: a b c d e f g h i [0m");
}

TEST(FactLine, is_cut_between_characters_and_never_beyond_its_limit) {
    const Notification row = shown("x", Severity::info, "äöü€𝄞äöü€𝄞äöü€𝄞äöü€𝄞");
    const std::string whole = fact_line(row, 300);
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        const std::string line = fact_line(row, bytes);
        ASSERT_LE(line.size(), bytes);
        ASSERT_GE(line.size() + 4, bytes);  // no more is cut than must be
        ASSERT_TRUE(is_utf8(line));
        if (bytes >= 3) {
            ASSERT_TRUE(line.ends_with("…"));
        }
    }
    EXPECT_EQ(fact_line(row, whole.size()), whole);
}

}  // namespace
}  // namespace belfry::rules
