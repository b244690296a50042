#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "model/change_log.hpp"
#include "rules/merge_record.hpp"

// Records for the tests of merging.
namespace belfry::rules {

inline model::VectorClock clock_of(std::string_view json) {
    auto clock = model::VectorClock::parse({json});
    EXPECT_TRUE(clock.ok()) << json;
    return clock.ok() ? *clock : model::VectorClock();
}

// `knowledge` as append_knowledge writes it.
inline model::SyncRecord record_of(std::string_view kind, std::string_view clock, std::string_view knowledge,
                                   std::string_view body) {
    model::SyncRecord record{std::string(kind), "r", "ada", {}, model::RawJson::trusted(std::string(body))};
    record.knowledge.clock = clock_of(clock);
    EXPECT_TRUE(model::read_knowledge({knowledge}, record.knowledge)) << knowledge;
    return record;
}

inline model::SyncRecord nothing_of(std::string_view kind) {
    return {std::string(kind), "r", "ada", {}, {}};
}

// What a device that knows `record` makes of it by writing `body`, in its change of this number.
inline model::SyncRecord written(model::SyncRecord record, std::string_view body, const std::string& host,
                                 std::uint64_t counter) {
    write_record(record, {body}, host, counter);
    return record;
}

inline model::SyncRecord merged(const model::SyncRecord& ours, const model::SyncRecord& theirs) {
    return merge_records(ours, theirs).record;
}

inline std::string knowledge_json(const model::SyncRecord& record) {
    std::string json;
    model::JsonWriter writer(json);
    append_knowledge(writer, record.knowledge);
    return json;
}

inline std::string member(const model::SyncRecord& record, std::string_view name) {
    const auto value = record.body.member(name);
    return value ? std::string(value->text) : "none";
}

}  // namespace belfry::rules
