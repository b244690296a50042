#pragma once

#include <string>
#include <vector>

#include "model/wake.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/random.hpp"
#include "sim/wakes_witness.hpp"

namespace belfry::sim {

// Who acts in the world of agents: people who make, change and wake them, and workers who claim their wakes, renew, say
// what they do and end well or badly; or crash, hang beyond their lease, and come back late or twice.
class WakeCast {
public:
    WakeCast(SeededRandom random, const WakesWitness& book);

    ports::AnyCommand act(base::Timestamp now);
    // Whoever asked hears the answer.
    void heard(const ports::Command& command);

    // In the end all workers are healthy.
    static ports::AnyCommand claim_any();
    static ports::AnyCommand end_well(const model::Wake& wake);

private:
    struct Hold {
        model::WakeId id = 0;
        std::int64_t fence = 0;
        model::RunId run_id = 0;
        std::vector<model::AgentMessage> said;  // to be said again
        std::string open_operation;             // an action without its result
        bool is_over = false;                   // whoever has it is gone, or has ended it
    };

    ports::AnyCommand person(base::Timestamp now);
    ports::AnyCommand worker(base::Timestamp now);
    ports::AnyCommand work_on(Hold& hold, base::Timestamp now);
    ports::AnyCommand late();
    ports::AnyCommand create();
    ports::AnyCommand change(base::Timestamp now);
    ports::AnyCommand subscribe();
    ports::AnyCommand unsubscribe();
    ports::AnyCommand add_timer(base::Timestamp now);
    ports::AnyCommand change_timer();
    ports::AnyCommand emit();
    ports::AnyCommand wake();
    ports::AnyCommand cancel();
    ports::AnyCommand claim();
    ports::AnyCommand say(Hold& hold);
    ports::AnyCommand plan(const Hold& hold);
    ports::AnyCommand end(Hold& hold, base::Timestamp now);
    ports::AnyCommand remember(const Hold& hold, base::Timestamp now);

    std::string some_agent();
    std::string some_user() { return random_.one_in(3) ? "bob" : "ada"; }
    base::Timestamp soon(base::Timestamp now);
    base::Uuid new_id();

    SeededRandom random_;
    const WakesWitness& book_;
    std::vector<Hold> holds_;
    struct Request {
        std::string agent_id;
        std::string request_id;
        std::string session_id;  // of a person's
    };
    Request asked_;
    std::uint64_t failing_;  // of a hundred ends, so many are bad
    std::uint64_t crashing_;
    std::uint64_t named_ = 0;
};

}  // namespace belfry::sim
