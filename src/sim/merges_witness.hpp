#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/merge_record.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

using Complaints = std::vector<std::string>;

// A kind of record with some of its fields, and what they may be given.
struct MergedKind {
    struct Field {
        std::string_view name;
        std::vector<std::string_view> values;  // JSON
    };
    std::string_view name;
    std::vector<Field> fields;  // by name
};
[[nodiscard]] const MergedKind& any_merged_kind(SeededRandom& random);
// One with some of its fields given anew.
[[nodiscard]] std::string any_merged_body(const MergedKind& kind, const model::RawJson& before, SeededRandom& random);

// Knows every write of a record, and what its writer knew; and so what the record must be in the end, by the words of
// each rule and without a merge.
class MergesWitness {
public:
    explicit MergesWitness(const MergedKind& kind) : kind_(kind) {}

    // Before there were stamps.
    void was(const model::SyncRecord& record);
    // These fields were written by somebody who knew the record as it was before.
    void wrote(const model::SyncRecord& before, const model::SyncRecord& after, const std::vector<std::string>& fields,
               const std::string& host, std::uint64_t counter);
    // What is wrong with a record that knows all writes; empty: nothing.
    [[nodiscard]] std::string judge(const model::SyncRecord& record) const;

private:
    struct Write {
        model::Stamp stamp;
        std::string value;
        model::VectorClock known;
    };
    using Writes = std::vector<Write>;

    // A list as somebody made it of what it was.
    struct ListWrite {
        model::Stamp stamp;
        std::string before;
        std::string after;
        model::VectorClock known;
    };
    using ListWrites = std::vector<ListWrite>;

    [[nodiscard]] std::string expected(std::string_view field, const Writes& writes) const;
    [[nodiscard]] std::string expected_list(const ListWrites& writes) const;
    [[nodiscard]] std::string expected_once() const;

    const MergedKind& kind_;
    std::map<std::string, Writes, std::less<>> writes_;  // of each field
    std::map<std::string, ListWrites, std::less<>> lists_;
    std::vector<std::string> bodies_;  // of what is said once
    model::VectorClock clock_;
    model::Stamp creation_;  // the greatest one of a task
};

}  // namespace belfry::sim
