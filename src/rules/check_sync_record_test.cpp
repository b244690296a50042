#include <algorithm>

#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "rules/merge_records_test.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using model::agent_state_kind;
using model::SyncRecord;

std::string field_at_fault(const SyncRecord& record) {
    const auto checked = check_sync_record(record);
    EXPECT_TRUE(checked.ok() || !checked.error().message.empty());
    return checked.ok() ? "fine" : checked.error().field;
}

std::string fault(std::string_view clock, std::string_view knowledge, std::string_view body) {
    return field_at_fault(record_of(agent_state_kind, clock, knowledge, body));
}

TEST(CheckSyncRecord, takes_what_devices_write) {
    const SyncRecord begun = written(nothing_of(agent_state_kind), R"({"lifecycle":"active","processed":{}})", "a", 1);
    const SyncRecord a = written(begun, R"({"lifecycle":"dormant","processed":{"a":1}})", "a", 2);
    const SyncRecord b = written(begun, R"({"lifecycle":"destroyed","processed":{"b":1}})", "b", 1);
    for (const SyncRecord& record : {begun, a, b, merged(a, b)}) EXPECT_EQ(field_at_fault(record), "fine");
    EXPECT_EQ(field_at_fault(record_of(model::agent_message_kind, "{}", "{}", R"({"content":[1]})")), "fine");
}

TEST(CheckSyncRecord, refuses_names_that_are_none) {
    const SyncRecord good = record_of("task", R"({"a":1})", "{}", "{}");
    SyncRecord bad = good;
    bad.kind = "token";
    EXPECT_EQ(field_at_fault(bad), "kind");
    for (std::string id : {std::string(), std::string(limits::scope_id_bytes_max + 1, 'x'), std::string("a\x01")}) {
        bad = good;
        bad.id = id;
        EXPECT_EQ(field_at_fault(bad), "id");
        bad = good;
        bad.user_id = id;
        EXPECT_EQ(field_at_fault(bad), "user_id");
    }
}

TEST(CheckSyncRecord, refuses_bodies_without_order) {
    EXPECT_EQ(fault("{}", "{}", R"([])"), "body");
    EXPECT_EQ(fault("{}", "{}", R"({"b":1,"a":2})"), "body");
    EXPECT_EQ(fault("{}", "{}", R"({"a":1,"a":2})"), "body");
    EXPECT_EQ(fault("{}", "{}", R"({"":1})"), "body");
    EXPECT_EQ(fault("{}", "{}", R"({"a":1,"b":2})"), "fine");
}

TEST(CheckSyncRecord, refuses_values_that_the_rule_cannot_compare) {
    for (const char* body :
         {R"({"destroyed_at":"5"})", R"({"destroyed_at":1.5})", R"({"destroyed_at":-0})", R"({"destroyed_at":[]})"}) {
        EXPECT_EQ(fault("{}", "{}", body), "destroyed_at");
    }
    EXPECT_EQ(fault("{}", "{}", R"({"lifecycle":5})"), "lifecycle");
    for (const char* body : {R"({"processed":[]})", R"({"processed":{"b":1,"a":1}})", R"({"processed":{"a":-1}})",
                             R"({"processed":{"a":1.0}})", R"({"processed":{"a":99999999999999999999}})"}) {
        EXPECT_EQ(fault("{}", "{}", body), "processed");
    }
    EXPECT_EQ(fault("{}", "{}", R"({"destroyed_at":null,"processed":null})"), "fine");
}

TEST(CheckSyncRecord, refuses_stamps_that_the_clock_does_not_know) {
    EXPECT_EQ(fault(R"({"a":4})", R"({"s":{"x":[1,"a",4]}})", R"({"x":1})"), "fine");
    EXPECT_EQ(fault(R"({"a":3})", R"({"s":{"x":[1,"a",4]}})", R"({"x":1})"), "x");
    EXPECT_EQ(fault(R"({"a":3})", R"({"s":{"x":[1,"b",1]}})", R"({"x":1})"), "x");
    EXPECT_EQ(fault(R"({"a":3})", R"({"s":{"":[1,"b",1]}})", R"({"x":1})"), "knowledge");
    EXPECT_EQ(fault(R"({"a":3})", R"({"s":{"y":[1,"a",1]}})", R"({"x":1})"), "y");
    const std::string said = R"({"s":{"content":[1,"a",1]}})";
    EXPECT_EQ(field_at_fault(record_of(model::agent_message_kind, R"({"a":3})", said, R"({"content":1})")),
              "knowledge");
}

