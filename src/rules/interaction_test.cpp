#include "rules/interaction.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

using model::InteractionKind;
using model::InteractionState;

constexpr base::Timestamp now{base::days(20000).us};

model::Interaction question(InteractionKind kind) {
    model::Interaction one;
    one.kind = kind;
    one.session_id = "s";
    one.user_id = "ada";
    one.message = "May I?";
    one.tool_name = "rm";
    one.created_at = now;
    one.expires_at = now + base::seconds(300);
    return one;
}

model::Principal principal(model::Role role, model::Proof proof, std::string user = {}) {
    model::Principal who;
    who.id = "token:x";
    who.role = role;
    who.proof = proof;
    who.user_id = std::move(user);
    return who;
}

Words decision(std::string word) {
    return {std::move(word), std::nullopt, std::nullopt};
}

TEST(Interaction, the_three_decisions_answer_and_another_word_lists_them) {
    for (const std::string word : {"allow_once", "always_allow", "deny"}) {
        model::Interaction one = question(InteractionKind::confirmation);
        ASSERT_TRUE(answer(one, decision(word), "token:x", now).ok());
        EXPECT_EQ(one.state, InteractionState::answered);
        EXPECT_EQ(one.answer->bytes(), "{\"decision\":\"" + word + "\"}");
        EXPECT_EQ(one.always_allowed, word == "always_allow");
        EXPECT_EQ(one.ended_at, now);
    }
    model::Interaction one = question(InteractionKind::confirmation);
    const auto refused = answer(one, decision("maybe"), "token:x", now);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message, "decision must be allow_once, always_allow or deny");
    EXPECT_EQ(one.state, InteractionState::pending);
    EXPECT_FALSE(answer(one, {std::nullopt, "accept", std::nullopt}, "token:x", now).ok());
}

TEST(Interaction, a_form_is_accepted_with_its_content_declined_or_cancelled) {
    model::Interaction one = question(InteractionKind::elicitation);
    ASSERT_TRUE(answer(one, {std::nullopt, "accept", model::RawJson::trusted("{\"n\":1}")}, "token:x", now).ok());
    EXPECT_EQ(one.answer->bytes(), R"({"action":"accept","content":{"n":1}})");
    EXPECT_FALSE(one.always_allowed);
    one = question(InteractionKind::elicitation);
    EXPECT_FALSE(answer(one, {std::nullopt, "decline", model::RawJson::trusted("{}")}, "token:x", now).ok());
    EXPECT_FALSE(answer(one, decision("deny"), "token:x", now).ok());
    EXPECT_TRUE(answer(one, {std::nullopt, "cancel", std::nullopt}, "token:x", now).ok());
}

TEST(Interaction, a_form_has_three_actions_and_content_up_to_its_limit) {
    model::Interaction one = question(InteractionKind::elicitation);
    const auto wrong = answer(one, {std::nullopt, "maybe", std::nullopt}, "token:x", now);
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().field, "action");
    EXPECT_EQ(wrong.error().message, "action must be accept, decline or cancel");
    const auto accept = [&one](std::size_t bytes) {
        return answer(one, {std::nullopt, "accept", model::RawJson::trusted('"' + std::string(bytes - 2, 'x') + '"')},
                      "token:x", now);
    };
    const auto large = accept(base::limits::interaction_content_bytes_max + 1);
    ASSERT_FALSE(large.ok());
    EXPECT_EQ(large.error().code, base::Code::too_large);
    EXPECT_EQ(large.error().field, "content");
    EXPECT_EQ(one.state, InteractionState::pending) << "it can be answered again";
    EXPECT_TRUE(accept(base::limits::interaction_content_bytes_max).ok());
}

