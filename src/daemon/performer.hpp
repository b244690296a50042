#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "daemon/couriers.hpp"
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
    const ports::Clock& clock;
    host::Environment environment;                    // of the programs that it starts
    std::function<void(std::function<void()>)> post;  // onto the network's thread
    host::Logger& log;
};

// Carries out what is owed. It holds nothing that matters: what it loses at a crash is given out again by the engine.
// Lives on the network's thread.
class Performer {
public:
    explicit Performer(PerformerTools tools) : tools_(std::move(tools)) {}

    void perform(const std::vector<ports::Obligation>& owed);

private:
    void erase_next(const base::Uuid& id, std::int64_t fence);
    void call_sink(const ports::Obligation& owed);
    void send(const ports::Obligation& owed, const model::Sink& sink, const model::Notification& notification);
    void report(const ports::Obligation& owed, const std::string& sink, base::Result<std::string> outcome);
    void finish(const ports::Obligation& owed, ports::ObligationEnd end, const std::string& note);
    void postpone(const base::Uuid& id, std::int64_t fence, const std::string& why);
    void submit(ports::AnyCommand command);

    PerformerTools tools_;
};

}  // namespace belfry::daemon
