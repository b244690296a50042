#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "daemon/couriers.hpp"
#include "host/environment.hpp"
#include "host/log.hpp"
#include "net/outbound/tool_http.hpp"
#include "ports/beside.hpp"
#include "ports/clock.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"
#include "ports/store.hpp"

namespace belfry::daemon {

// What it works with. All of it outlives it.
struct ToolCallerTools {
    ports::Gateway& gateway;
    ports::Beside& beside;
    Couriers& couriers;  // its own: a tool may take its time
    const ports::Clock& clock;
    host::Environment environment;
    std::function<void(std::function<void()>)> post;  // onto the network's thread
    host::Logger& log;
};

// Asks webhooks for what tools do. It holds nothing that matters: what it loses at a crash is given out again by the
// engine, and then the tool is asked once more, under the same key. Lives on the network's thread.
//
// A call is not made again while it is under way, nor when it was made and the engine could not be told. A tool has so
// many calls under way at the most, so that one that hangs does not keep the others waiting.
class ToolCaller {
public:
    explicit ToolCaller(ToolCallerTools tools) : tools_(std::move(tools)) {}

    void perform(const ports::Obligation& owed);

private:
    struct Call {
        ports::Obligation owed;  // as it was claimed last
        std::string tool;
        std::optional<net::ToolAnswer> answer;  // it was made, and this is what was said
    };
    // What is known of a call, and of the tool that is called.
    struct Looked {
        base::Result<std::optional<model::OutsideCall>> call = std::optional<model::OutsideCall>{};
        base::Result<std::optional<model::ToolInfo>> tool = std::optional<model::ToolInfo>{};
    };

    void begin_next();
    void look(const base::Uuid& id);
    void send(const base::Uuid& id, const Looked& looked);
    void ask_server(const base::Uuid& id, const model::ToolExecution& execution, const std::string& secret,
                    const model::OutsideCall& call);
    void report(const base::Uuid& id, const base::Result<net::ToolAnswer>& outcome);
    void tell(const base::Uuid& id);
    void heard(const base::Uuid& id, std::int64_t fence, const base::Result<model::OutsideCall>& word);
    // It is not under way any more, and nothing is known of it.
    ports::Obligation forget(const base::Uuid& id);
    void ended(const std::string& tool);
    void postpone(const base::Uuid& id, std::string_view said);
    void drop(const base::Uuid& id);
    void submit(ports::AnyCommand command);

    ToolCallerTools tools_;
    std::map<base::Uuid, Call> calls_;              // waiting, under way, or made and the engine does not know
    std::deque<base::Uuid> waiting_;                // in the order in which they came
    std::map<std::string, std::size_t> under_way_;  // by tool
};

}  // namespace belfry::daemon
