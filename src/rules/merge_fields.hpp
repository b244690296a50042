#pragma once

#include <compare>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sync.hpp"
#include "rules/merge_record.hpp"

// Records as lists of fields, and the join of two fields. Of use to merge_record and what stands beside it only.
namespace belfry::rules {

// A field as one device knows it. Views and pointers are into the record.
struct KnownField {
    std::string_view name;
    std::optional<std::string_view> value;  // JSON; nothing: the body has none
    const model::Stamp* stamp = nullptr;    // never null once it is in a list
    const std::vector<model::ConcurrentValue>* concurrent = nullptr;

    // Nothing and null are the same to all rules that ask for the greatest or the least.
    [[nodiscard]] bool is_none() const { return !value || *value == "null"; }
};

// The fields of a record, by name, each once; elements of lists are none. As long-lived as the record.
class FieldList {
public:
    explicit FieldList(const model::SyncRecord& record);
    FieldList(const FieldList&) = delete;
    FieldList& operator=(const FieldList&) = delete;

    [[nodiscard]] const std::vector<KnownField>& fields() const { return fields_; }

private:
    void add_stamps(const model::SyncRecord& record);

    std::vector<KnownField> fields_;
    std::deque<std::string> names_;  // those that had escapes
    model::Stamp rest_;              // of fields that have none of their own
};

// The members of an object, by name; of a name that stands twice the last.
struct BodyMember {
    std::string_view name;
    std::string_view value;
};
std::vector<BodyMember> members_of(model::JsonView body, std::deque<std::string>& names);

// What all fields of a record without stamps have.
[[nodiscard]] model::Stamp old_stamp(const model::VectorClock& clock);

// A total order of values, as a rule sees them: the greatest is what the rule keeps. Equal only where the bytes are.
[[nodiscard]] std::strong_ordering order_by(FieldRule rule, std::string_view a, std::string_view b);
[[nodiscard]] bool is_concurrent(FieldRule rule);
// Whether a write may not take it back.
[[nodiscard]] bool only_grows(FieldRule rule);

// Which writes of a record one side knows: those of its clock, and of those of a time without stamps the ones up to a
// number of changes (Stamp::counter).
struct KnownWrites {
    KnownWrites(const model::VectorClock& clock,
                std::uint64_t old = model::VectorClock::counter_max)  // NOLINT(google-explicit-constructor)
        : clock(clock), old(old) {}
    [[nodiscard]] bool includes(const model::Stamp& stamp) const {
        return stamp.version == 0 ? stamp.counter <= old : clock.includes(stamp.host, stamp.counter);
    }

    const model::VectorClock& clock;
    std::uint64_t old;
};

// One field of both, with what each one's record knows.
struct JoinedField {
    std::optional<std::string_view> value;  // one of those that went in; nothing where it was made, or there is none
    std::optional<std::string> made;
    const model::Stamp* stamp = nullptr;             // one of those that went in
    std::vector<model::ConcurrentValue> concurrent;  // none, or more than one

    [[nodiscard]] std::optional<std::string_view> shown() const { return made ? *made : value; }
};
[[nodiscard]] JoinedField join_fields(FieldRule rule, const KnownField& a, const KnownWrites& known_a,
                                      const KnownField& b, const KnownWrites& known_b);

// Whether somebody with this clock knew of a write. Those of a time without stamps count as known to all.
[[nodiscard]] bool knows(const model::VectorClock& clock, const model::Stamp& stamp);

}  // namespace belfry::rules
