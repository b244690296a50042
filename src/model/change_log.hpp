#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "model/change.hpp"
#include "model/raw_json.hpp"
#include "model/vector_clock.hpp"

// What was changed, by whom, and what it touches: as the log keeps it, and as it is told, in batches.
namespace belfry::model {

// The kinds of record that agents consist of. The id of both is the agent's.
inline constexpr std::string_view agent_kind = "agent";
inline constexpr std::string_view agent_state_kind = "agent_state";

// One change as the log keeps it.
struct Change {
    std::int64_t number = 0;  // in this store, in the order in which they were recorded
    ChangeUnit unit;
    std::string user_id;  // whose record it is
    ChangeOrigin origin;
    std::vector<ChangeToken> tokens;  // none: it is kept, and wakes nobody
    VectorClock clock;                // of the record, after it
    base::Timestamp changed_at;
    std::string batch_id;  // empty: it is in none yet

    bool operator==(const Change&) const = default;
};

[[nodiscard]] inline bool is_synced(const Change& change) {
    return change.origin.kind == ChangeOrigin::Kind::sync;
}

// Changes of one person's records that were collected together.
struct ChangeBatch {
    std::string id;
    std::string user_id;
    bool synced = false;
    std::vector<Change> changes;
};

// The tokens of these changes, each once, in their order.
[[nodiscard]] std::vector<ChangeToken> tokens_of(const std::vector<const Change*>& changes);

void append_tokens(JsonWriter& writer, const std::vector<ChangeToken>& tokens);
// `"batch_id":…,"synced":…,"tokens":[…],"changes":[…]` of these changes of a batch: members of somebody else's object.
void append_changes(JsonWriter& writer, const ChangeBatch& batch, const std::vector<const Change*>& changes);

}  // namespace belfry::model
