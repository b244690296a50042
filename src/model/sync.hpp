#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "model/raw_json.hpp"
#include "model/vector_clock.hpp"

// What devices of the same people know in common, as records that any two of them can merge.
namespace belfry::model {

// The kinds beside those of agents (change_log.hpp) and of the journal (journal_kind_name, link_kind).
inline constexpr std::string_view agent_message_kind = "agent_message";
inline constexpr std::string_view agent_subscription_kind = "agent_subscription";
inline constexpr std::string_view agent_timer_kind = "agent_timer";
inline constexpr std::string_view read_mark_kind = "read_mark";  // of a notification, under its id
inline constexpr std::string_view run_claim_kind = "run_claim";  // under the run's key
inline constexpr std::string_view erasure_kind = "erasure";      // of a person, under his id
// In place of the kind, of a change that nobody can give any more: its place stays, so that nobody misses it.
inline constexpr std::string_view gone_kind = "gone";

// Which write a value comes from. Each write of a record has a version above all that its writer knew of that record,
// so a later one is always greater; of two that did not know of each other one is greater everywhere.
struct Stamp {
    std::uint64_t version = 0;  // 0: of a time when nobody said; older than any
    std::string host;
    // Of the host's changes. Of version 0, which has no host: how many changes the whole record had had, so that of two
    // such records the one that has seen more is the later one.
    std::uint64_t counter = 0;

    auto operator<=>(const Stamp&) const = default;
};
// Whether one can be like this: numbers that the store holds, and a host where there is a version.
[[nodiscard]] bool is_stamp(const Stamp& stamp);

// A value that a field has beside others, because those who wrote them did not know of each other.
struct ConcurrentValue {
    Stamp stamp;
    RawJson value;

    bool operator==(const ConcurrentValue&) const = default;
};

// What is known of a record beside its content: enough to merge it with what another device knows.
struct RecordKnowledge {
    VectorClock clock;
    // Of fields, by their names; under the empty name of all fields that have none of their own (rules::spell_stamps).
    // Of elements of lists as `LIST/ID`; one without has the stamp of its list (rules/merge_lists.hpp).
    std::map<std::string, Stamp, std::less<>> stamps;
    // Of fields that know concurrent values: all of them where there is more than one, by their stamps. Of a list: the
    // order in which it was written, where it stands in another one.
    std::map<std::string, std::vector<ConcurrentValue>, std::less<>> concurrent;

    bool operator==(const RecordKnowledge&) const = default;
    // Greater than all here.
    [[nodiscard]] std::uint64_t next_version() const;
};

// `{"s":{"title":[3,"host",17],…},"c":{"lifecycle":[[3,"host",17,"active"],…]}}`, without the clock; `{}` where there
// is nothing. What is read back was written by this.
void append_knowledge(JsonWriter& writer, const RecordKnowledge& knowledge);
// Into one whose clock is there. False where it is no such thing, or has more than the limits allow.
[[nodiscard]] bool read_knowledge(JsonView json, RecordKnowledge& knowledge);

// One record as it goes from device to device. The body is an object; its members, the fields, are sorted by name, and
// of one value there is one text: times are whole microseconds, what there is not is null or missing, always the same.
struct SyncRecord {
    std::string kind;
    std::string id;
    std::string user_id;
    RecordKnowledge knowledge;
    RawJson body;

    bool operator==(const SyncRecord&) const = default;
};

// Why a field has the value that it has: two devices wrote it and did not know of each other.
struct MergeNote {
    std::int64_t number = 0;  // in this store, rising
    base::Timestamp at;
    std::string kind;
    std::string id;
    std::string user_id;
    std::string field;
    std::string rule;  // which decided: `latest`, `least`, …
    Stamp kept;
    Stamp lost;
    std::string kept_value;  // as JSON, shortened
    std::string lost_value;

    bool operator==(const MergeNote&) const = default;
};
void append_merge_note(JsonWriter& writer, const MergeNote& note);

// Counters of one host: from the first to the last of them.
struct CounterRange {
    std::string host;
    std::uint64_t from = 0;
    std::uint64_t to = 0;

    auto operator<=>(const CounterRange&) const = default;
};

// Another device that we tell, and that tells us.
struct Peer {
    std::string id;       // SHA-256 of its public key, as hex
    std::string name;     // as its person calls it
    std::string address;  // `host:port` where it can be called; empty: it calls us
    std::string key;      // its public key, DER as base64
    std::string host;     // device and incarnation, as it last said; empty: it has not been here yet
    base::Timestamp added_at;
    std::optional<base::Timestamp> revoked_at;
    std::optional<base::Timestamp> last_seen_at;
    VectorClock has;           // what it has acknowledged
    std::string last_error;    // of the last try; empty: none
    std::string whole_cursor;  // where we are in what it tells us as a whole

    bool operator==(const Peer&) const = default;
};

// Whose a host is: signed by the key of its device.
struct HostSeal {
    std::string host;
    std::string key;        // DER as base64
    std::string signature;  // of `belfry host 1\n<host>`, as base64

    bool operator==(const HostSeal&) const = default;
};

}  // namespace belfry::model
