#pragma once

#include "ports/commands/runs.hpp"

namespace belfry::net::test {

inline model::Run test_run(model::RunId id, model::RunState state = model::RunState::running) {
    model::Run run;
    run.id = id;
    run.root_id = id;
    run.user_id = "ada";
    run.state = state;
    run.events = 3;
    return run;
}

// What the test's gateway answers to those who have a word in runs; false where it is no such command. Run 9 has ended.
// Events are counted in `emitted`.
inline bool decide_run_command(ports::Command& command, model::Sequence& emitted) {
    const auto answer = [](auto& wish, model::RunState state) {
        if (wish.run_id == 9) wish.refuse(base::error(base::Code::conflict, "it has ended", {}, "ended"));
        else wish.settle(test_run(wish.run_id, state));
    };
    if (auto* create = dynamic_cast<ports::CreateRun*>(&command)) {
        ports::CreatedRun created{test_run(7), create->run_key != "again"};
        created.run.title = create->title;
        created.run.caller = create->caller;
        create->settle(std::move(created));
    } else if (auto* start = dynamic_cast<ports::StartRun*>(&command)) {
        answer(*start, model::RunState::running);
    } else if (auto* cancel = dynamic_cast<ports::CancelRun*>(&command)) {
        answer(*cancel, model::RunState::cancelled);
    } else if (auto* finish = dynamic_cast<ports::FinishRun*>(&command)) {
        answer(*finish, finish->state);
    } else if (auto* pause = dynamic_cast<ports::PauseRun*>(&command)) {
        answer(*pause, model::RunState::running);
    } else if (auto* emit = dynamic_cast<ports::EmitRunEvents*>(&command)) {
        if (emit->run_id == 9) {
            emit->refuse(base::error(base::Code::conflict, "it has ended", {}, "ended"));
            return true;
        }
        const model::Sequence first = emitted + 1;
        emitted += emit->events.drafts.size();
        emit->settle(ports::EmittedRunEvents{first, emitted, model::RunState::running, false});
    } else {
        return false;
    }
    return true;
}

}  // namespace belfry::net::test
