#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/couriers.hpp"
#include "daemon/tool_caller.hpp"
#include "host/environment.hpp"
#include "host/log.hpp"
#include "ports/beside.hpp"
#include "ports/clock.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"
#include "ports/sinks.hpp"
#include "ports/store.hpp"

namespace belfry::daemon {

// What a performer works with. All of it outlives the performer.
struct PerformerTools {
    ports::Gateway& gateway;
    ports::Beside& beside;
    const ports::Sinks& sinks;
    Couriers& couriers;
    ToolCaller& tool_caller;
    const ports::Clock& clock;
    host::Environment environment;                    // of the programs that it starts
    std::function<void(std::function<void()>)> post;  // onto the network's thread
    host::Logger& log;
};

// Carries out what is owed. It holds nothing that matters: what it loses at a crash is given out again by the engine.
// Lives on the network's thread.
//
// A call is not made again while it is under way, nor when it was made and the engine could not be told: where it is
// given out again, because its claim ran out or the store was opened anew, the engine is told of the first.
//
// Sinks take turns: each has at most two calls under way, one while it fails, so that one that hangs does not keep the
// others waiting. What waits longer than its claim lasts is dropped, and given out again.
class Performer {
public:
    explicit Performer(PerformerTools tools) : tools_(std::move(tools)) {}

    void perform(const std::vector<ports::Obligation>& owed);

private:
    void erase_next(const base::Uuid& id, std::int64_t fence);
    // The calls of one sink.
    struct Line {
        std::deque<ports::Obligation> waiting;
        std::size_t under_way = 0;
        bool fails = false;  // the last one did
    };

    // A call that was begun.
    struct Call {
        ports::Obligation owed;  // as it was claimed last
        std::string sink;
        std::optional<std::string> answer;  // it was made, and this is what was said
    };

    void queue(const ports::Obligation& owed);
    void call_next();
    Line* next_line();
    void call_sink(const std::string& sink_id, const ports::Obligation& owed);
    void send(const base::Uuid& id, const model::Sink& sink, const model::Notification& notification);
    void ended(const std::string& sink_id, bool failed);
    void report(const base::Uuid& id, const base::Result<std::string>& outcome);
    void heard(const base::Uuid& id, std::int64_t fence, const base::Result<ports::Nothing>& word);
    void finish(const ports::Obligation& owed, ports::ObligationEnd end, std::string_view said);
    void postpone(const base::Uuid& id, std::int64_t fence, std::string_view said);
    void submit(ports::AnyCommand command);

    PerformerTools tools_;
    std::map<std::string, Line> lines_;  // by sink
    std::string last_;                   // the sink that had its turn last
    std::map<base::Uuid, Call> calls_;   // under way, or made and the engine does not know
    std::size_t waiting_ = 0;
    std::size_t under_way_ = 0;
};

}  // namespace belfry::daemon
