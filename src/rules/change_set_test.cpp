#include "rules/change_set.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

using model::ChangeItemState;
constexpr base::Timestamp early{1'000'000};
constexpr base::Timestamp late{2'000'000};

TEST(ChangeSets, are_decided_with_the_last_of_their_items) {
    model::ChangeSet set;
    set.agent_name = "Coach";
    model::ChangeItem first;
    model::ChangeItem second;
    add(set, first, early);
    EXPECT_EQ(proposal_text(set), "Coach proposes a change");
    add(set, second, early);
    EXPECT_EQ(proposal_text(set), "Coach proposes 2 changes");
    settle(set, first, ChangeItemState::failed, "token:1", late);
    EXPECT_EQ(first.decided_by, "token:1");
    EXPECT_EQ(first.decided_at, late);
    EXPECT_FALSE(set.decided_at);
    settle(set, second, ChangeItemState::rejected, "token:1", late);
    EXPECT_EQ(set.decided_at, late);
    EXPECT_EQ(set.counts, (std::array<std::int64_t, 4>{0, 0, 1, 1}));
    EXPECT_EQ(set.item_count(), 2);
    model::ChangeItem third;
    add(set, third, late);
    EXPECT_FALSE(set.decided_at) << "its wake goes on, and proposes more";
}

TEST(ChangeSets, one_word_counts_and_may_be_said_again) {
    model::ChangeItem item;
    EXPECT_TRUE(*is_to_decide(item, Decision::accept));
    EXPECT_TRUE(*is_to_decide(item, Decision::reject));
    for (const ChangeItemState state : {ChangeItemState::accepted, ChangeItemState::failed}) {
        item.state = state;
        EXPECT_FALSE(*is_to_decide(item, Decision::accept));
        EXPECT_EQ(is_to_decide(item, Decision::reject).error().reason, "decided");
    }
    item.state = ChangeItemState::rejected;
    EXPECT_FALSE(*is_to_decide(item, Decision::reject));
    EXPECT_EQ(is_to_decide(item, Decision::accept).error().reason, "decided");
}

model::Principal who(model::Role role, const std::string& user = {}, model::Proof proof = model::Proof::token) {
    model::Principal principal;
    principal.role = role;
    principal.user_id = user;
    principal.proof = proof;
    return principal;
}

TEST(ChangeSets, are_the_persons_to_decide_and_no_agents_to_read) {
    model::ChangeSet set;
    set.user_id = "ada";
    set.session_id = "s";
    using model::Role;
    EXPECT_TRUE(may_decide(who(Role::user, "ada"), set).ok());
    EXPECT_TRUE(may_decide(who(Role::service), set).ok());
    EXPECT_TRUE(may_decide(who(Role::admin), set).ok());
    EXPECT_FALSE(may_decide(who(Role::user, "bob"), set).ok());
    EXPECT_FALSE(may_decide(who(Role::admin, "", model::Proof::peer), set).ok());
    EXPECT_TRUE(may_see(who(Role::admin, "", model::Proof::peer), set).ok()) << "looking is no decision";
    EXPECT_FALSE(may_see(who(Role::user, "bob"), set).ok());
    model::Principal agent = who(Role::agent);
    agent.bounds.users = {"ada"};
    EXPECT_FALSE(may_decide(agent, set).ok());
    EXPECT_FALSE(may_see(agent, set).ok());
    std::string user = "ada";
    EXPECT_FALSE(may_see_proposals(agent, user).ok());
    user.clear();
    EXPECT_TRUE(may_see_proposals(who(Role::user, "ada"), user).ok());
    EXPECT_EQ(user, "ada");
    user = "ada";
    EXPECT_FALSE(may_see_proposals(who(Role::user, "bob"), user).ok());
}

}  // namespace
}  // namespace belfry::rules
