#include "rules/run_state.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <vector>

namespace belfry::rules {
namespace {

using model::RunState;

constexpr base::Timestamp now{1000};

enum class Wish { start_with_place, start_without, place, complete, fail, cancel, pause, resume, emit, add_child };

// What becomes of a wish: the reason of its refusal, or nothing.
std::string refused(model::Run& run, Wish wish, std::int64_t queue_number = 7) {
    const auto reason = [](const auto& result) { return result.ok() ? std::string() : result.error().reason; };
    switch (wish) {
        case Wish::start_with_place: return reason(start_run(run, true, 0, now));
        case Wish::start_without: return reason(start_run(run, false, queue_number, now));
        case Wish::place:
            if (run.queued != 0) place_run(run, now);
            return {};
        case Wish::complete: return reason(finish_run(run, RunState::completed, std::nullopt, std::nullopt, now));
        case Wish::fail: return reason(finish_run(run, RunState::failed, {}, model::RunError{"t", "m"}, now));
        case Wish::cancel: return reason(cancel_run(run, "why", now));
        case Wish::pause: return reason(pause_run(run, true));
        case Wish::resume: return reason(pause_run(run, false));
        case Wish::emit: return reason(takes_events(run));
        case Wish::add_child: return reason(require_open(run));
    }
    return {};
}

model::Run in_state(RunState state, bool queued = false) {
    model::Run run;
    run.id = 7;
    run.state = state;
    run.queued = queued ? 3 : 0;
    if (model::is_ended(state)) run.ended_at = base::Timestamp{1};
    return run;
}

TEST(RunStates, the_whole_table_of_wishes) {
    const struct {
        Wish wish;
        std::string pending, queued, running, ended;  // why not; "-": it is done
    } table[] = {
        {Wish::start_with_place, "-", "started", "started", "ended"},
        {Wish::start_without, "-", "started", "started", "ended"},
        {Wish::complete, "not_running", "not_running", "-", "ended"},
        {Wish::fail, "not_running", "not_running", "-", "ended"},
        {Wish::cancel, "-", "-", "-", "ended"},
        {Wish::pause, "not_running", "not_running", "-", "ended"},
        {Wish::resume, "not_running", "not_running", "-", "ended"},
        {Wish::emit, "not_running", "not_running", "-", "ended"},
        {Wish::add_child, "-", "-", "-", "ended"},
    };
    const auto expect = [](model::Run run, Wish wish, const std::string& expected) {
        const model::Run before = run;
        const std::string reason = refused(run, wish);
        EXPECT_EQ(reason.empty() ? "-" : reason, expected) << static_cast<int>(wish);
        if (!reason.empty()) {
            EXPECT_EQ(run, before) << "a refusal changes nothing";
        }
    };
    for (const auto& row : table) {
        expect(in_state(RunState::pending), row.wish, row.pending);
        expect(in_state(RunState::pending, true), row.wish, row.queued);
        expect(in_state(RunState::running), row.wish, row.running);
        for (const RunState end : {RunState::completed, RunState::failed, RunState::cancelled}) {
            expect(in_state(end), row.wish, row.ended);
        }
    }
}

TEST(RunStates, a_start_without_a_place_waits_under_its_number) {
    model::Run run = in_state(RunState::pending);
    EXPECT_EQ(*start_run(run, false, 12, now), Started::queued);
    EXPECT_EQ(run.state, RunState::pending);
    EXPECT_EQ(run.queued, 12);
    place_run(run, now);
    EXPECT_EQ(run.state, RunState::running);
    EXPECT_EQ(run.queued, 0);
    EXPECT_EQ(run.started_at, now);
}

TEST(RunStates, a_completion_cannot_overwrite_a_cancellation) {
    model::Run run = in_state(RunState::running);
    ASSERT_TRUE(cancel_run(run, "stop", now).ok());
    EXPECT_EQ(refused(run, Wish::complete), "ended");
    EXPECT_EQ(run.state, RunState::cancelled);
    EXPECT_EQ(run.cancel_reason, "stop");
    EXPECT_FALSE(run.result);
}

TEST(RunStates, whatever_is_wished_an_end_is_set_once_and_never_left) {
    rc::check("ends are final", [](const std::vector<std::uint8_t>& wishes) {
        model::Run run = in_state(RunState::pending);
        run.ended_at.reset();
        int ends = 0;
        std::int64_t number = 1;
        for (const std::uint8_t raw : wishes) {
            const auto wish = static_cast<Wish>(raw % 10);
            const model::Run before = run;
            const bool was_refused = !refused(run, wish, ++number).empty();
            if (was_refused) RC_ASSERT(run == before);
            if (model::is_ended(before.state)) {
                RC_ASSERT(run == before);
                continue;
            }
            if (model::is_ended(run.state)) ++ends;
            RC_ASSERT(run.ended_at.has_value() == model::is_ended(run.state));
            RC_ASSERT(run.queued == 0 || run.state == RunState::pending);
            RC_ASSERT(!run.paused || run.state == RunState::running);
            RC_ASSERT((run.state != RunState::completed && run.state != RunState::failed) || run.started_at);
        }
        RC_ASSERT(ends <= 1);
    });
}

}  // namespace
}  // namespace belfry::rules
