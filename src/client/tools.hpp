#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "client/client.hpp"
#include "client/delivery_types.hpp"
#include "model/raw_json.hpp"

namespace belfry::client {

// A tool to be registered.
struct ToolRequest {
    std::string name;
    model::Impact impact = model::Impact::external;
    std::string description;
    std::optional<model::RawJson> schema;
    std::string risk;                                      // low, medium, high; empty: low
    std::optional<std::vector<std::string>> capabilities;  // nothing: `tool:NAME`
    std::vector<std::string> wake_reasons;                 // empty: any
    std::string by;                                        // worker, webhook; empty: it is only classified
    std::string url;                                       // of a webhook
    std::string secret_env;                                // likewise
    std::optional<base::Duration> timeout;
};

// A call that somebody outside carries out.
struct OutsideCallNow {
    std::string id;
    std::string tool_name;
    std::string operation_id;
    std::string agent_id;
    std::string state;
    std::int64_t fence = 0;
    std::int64_t attempts = 0;
    model::RawJson arguments;
    model::RawJson json;
};

struct ToolCallClaim {
    std::vector<std::string> tools;
    std::string holder;
    base::Duration lease = base::seconds(60);
    base::Duration wait;  // at most a minute, and less than Options::answer_time_max
};

// One of the three.
struct ToolCallOutcome {
    std::optional<model::RawJson> result;  // an object
    std::string error_code;                // empty: it has not failed
    std::string error_message;
    bool release = false;  // it is given back as if it had not been claimed
};

// Tools that are registered with Belfry, and the work of whoever carries them out, through the connection of a client,
// which outlives it. Nothing but a registration is repeated by itself; what a lost answer granted is free again when
// its lease has run out. A claim that is the caller's no more is `conflict`.
class Tools {
public:
    explicit Tools(Client& client) : client_(client) {}

    base::Result<ToolState> put(const ToolRequest& request);
    // Nothing: there was none in that time.
    base::Result<std::optional<OutsideCallNow>> claim(const ToolCallClaim& claim);
    base::Result<OutsideCallNow> renew(const OutsideCallNow& call, base::Duration lease);
    base::Result<OutsideCallNow> end(const OutsideCallNow& call, const ToolCallOutcome& outcome);

private:
    Client& client_;
};

}  // namespace belfry::client
