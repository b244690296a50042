#include "rules/session_agent.hpp"

#include <gtest/gtest.h>

#include "rules/due.hpp"

namespace belfry::rules {
namespace {

base::Uuid uuid_of(std::uint8_t number) {
    base::Uuid id;
    id.bytes[15] = number;
    return id;
}

model::PullLink pull_of(std::uint8_t number, std::string by, std::vector<std::string> agents) {
    model::PullLink pull;
    pull.pull = pull.chain = uuid_of(number);
    pull.by = std::move(by);
    pull.agents = std::move(agents);
    return pull;
}

// The token `t` of the agent `old` is in a turn of its session, and a token of each agent works there, too.
model::Session session_in_turn() {
    model::Session session;
    session.agent_id = "old";
    begin_turn(session, base::Timestamp{1}, {"t", false, {}, {"old"}});
    model::Progress& progress = session.progress;
    progress.in_turn = progress.turn_pulled = progress.has_named = true;
    progress.pulls = {pull_of(1, "t", {"old"}), pull_of(2, "any", {}), pull_of(3, "both", {"old", "new"})};
    progress.open_pull = uuid_of(1);
    progress.open_point = 2;
    progress.decided = {uuid_of(7)};
    progress.spoken = {{"t", uuid_of(1), false}, {"any", uuid_of(2), false}};
    return session;
}

TEST(GiveSession, makes_the_agent_before_a_visitor_that_keeps_what_it_has) {
    model::Session session = session_in_turn();
    EXPECT_TRUE(give_session(session, "new", base::Timestamp{2}));
    const model::Progress& progress = session.progress;
    EXPECT_EQ(session.agent_id, "new");
    EXPECT_FALSE(progress.in_turn || progress.turn_pulled || progress.has_named);
    EXPECT_EQ(progress.turn_by, "");
    EXPECT_EQ(session.last_turn_ended_at, base::Timestamp{2});
    EXPECT_TRUE(progress.pulls[0].is_guest);
    EXPECT_EQ(progress.pulls[0].open_point, 2);
    EXPECT_FALSE(progress.pulls[1].is_guest) << "it works for each agent";
    EXPECT_FALSE(progress.pulls[2].is_guest);
    EXPECT_FALSE(progress.open_pull);
    EXPECT_TRUE(progress.decided.empty());
    EXPECT_EQ(progress.decided_by_guests, (std::vector<model::Decided>{{"t", uuid_of(7)}}));
    EXPECT_EQ(progress.named_by_guests, std::vector<std::string>{"t"});
    EXPECT_TRUE(progress.spoken[0].is_guest);
    EXPECT_FALSE(progress.spoken[1].is_guest);
}

TEST(GiveSession, moves_what_a_visitor_has_to_the_lists_of_the_session) {
    model::Session session = session_in_turn();
    model::Progress& progress = session.progress;
    progress.pulls.push_back(pull_of(4, "v", {"new"}));
    progress.pulls.back().is_guest = true;
    progress.pulls.back().open_point = 3;
    progress.decided_by_guests = {{"v", uuid_of(8)}};
    progress.named_by_guests = {"v"};
    EXPECT_TRUE(give_session(session, "new", base::Timestamp{2}));
    EXPECT_FALSE(progress.pulls[3].is_guest);
    EXPECT_EQ(progress.decided, std::vector{uuid_of(8)});
    EXPECT_EQ(progress.decided_by_guests, (std::vector<model::Decided>{{"t", uuid_of(7)}}));
    EXPECT_TRUE(progress.has_named);
    EXPECT_EQ(progress.named_by_guests, std::vector<std::string>{"t"});
    EXPECT_EQ(progress.open_pull, uuid_of(4));
    EXPECT_EQ(progress.open_point, 3);
}

TEST(GiveSession, to_nobody_leaves_the_turn_to_the_guest_and_back_to_its_agent) {
    const model::Session before = session_in_turn();
    model::Session session = before;
    EXPECT_FALSE(give_session(session, "", base::Timestamp{2}));
    EXPECT_TRUE(session.progress.in_turn);
    EXPECT_EQ(session.progress.guest_agent, "old");
    EXPECT_EQ(session.progress.named_by_guests, std::vector<std::string>{"t"});
    EXPECT_TRUE(session.progress.pulls[2].is_guest);
    EXPECT_FALSE(give_session(session, "old", base::Timestamp{3}));
    EXPECT_EQ(session.progress, before.progress);
}

TEST(GiveSession, leaves_the_turn_of_a_principal_of_each_agent) {
    model::Session session = session_in_turn();
    begin_turn(session, base::Timestamp{1}, {"any"});
    const model::Progress before = session.progress;
    EXPECT_FALSE(give_session(session, "new", base::Timestamp{2}));
    EXPECT_TRUE(session.progress.in_turn);
    EXPECT_EQ(session.progress.turn_by, "any");
    EXPECT_EQ(session.progress.open_pull, before.open_pull);
    EXPECT_FALSE(give_session(session, "new", base::Timestamp{2})) << "it is the agent's already";
}

}  // namespace
}  // namespace belfry::rules
