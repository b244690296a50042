#include "sim/memory_world_test.hpp"

// What becomes of a question to a model that a stop or a crash of Belfry ends.
namespace belfry::sim {
namespace {

using model::FoldState;

class FoldStops : public MemoryWorld {
protected:
    FoldStops() { open(); }
};

TEST_F(FoldStops, that_a_model_never_answered_goes_to_rules_however_belfry_ended) {
    make_agent(by_model(4));
    const model::Wake wake = begin({}, base::minutes(9));
    say(wake, {"one", "two", "three", "four", "five"});
    for (std::int64_t i = 0; i < limits::fold_model_attempts_max; ++i) {
        const Grant grant = claim_fold();
        ASSERT_TRUE(grant) << i;
        EXPECT_EQ(grant->job.summarizer, model::Summarizer::model) << i;
        crash();
        ask(std::make_unique<ports::ReturnFolds>());
    }
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->job.summarizer, model::Summarizer::rules);
    EXPECT_TRUE(finish(*grant, by_rules(grant->job)).ok());
}

TEST_F(FoldStops, that_a_stop_cut_short_loses_no_attempt) {
    make_agent(by_model(4));
    const model::Wake wake = begin({}, base::minutes(9));
    say(wake, {"one", "two", "three", "four", "five"});
    for (std::int64_t i = 0; i < limits::fold_attempts_max + 1; ++i) {
        const Grant grant = claim_fold();
        ASSERT_TRUE(grant) << i;
        EXPECT_EQ(grant->job.summarizer, model::Summarizer::model) << i;
        EXPECT_EQ(grant->job.attempts, 1) << i;
        EXPECT_EQ(fail(*grant, model::FoldFault::stopped)->state, FoldState::pending);
        EXPECT_EQ(finish(*grant, summary_of("too late")).error().reason, "stale_claim");
    }
}

}  // namespace
}  // namespace belfry::sim
