#include "rules/merge_notes.hpp"

#include "base/sync_limits.hpp"
#include "rules/merge_records_test.hpp"

namespace belfry::rules {
namespace {

using model::MergeNote;
using model::SyncRecord;

MergeNote note_of(const std::string& field) {
    MergeNote note;
    note.at = {1'763'276'400'000'000};
    note.kind = "task";
    note.id = "r";
    note.user_id = "ada";
    note.field = field;
    note.rule = "latest";
    note.kept = {3, "desk.1", 7};
    note.lost = {2, "laptop.1", 9};
    note.kept_value = R"("Oat milk")";
    note.lost_value = R"("Soy \"milk\"")";
    return note;
}

SyncRecord told() {
    const SyncRecord record = record_of("task", R"({"desk.1":7,"laptop.1":9})", "{}", R"({"title":"Oat milk"})");
    return notes_record(record, {note_of("title"), note_of("label_ids/l1")});
}

TEST(MergeNotes, come_back_as_they_were_with_the_clock_of_their_record) {
    const SyncRecord record = told();
    EXPECT_EQ(record.kind, merge_notes_kind);
    EXPECT_EQ(record.user_id, "ada");
    EXPECT_EQ(record.knowledge.clock, clock_of(R"({"desk.1":7,"laptop.1":9})"));
    const auto read = read_notes_record(record);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, (std::vector{note_of("title"), note_of("label_ids/l1")}));
}

TEST(MergeNotes, of_another_record_user_or_shape_are_refused) {
    const auto refused = [](SyncRecord record, std::string_view from, std::string_view to) {
        std::string body = record.body.bytes();
        const std::size_t at = body.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        body.replace(at, from.size(), to);
        record.body = model::RawJson::trusted(body);
        const auto read = read_notes_record(record);
        return read.ok() ? "" : read.error().field;
    };
    EXPECT_EQ(refused(told(), R"("id":"r")", R"("id":"s")"), "id");
    EXPECT_EQ(refused(told(), R"("kind":"task")", R"("kind":"entry")"), "id");
    EXPECT_EQ(refused(told(), R"("kind":"task")", R"("kind":"token")"), "kind");
    EXPECT_EQ(refused(told(), R"("kept":[3,"desk.1",7])", R"("kept":[3,"desk.1"])"), "notes.kept");
    EXPECT_EQ(refused(told(), R"("kept":[3,"desk.1",7])", R"("kept":[-3,"desk.1",7])"), "notes.kept");
    EXPECT_EQ(refused(told(), R"("lost":[2,"laptop.1",9])", R"("lost":7)"), "notes.kept");
    EXPECT_EQ(refused(told(), R"("field":"title")", R"("field":"")"), "notes.field");
    EXPECT_EQ(refused(told(), R"("field":"title")", R"("field":")" + std::string(500, 'f') + '"'), "notes.field");
    EXPECT_EQ(refused(told(), R"("\"Oat milk\"")", '"' + std::string(300, 'v') + '"'), "notes.field");
    EXPECT_EQ(refused(told(), R"("at":1763276400000000)", R"("at":"soon")"), "notes.at");
    SyncRecord other = told();
    other.user_id = "bob";
    EXPECT_FALSE(read_notes_record(other).ok());
    other = told();
    other.body = model::RawJson::trusted(R"({"id":"r","kind":"task","notes":{}})");
    EXPECT_EQ(read_notes_record(other).error().field, "notes");
    other.body = model::RawJson::trusted('"' + std::string(base::limits::sync_record_bytes_max, 'x') + '"');
    EXPECT_EQ(read_notes_record(other).error().code, base::Code::too_large);
    EXPECT_EQ(read_notes_record(other).error().field, "body");
}

TEST(MergeNotes, tell_of_one_loss_once) {
    const MergeNote note = note_of("title");
    MergeNote same = note;
    same.kept = {4, "box.1", 1};
    EXPECT_TRUE(is_same_loss(note, same));
    same.lost.counter = 10;
    EXPECT_FALSE(is_same_loss(note, same));
    EXPECT_FALSE(is_same_loss(note, note_of("text")));
}

}  // namespace
}  // namespace belfry::rules
