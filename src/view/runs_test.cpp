#include <gtest/gtest.h>

#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

TEST(RunAnswers, tell_unknown_runs_from_expired_ones) {
    AnswersWorld world;
    world.store.kept_runs.last = 7;
    const auto code_of = [&](model::RunId id) {
        base::Code code = base::Code::internal;
        world.answers.run(world.admin, id, [&](const base::Result<model::Run>& run) { code = run.error().code; });
        world.beside.do_reads();
        return code;
    };
    EXPECT_EQ(code_of(7), base::Code::gone);
    EXPECT_EQ(code_of(8), base::Code::not_found);
    EXPECT_EQ(code_of(0), base::Code::not_found);
}

}  // namespace
}  // namespace belfry::view