TEST(CheckSyncRecord, refuses_elements_of_a_list_that_is_not_there) {
    const std::string knowledge = R"({"s":{"":[1,"a",1],"label_ids/l1":[1,"a",1]}})";
    EXPECT_EQ(field_at_fault(record_of("task", R"({"a":1})", knowledge, R"({"label_ids":["l1"]})")), "fine");
    EXPECT_EQ(field_at_fault(record_of("task", R"({"a":1})", knowledge, R"({"title":"x"})")), "label_ids");
}

TEST(CheckSyncRecord, refuses_elements_of_a_creation_that_a_greater_one_replaced) {
    const auto message = [](const std::string& label) {
        const std::string knowledge =
            R"({"s":{"created_at":[1,"b",1],"label_ids":[1,"b",1],"label_ids/l1":)" + label + "}}";
        const auto checked = check_sync_record(
            record_of("task", R"({"a":2,"b":1})", knowledge, R"({"created_at":5,"label_ids":["l1"]})"));
        return checked.ok() ? "fine" : checked.error().field + " " + checked.error().message;
    };
    EXPECT_EQ(message(R"([1,"b",1])"), "fine");
    EXPECT_EQ(message(R"([2,"a",2])"), "fine") << "it was added later";
    EXPECT_EQ(message(R"([1,"a",1])"), "label_ids has an element of a creation that was lost");
}

TEST(CheckSyncRecord, refuses_concurrent_values_that_no_merge_makes) {
    const auto of = [](std::string_view values, std::string_view shown, std::string_view stamp) {
        return fault(
            R"({"a":3,"b":3})",
            R"({"s":{"sleep_until":)" + std::string(stamp) + R"(},"c":{"sleep_until":)" + std::string(values) + "}}",
            R"({"sleep_until":)" + std::string(shown) + "}");
    };
    EXPECT_EQ(of(R"([[1,"a",1,5],[1,"b",1,7]])", "7", R"([1,"b",1])"), "fine");
    EXPECT_EQ(of(R"([[1,"a",1,5],[1,"b",1,7]])", "5", R"([1,"a",1])"), "sleep_until");
    EXPECT_EQ(of(R"([[1,"b",1,7],[1,"a",1,5]])", "7", R"([1,"b",1])"), "sleep_until");
    EXPECT_EQ(of(R"([[1,"b",1,5],[2,"b",2,7]])", "7", R"([2,"b",2])"), "sleep_until");
    EXPECT_EQ(of(R"([[1,"a",1,5],[1,"b",4,7]])", "7", R"([1,"b",4])"), "sleep_until");
    EXPECT_EQ(of(R"([[1,"a",1,5],[1,"b",1,"7"]])", R"("7")", R"([1,"b",1])"), "sleep_until");
    EXPECT_EQ(fault(R"({"a":3,"b":3})", R"({"s":{"x":[1,"b",1]},"c":{"x":[[1,"a",1,5],[1,"b",1,7]]}})", R"({"x":7})"),
              "x");
}

TEST(CheckSyncRecord, refuses_erasures_whose_clock_is_none) {
    const auto of = [](const std::string& clock) {
        return field_at_fault(record_of(model::erasure_kind, R"({"a":3})", "{}", R"({"clock":)" + clock + "}"));
    };
    EXPECT_EQ(of(R"({"a":3,"b":4})"), "fine");
    EXPECT_EQ(of(R"({"a\u0007":3})"), "clock");
    std::string many;
    for (int host = 100; host < 165; ++host) many += (many.empty() ? "\"h" : ",\"h") + std::to_string(host) + "\":1";
    EXPECT_EQ(of("{" + many + "}"), "clock");
}

TEST(CheckSyncRecord, bounds_sizes) {
    SyncRecord record = record_of("task", "{}", "{}", "{}");
    record.body = model::RawJson::trusted(R"({"a":")" + std::string(limits::sync_record_bytes_max, 'x') + "\"}");
    ASSERT_FALSE(check_sync_record(record).ok());
    EXPECT_EQ(check_sync_record(record).error().code, Code::too_large);
    std::string body = "{";
    for (std::size_t i = 0; i <= limits::sync_fields_max; ++i) {
        const std::string digits = std::to_string(i + 10'000);
        body += (i == 0 ? "\"" : ",\"") + digits + "\":1";
    }
    record.body = model::RawJson::trusted(body + "}");
    ASSERT_FALSE(check_sync_record(record).ok());
    EXPECT_EQ(check_sync_record(record).error().code, Code::too_large);
}

}  // namespace
}  // namespace belfry::rules
