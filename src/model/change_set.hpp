#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"
#include "model/wake.hpp"

// What an agent proposes to its person instead of doing it.
namespace belfry::model {

using ChangeSetId = base::Id<struct ChangeSetTag>;

// Proposed until one of the others, which never change. `failed`: it was accepted, and the tool refused it then.
enum class ChangeItemState : std::uint8_t { proposed, accepted, rejected, failed };
inline constexpr std::size_t change_item_state_count = 4;
std::string_view change_item_state_name(ChangeItemState state);

// One call of a tool that waits for the person's word.
struct ChangeItem {
    std::int64_t number = 0;  // 1, 2, … in its set
    std::string tool_name;
    RawJson arguments;
    std::string operation_id;
    RawJson changes = RawJson::trusted("[]");  // as they would have been when it was proposed
    ChangeItemState state = ChangeItemState::proposed;
    std::optional<RawJson> result;  // of an accepted one: what the tool said
    std::string error_code;         // of a failed one
    std::string error_message;
    std::string decided_by;  // a principal; empty: nobody yet
    base::Timestamp created_at;
    std::optional<base::Timestamp> decided_at;

    bool operator==(const ChangeItem&) const = default;
};

// All that was proposed in one wake, without the items.
struct ChangeSet {
    ChangeSetId id;
    std::int64_t ordinal = 0;  // rises in the ledger; given by the store
    WakeId wake_id = 0;
    std::string user_id;
    std::string agent_id;
    std::string agent_name;  // how it was called then
    RunId run_id = 0;
    std::string thread_id;
    std::string session_id;  // empty: none
    WakeReason reason = WakeReason::manual;
    std::int64_t depth = 0;                                      // how many agents had told one another before it
    std::array<std::int64_t, change_item_state_count> counts{};  // of items, by their state
    base::Timestamp created_at;
    base::Timestamp updated_at;
    std::optional<base::Timestamp> decided_at;  // when the last of it was; nothing: something is open

    [[nodiscard]] std::int64_t count(ChangeItemState state) const { return counts[static_cast<std::size_t>(state)]; }
    [[nodiscard]] std::int64_t item_count() const;

    bool operator==(const ChangeSet&) const = default;
};

// A set with what is in it.
struct ProposedChanges {
    ChangeSet set;
    std::vector<ChangeItem> items;

    bool operator==(const ProposedChanges&) const = default;
};

// `{"id":…,"agent_id":…,…}`, into a writer of somebody else; the second one with its items.
void append_change_set(JsonWriter& writer, const ChangeSet& set);
void append_proposed_changes(JsonWriter& writer, const ProposedChanges& changes);
// The line of a person's inbox: `{"type":"change_set","change_set":{…}}`, appended.
void append_change_set_line(std::string& out, const ChangeSet& set);

}  // namespace belfry::model
