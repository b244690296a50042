#include "model/change.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/wake_limits.hpp"

namespace belfry::model {
namespace {

namespace limits = base::limits;
using Class = ChangeToken::Class;

std::string refusal(std::string_view text) {
    const auto read = ChangeToken::parse(text);
    EXPECT_FALSE(read.ok()) << text;
    return read.ok() ? "" : read.error().message;
}

TEST(ChangeToken, has_one_text_for_each_class) {
    for (const auto& [text, token] : std::vector<std::pair<std::string, ChangeToken>>{
             {"key:agentChanged", {Class::semantic_key, "", std::string(agent_changed_key)}},
             {"key:DAY_PLAN", {Class::semantic_key, "", "DAY_PLAN"}},
             {"sub:workout/running", {Class::subtype, "workout", "running"}},
             {"sub:workout/a/b: ü|", {Class::subtype, "workout", "a/b: ü|"}},
             {"id:0198a1b2/key:x", {Class::entity_id, "", "0198a1b2/key:x"}},
         }) {
        const auto read = ChangeToken::parse(text);
        ASSERT_TRUE(read.ok()) << text;
        EXPECT_EQ(*read, token) << text;
        EXPECT_EQ(to_text(*read), text);
    }
}

TEST(ChangeToken, a_subtype_needs_a_namespace_and_the_others_refuse_one) {
    EXPECT_TRUE(ChangeToken::make(Class::subtype, "workout", "running").ok());
    EXPECT_FALSE(ChangeToken::make(Class::subtype, "", "running").ok());
    EXPECT_FALSE(ChangeToken::make(Class::semantic_key, "workout", "TASK").ok());
    EXPECT_FALSE(ChangeToken::make(Class::entity_id, "workout", "1").ok());
    EXPECT_NE(refusal("sub:running").find("namespace"), std::string::npos);
    EXPECT_NE(refusal("sub:/running").find("namespace"), std::string::npos);
}

TEST(ChangeToken, refuses_what_is_none) {
    for (const char* text : {"", "agentChanged", "key:", "key:a b", "key:1a", "key:a/b", "key:ä", "id:", "id:a\nb",
                             "id:\xe2\x80\x8b", "sub:", "sub:a/", "sub:a b/c", "sub:1/c", "Key:a", "id", "key :a"}) {
        EXPECT_FALSE(ChangeToken::parse(text).ok()) << text;
    }
}

TEST(ChangeToken, is_as_long_as_the_bounds_and_no_longer) {
    const std::string id(limits::change_token_bytes_max - 3, 'x');
    EXPECT_TRUE(ChangeToken::parse("id:" + id).ok());
    const auto longer = ChangeToken::parse("id:x" + id);
    ASSERT_FALSE(longer.ok());
    EXPECT_EQ(longer.error().code, base::Code::too_large);
    const std::string name(limits::change_name_chars_max, 'x');
    EXPECT_TRUE(ChangeToken::parse("key:" + name).ok());
    EXPECT_FALSE(ChangeToken::parse("key:x" + name).ok());
    EXPECT_TRUE(ChangeToken::parse("sub:" + name + "/1").ok());
    EXPECT_FALSE(ChangeToken::parse("sub:x" + name + "/1").ok());
}

TEST(ChangeToken, whatever_can_be_made_reads_back_from_its_text) {
    EXPECT_TRUE(rc::check([] {
        const auto part = rc::gen::element<std::string>("a", "a.b-c_1", "a/b", ":", "key:x", "|", "x y", "sub:a/b");
        const auto token_class = *rc::gen::element(Class::semantic_key, Class::subtype, Class::entity_id);
        const std::string name_space =
            token_class == Class::subtype ? *rc::gen::element<std::string>("a", "b.c", "sub") : "";
        const auto token = ChangeToken::make(token_class, name_space, *part);
        RC_PRE(token.ok());
        const auto again = ChangeToken::parse(to_text(*token));
        RC_ASSERT(again.ok());
        RC_ASSERT(*again == *token);
    }));
}

TEST(ChangeOrigin, has_a_text) {
    for (const auto& [text, origin] : std::vector<std::pair<std::string, ChangeOrigin>>{
             {"user", {ChangeOrigin::Kind::user, ""}},
             {"sync", {ChangeOrigin::Kind::sync, ""}},
             {"agent:gym coach", {ChangeOrigin::Kind::agent, "gym coach"}},
             {"agent:user", {ChangeOrigin::Kind::agent, "user"}},
         }) {
        EXPECT_EQ(origin_text(origin), text);
        EXPECT_EQ(parse_origin(text), origin);
    }
    for (const char* text : {"", "User", "agent", "agent:", "sync:", "agents:x", "agent:a\tb"}) {
        EXPECT_FALSE(parse_origin(text).has_value()) << text;
    }
    EXPECT_TRUE(parse_origin("agent:" + std::string(limits::scope_id_bytes_max, 'x')).has_value());
    EXPECT_FALSE(parse_origin("agent:" + std::string(limits::scope_id_bytes_max + 1, 'x')).has_value());
}

}  // namespace
}  // namespace belfry::model
