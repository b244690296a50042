#include <gtest/gtest.h>

#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

class SyncAnswers : public AnswersTest {
protected:
    void SetUp() override {
        AnswersTest::SetUp();
        store.kept_sync.kept.host = "h0";
        store.kept_sync.kept.peers.emplace_back().name = "desk";
        for (const std::int64_t number : {3, 2, 1}) store.kept_sync.kept_notes.emplace_back().number = number;
    }
    base::Result<ports::SyncStatus> status(const model::Principal& who) {
        return answer<ports::SyncStatus>([&](auto done) { answers.sync_status(who, done); });
    }
    base::Result<std::vector<model::MergeNote>> notes(const model::Principal& who, std::int64_t below) {
        return answer<std::vector<model::MergeNote>>([&](auto done) { answers.merge_notes(who, below, 2, done); });
    }
};

TEST_F(SyncAnswers, are_for_those_who_see_everybody) {
    EXPECT_EQ(status(admin)->peers.at(0).name, "desk");
    EXPECT_EQ(status(ada).error().code, base::Code::forbidden);
    EXPECT_EQ(status(agent_of_ada).error().code, base::Code::forbidden);
    EXPECT_EQ(notes(ada, 0).error().code, base::Code::forbidden);
}

TEST_F(SyncAnswers, have_what_was_decided_from_the_newest_on) {
    EXPECT_EQ(notes(admin, 0)->size(), 2U);
    EXPECT_EQ(notes(admin, 0)->front().number, 3);
    EXPECT_EQ(notes(admin, 2)->front().number, 1);
}

}  // namespace
}  // namespace belfry::view
