#include "rules/client_message.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

constexpr base::Timestamp now{base::days(20000).us};

model::RawJson json(std::string text) {
    return model::RawJson::trusted(std::move(text));
}

model::ClientMessage good() {
    return {"goose-session_1", "user_input", now, json(R"({"text":"Yes"})"), std::nullopt};
}

std::string fault(const model::ClientMessage& message) {
    const auto checked = check_client_message(message, now);
    return checked.ok() ? "" : checked.error().field;
}

std::string nested(std::size_t levels) {
    std::string out;
    for (std::size_t i = 1; i < levels; ++i) out += R"({"a":)";
    return out + "[]" + std::string(levels - 1, '}');
}

std::string wide(std::size_t members) {
    std::string out = "{";
    for (std::size_t i = 0; i < members; ++i) out += (i > 0 ? ",\"m" : "\"m") + std::to_string(i) + "\":1";
    return out + "}";
}

TEST(ClientMessage, a_good_one_passes) {
    EXPECT_EQ(fault(good()), "");
}

TEST(ClientMessage, every_id_that_a_session_can_have_is_accepted) {
    for (const std::string& id : {std::string("a b"), std::string("../x"), std::string("slack:C042.1731"),
                                  std::string(200, 'a'), std::string("ä")}) {
        model::ClientMessage message = good();
        message.session_id = id;
        EXPECT_EQ(fault(message), "") << id;
    }
    for (const std::string& id : {std::string(), std::string(201, 'a'), std::string("a\n")}) {
        model::ClientMessage message = good();
        message.session_id = id;
        EXPECT_EQ(fault(message), "session_id") << id;
    }
}

TEST(ClientMessage, the_alias_keeps_the_pattern_of_its_protocol) {
    for (const std::string& id : {std::string(), std::string("a b"), std::string("../x"), std::string(101, 'a'),
                                  std::string("ä"), std::string("a\n")}) {
        model::ClientMessage message = good();
        message.method = model::ClientMethod::kaiak_alias;
        message.session_id = id;
        EXPECT_EQ(fault(message), "session_id") << id;
    }
    model::ClientMessage message = good();
    message.method = model::ClientMethod::kaiak_alias;
    message.session_id = std::string(100, 'Z');
    EXPECT_EQ(fault(message), "");
}

TEST(ClientMessage, types_are_small_letters_and_underscores) {
    for (const std::string& type :
         {std::string(), std::string("User"), std::string("a.b"), std::string("a1"), std::string(101, 'a')}) {
        model::ClientMessage message = good();
        message.message_type = type;
        EXPECT_EQ(fault(message), "message_type") << type;
    }
    model::ClientMessage message = good();
    message.message_type = "anything_else";
    EXPECT_EQ(fault(message), "");
}

TEST(ClientMessage, a_time_of_more_than_a_day_ago_or_ahead_is_refused) {
    model::ClientMessage message = good();
    for (const std::int64_t sign : {-1, 1}) {
        message.timestamp = now + base::hours(24) * sign;
        EXPECT_EQ(fault(message), "");
        message.timestamp.us += sign;
        EXPECT_EQ(fault(message), "timestamp");
    }
}

TEST(ClientMessage, a_persons_word_needs_a_payload_and_a_signal_does_not) {
    model::ClientMessage message = good();
    message.payload.reset();
    EXPECT_EQ(fault(message), "payload");
    message.message_type = "control_signal";
    EXPECT_EQ(fault(message), "");
}

TEST(ClientMessage, a_persons_word_is_not_blank) {
    for (const auto& [blank, field] : {std::pair{R"({"text":""})", "payload.text"},
                                       {R"({"text":" \n"})", "payload.text"},
                                       {R"("")", "payload"},
                                       {R"("\t")", "payload"}}) {
        model::ClientMessage message = good();
        message.payload = json(blank);
        EXPECT_EQ(fault(message), field) << blank;
        message.message_type = "status_update";
        EXPECT_EQ(fault(message), "") << blank;
    }
}

TEST(ClientMessage, payloads_have_at_most_fifty_members_and_ten_levels) {
    model::ClientMessage message = good();
    message.payload = json(nested(10));
    EXPECT_EQ(fault(message), "");
    message.payload = json(nested(11));
    EXPECT_EQ(fault(message), "payload");
    message.payload = json(wide(50));
    EXPECT_EQ(fault(message), "");
    message.payload = json(wide(51));
    EXPECT_EQ(fault(message), "payload");
    message.payload = json(R"({"inner":[)" + wide(51) + "]}");
    EXPECT_EQ(fault(message), "payload");
}

TEST(ClientMessage, the_words_are_the_text_or_the_payload_itself) {
    EXPECT_EQ(words_of(json(R"({"text":"Yes,\nproceed","context":"approval"})")), "Yes,\nproceed");
    EXPECT_EQ(words_of(json(R"({"text":7})")), R"({"text":7})");
    EXPECT_EQ(words_of(json("\"plain\"")), "plain");
    EXPECT_EQ(words_of(json("[1]")), "[1]");
}

TEST(ClientMessage, what_stands_beside_the_words_is_kept) {
    EXPECT_EQ(besides_words(json(R"({"text":"Yes","context":"approval","n":1})")), R"("context":"approval","n":1)");
    EXPECT_EQ(besides_words(json(R"({"text":"Yes"})")), "");
    EXPECT_EQ(besides_words(json(R"({"n":1})")), "");
}

}  // namespace
}  // namespace belfry::rules
