#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/raw_json.hpp"

namespace belfry::client {

// One call that an agent proposes.
struct ChangeItemNow {
    std::int64_t number = 0;
    std::string tool_name;
    std::string state;  // proposed, accepted, rejected, failed
    model::RawJson arguments;
    model::RawJson changes;  // what it would change, a list
    std::string error;       // of a failed one: its code and message
};

// What an agent proposed in one wake. Of a list without the items.
struct ChangeSetNow {
    std::string id;
    std::string user_id;
    std::string agent_id;
    std::string agent_name;
    std::string state;  // open, decided
    std::int64_t proposed = 0;
    std::int64_t accepted = 0;
    std::int64_t rejected = 0;
    std::int64_t failed = 0;
    std::string created_at;
    std::vector<ChangeItemNow> items;
    model::RawJson json;
};

struct ChangeSetQuestion {
    std::string user_id;
    std::string agent_id;
    bool all = false;  // those that were decided, too
};

enum class ChangeDecision { accept, reject };

}  // namespace belfry::client