TEST(Interaction, what_a_form_is_accepted_with_is_what_its_schema_wants) {
    model::Interaction one = question(InteractionKind::elicitation);
    one.schema = model::RawJson::trusted(R"({"required":["n"],"properties":{"n":{"type":"integer"}}})");
    const auto accept = [&one](std::optional<model::RawJson> content) {
        const auto answered = answer(one, {std::nullopt, "accept", std::move(content)}, "token:x", now);
        return answered.ok() ? "" : answered.error().field;
    };
    EXPECT_EQ(accept(std::nullopt), "content.n");
    EXPECT_EQ(accept(model::RawJson::trusted(R"({"n":"1"})")), "content.n");
    EXPECT_EQ(one.state, InteractionState::pending) << "it can be answered again";
    EXPECT_EQ(accept(model::RawJson::trusted(R"({"n":1})")), "");
    one = question(InteractionKind::elicitation);
    one.schema = model::RawJson::trusted(R"({"required":["n"]})");
    EXPECT_TRUE(answer(one, {std::nullopt, "decline", std::nullopt}, "token:x", now).ok());
}

TEST(Interaction, what_is_always_allowed_can_be_taken_back_once) {
    model::Interaction one = question(InteractionKind::confirmation);
    EXPECT_EQ(take_back(one).error().reason, "not_allowed");
    ASSERT_TRUE(answer(one, decision("always_allow"), "token:x", now).ok());
    EXPECT_TRUE(take_back(one).ok());
    EXPECT_FALSE(one.always_allowed);
    EXPECT_EQ(take_back(one).error().reason, "not_allowed");
}

TEST(Interaction, a_second_answer_and_one_after_the_deadline_find_nothing_pending) {
    model::Interaction one = question(InteractionKind::confirmation);
    ASSERT_TRUE(answer(one, decision("deny"), "token:x", now).ok());
    const auto again = answer(one, decision("allow_once"), "token:x", now);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().message, "No pending confirmation for id: " + base::format_uuid(one.id.uuid));
    EXPECT_EQ(again.error().reason, "not_pending");
    one = question(InteractionKind::confirmation);
    EXPECT_FALSE(answer(one, decision("allow_once"), "token:x", one.expires_at).ok());
}

TEST(Interaction, silence_means_no) {
    model::Interaction one = question(InteractionKind::confirmation);
    expire(one, now);
    EXPECT_EQ(one.state, InteractionState::expired);
    EXPECT_EQ(one.answer->bytes(), R"({"decision":"deny"})");
    EXPECT_EQ(one.answered_by, "timeout");
    one = question(InteractionKind::elicitation);
    expire(one, now);
    EXPECT_EQ(one.answer->bytes(), R"({"action":"cancel"})");
}

TEST(Interaction, only_a_persons_credential_answers) {
    using model::Proof;
    using model::Role;
    EXPECT_TRUE(may_answer_interaction(principal(Role::user, Proof::token, "ada"), "ada", "s").ok());
    EXPECT_TRUE(may_answer_interaction(principal(Role::user, Proof::ticket, "ada"), "ada", "s").ok());
    EXPECT_TRUE(may_answer_interaction(principal(Role::admin, Proof::token), "ada", "s").ok());
    EXPECT_FALSE(may_answer_interaction(principal(Role::user, Proof::token, "bob"), "ada", "s").ok());
    EXPECT_FALSE(may_answer_interaction(principal(Role::admin, Proof::peer), "ada", "s").ok());
    EXPECT_FALSE(may_answer_interaction(principal(Role::agent, Proof::token), "ada", "s").ok());
}

TEST(Interaction, questions_have_limits_that_are_named) {
    model::Interaction one = question(InteractionKind::confirmation);
    EXPECT_TRUE(check_question(one, base::seconds(300)).ok());
    EXPECT_EQ(check_question(one, base::seconds(301)).error().field, "timeout_s");
    EXPECT_EQ(check_question(one, base::seconds(0)).error().field, "timeout_s");
    one.schema = model::RawJson::trusted("{}");
    EXPECT_EQ(check_question(one, base::seconds(1)).error().field, "schema");
    one = question(InteractionKind::confirmation);
    one.message.clear();
    EXPECT_EQ(check_question(one, base::seconds(1)).error().field, "message");
    one.message.assign(base::limits::interaction_message_bytes_max, 'x');
    EXPECT_TRUE(check_question(one, base::seconds(1)).ok());
    one.message += 'x';
    EXPECT_EQ(check_question(one, base::seconds(1)).error().field, "message");
}

}  // namespace
}  // namespace belfry::rules
