#include <gtest/gtest.h>

#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

class RunAnswers : public AnswersTest {
protected:
    void SetUp() override {
        AnswersTest::SetUp();
        model::Run run;
        run.id = 3;
        run.user_id = "ada";
        run.session_id = "a1";
        run.state = model::RunState::running;
        store.kept_runs.kept.push_back(run);
        run.id = 4;
        run.session_id = "";
        run.state = model::RunState::completed;
        run.ended_at = base::Timestamp{1000};
        run.events = 12;
        store.kept_runs.kept.push_back(run);
        store.kept_runs.last = 7;
        model::StreamInfo stream;
        stream.id = 9;
        stream.name = "run:3";
        stream.owner = "ada";
        stream.retention = model::RetentionClass::runs;
        stream.head = 5;
        follow.add({stream});
    }
    base::Result<model::Run> run(const model::Principal& who, model::RunId id) {
        return answer<model::Run>([&](auto done) { answers.run(who, id, done); });
    }
    base::Result<std::vector<model::Run>> runs(const model::Principal& who, ports::RunFilter filter = {}) {
        if (filter.limit == 0) filter.limit = 10;
        return answer<std::vector<model::Run>>([&](auto done) { answers.runs(who, filter, done); });
    }
};

TEST_F(RunAnswers, tell_unknown_runs_from_expired_ones) {
    EXPECT_EQ(run(admin, 7).error().code, base::Code::gone);
    EXPECT_EQ(run(admin, 8).error().code, base::Code::not_found);
    EXPECT_EQ(run(admin, 0).error().code, base::Code::not_found);
}

TEST_F(RunAnswers, know_how_far_a_running_one_is_and_when_an_ended_one_goes) {
    EXPECT_EQ(run(admin, 3)->events, 5);
    EXPECT_FALSE(run(admin, 3)->expires_at);
    EXPECT_EQ(run(admin, 4)->events, 12);
    EXPECT_EQ(run(admin, 4)->expires_at, base::Timestamp{1000} + base::limits::runs_kept);
}

TEST_F(RunAnswers, are_for_those_who_may_use_the_session_or_see_the_user) {
    EXPECT_TRUE(run(ada, 3).ok());
    EXPECT_TRUE(run(agent_of_a1, 3).ok());
    EXPECT_TRUE(run(agent_of_ada, 4).ok());
    EXPECT_EQ(run(bob, 3).error().code, base::Code::forbidden);
    EXPECT_EQ(run(agent_of_a1, 4).error().code, base::Code::forbidden) << "it has no session";
    EXPECT_EQ(run(somebody(model::Role::emitter), 3).error().code, base::Code::forbidden);
}

TEST_F(RunAnswers, to_a_list_are_narrowed_to_what_the_asker_may_see) {
    ASSERT_TRUE(runs(ada).ok());
    EXPECT_EQ(store.kept_runs.asked.user_id, "ada");
    ASSERT_TRUE(runs(agent_of_a1).ok());
    EXPECT_EQ(store.kept_runs.asked.session_id, "a1");
    EXPECT_FALSE(runs(bob, {"ada", "", "", {}, 0, 0, 10}).ok());
    EXPECT_FALSE(runs(somebody(model::Role::agent)).ok());
    EXPECT_TRUE(runs(admin)->at(0).events == 5);
}

TEST_F(RunAnswers, to_a_list_are_no_more_than_an_answer_holds) {
    auto& kept = store.kept_runs.kept;
    kept.assign(100, {});
    for (std::size_t i = 0; i < kept.size(); ++i) {
        kept[i].id = static_cast<model::RunId>(kept.size() - i);
        kept[i].result = model::RawJson::trusted('"' + std::string(base::limits::run_result_bytes_max - 2, 'x') + '"');
    }
    const std::size_t fill = base::limits::page_bytes_max / base::limits::run_result_bytes_max;
    ports::RunFilter filter;
    filter.limit = 100;
    EXPECT_EQ(runs(admin, filter)->size(), fill + 1);
    EXPECT_LE(store.kept_runs.given, 16U) << "no more is read";
    for (model::Run& one : kept) one.result.reset();
    ASSERT_EQ(runs(admin, filter)->size(), 100U);
    EXPECT_EQ(runs(admin, filter)->back().id, 1);
}

}  // namespace
}  // namespace belfry::view
