#include "model/sync.hpp"

#include <gtest/gtest.h>

#include "base/sync_limits.hpp"

namespace belfry::model {
namespace {

namespace limits = base::limits;

std::string written(const RecordKnowledge& knowledge) {
    std::string json;
    JsonWriter writer(json);
    append_knowledge(writer, knowledge);
    return json;
}

bool is_read(std::string_view json) {
    RecordKnowledge knowledge;
    return read_knowledge({json}, knowledge);
}

TEST(Knowledge, reads_back_what_it_writes) {
    RecordKnowledge knowledge;
    EXPECT_EQ(written(knowledge), "{}");
    knowledge.stamps["a\"b"] = {3, "laptop.1", 17};
    knowledge.stamps[""] = {0, "", 9};
    knowledge.concurrent["lifecycle"] = {{{3, "desk", 4}, RawJson::trusted(R"("active")")},
                                         {{3, "laptop.1", 17}, RawJson::trusted("{\"a\":[1]}")}};
    const std::string json = written(knowledge);
    EXPECT_EQ(json, R"({"s":{"":[0,"",9],"a\"b":[3,"laptop.1",17]},)"
                    R"("c":{"lifecycle":[[3,"desk",4,"active"],[3,"laptop.1",17,{"a":[1]}]]}})");
    RecordKnowledge again;
    ASSERT_TRUE(read_knowledge({json}, again));
    EXPECT_EQ(again, knowledge);
    ASSERT_TRUE(read_knowledge({"{}"}, again));
    EXPECT_EQ(again, RecordKnowledge());
}

TEST(Knowledge, keeps_the_clock_that_is_there) {
    RecordKnowledge knowledge;
    ASSERT_TRUE(knowledge.clock.raise("desk", 4).ok());
    ASSERT_TRUE(read_knowledge({R"({"s":{"a":[1,"desk",4]}})"}, knowledge));
    EXPECT_EQ(knowledge.clock.counter_of("desk"), 4U);
}

TEST(Knowledge, refuses_what_is_none) {
    for (const char* json :
         {"[]", R"({"s":[]})", R"({"s":{"a":1}})", R"({"s":{"a":[1,"h"]}})", R"({"s":{"a":[1,"h",2,3]}})",
          R"({"s":{"a":[-1,"h",2]}})", R"({"s":{"a":[1,2,3]}})", R"({"s":{"a":[1,"",3]}})", R"({"s":{"a":[0,"h",3]}})",
          R"({"s":{"a":[1,"h",0]}})", R"({"s":{"a":[1.5,"h",1]}})", R"({"c":[]})", R"({"c":{"a":[]}})",
          R"({"c":{"a":[[1,"h",2,3],[1,"i",2]]}})", R"({"c":{"a":[[1,"h",2,3],[1,"i",2,3,4]]}})"}) {
        EXPECT_FALSE(is_read(json)) << json;
    }
}

TEST(Knowledge, may_have_one_value_of_an_element_of_a_list) {
    EXPECT_TRUE(is_read(R"({"c":{"a":[[1,"h",2,3]]}})"));
}

TEST(Knowledge, is_bounded) {
    std::string values = R"({"c":{"a":[)";
    for (std::size_t i = 0; i <= limits::sync_concurrent_max; ++i) {
        values += (i == 0 ? R"([1,"h)" : R"(,[1,"h)") + std::to_string(i) + R"(",1,1])";
    }
    EXPECT_FALSE(is_read(values + "]}}"));
    std::string stamps = R"({"s":{)";
    for (std::size_t i = 0; i <= limits::sync_fields_max; ++i) {
        stamps += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":[1,"h",1])";
    }
    EXPECT_FALSE(is_read(stamps + "}}"));
}

TEST(Knowledge, the_next_version_is_above_all) {
    RecordKnowledge knowledge;
    EXPECT_EQ(knowledge.next_version(), 1U);
    knowledge.stamps["a"] = {7, "h", 1};
    EXPECT_EQ(knowledge.next_version(), 8U);
    knowledge.concurrent["b"] = {{{9, "h", 1}, {}}, {{3, "i", 1}, {}}};
    EXPECT_EQ(knowledge.next_version(), 10U);
}

TEST(MergeNote, is_told_with_both_sides) {
    MergeNote note;
    note.number = 4;
    note.at = base::Timestamp{} + base::hours(1);
    note.kind = "task";
    note.id = "t";
    note.user_id = "ada";
    note.field = "title";
    note.rule = "latest";
    note.kept = {2, "desk", 9};
    note.kept_value = R"("a")";
    note.lost = {1, "laptop", 3};
    note.lost_value = "null";
    std::string json;
    JsonWriter writer(json);
    append_merge_note(writer, note);
    EXPECT_EQ(json, R"({"number":4,"at":"1970-01-01T01:00:00Z","kind":"task","id":"t","user_id":"ada","field":"title",)"
                    R"("rule":"latest","kept":{"host":"desk","counter":9,"version":2,"value":"\"a\""},)"
                    R"("lost":{"host":"laptop","counter":3,"version":1,"value":"null"}})");
}

}  // namespace
}  // namespace belfry::model
