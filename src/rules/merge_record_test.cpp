#include "rules/merge_record.hpp"

#include <algorithm>
#include <array>

#include "base/sync_limits.hpp"
#include "base/wake_limits.hpp"
#include "model/journal.hpp"
#include "rules/merge_records_test.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::agent_state_kind;
using model::SyncRecord;

// Both orders, which must give the same.
SyncRecord both_ways(const SyncRecord& a, const SyncRecord& b) {
    const SyncRecord one = merged(a, b);
    EXPECT_EQ(one, merged(b, a));
    EXPECT_EQ(record_digest(one), record_digest(merged(b, a)));
    return one;
}

SyncRecord state(std::string_view lifecycle, const std::string& host, std::uint64_t counter,
                 SyncRecord before = nothing_of(agent_state_kind)) {
    return written(std::move(before), R"({"lifecycle":")" + std::string(lifecycle) + "\"}", host, counter);
}

// Acceptance 23, sentence by sentence.
TEST(Acceptance23, concurrent_clocks_have_the_same_winner_on_both_sides) {
    const SyncRecord a =
        record_of("task", R"({"h0":2,"h1":1})", R"({"s":{"title":[3,"h0",2]}})", R"({"title":"mine"})");
    const SyncRecord b =
        record_of("task", R"({"h0":1,"h1":2})", R"({"s":{"title":[3,"h1",2]}})", R"({"title":"yours"})");
    const SyncRecord one = both_ways(a, b);
    EXPECT_EQ(member(one, "title"), R"("yours")");
    EXPECT_EQ(one.knowledge.clock, clock_of(R"({"h0":2,"h1":2})"));
}

TEST(Acceptance23, destroyed_beats_active_where_they_are_concurrent) {
    const SyncRecord begun = state("active", "h0", 1);
    const SyncRecord a = state("destroyed", "h0", 2, begun);
    const SyncRecord b = state("dormant", "h1", 1, begun);
    const SyncRecord c = state("active", "h2", 1, state("dormant", "h2", 0, begun));
    EXPECT_EQ(member(both_ways(a, b), "lifecycle"), R"("destroyed")");
    EXPECT_EQ(member(both_ways(b, c), "lifecycle"), R"("dormant")");
    EXPECT_EQ(member(both_ways(a, c), "lifecycle"), R"("destroyed")");
    EXPECT_EQ(member(both_ways(merged(b, c), a), "lifecycle"), R"("destroyed")");
}

TEST(Acceptance23, a_causally_later_active_replaces_dormant) {
    const SyncRecord dormant = state("dormant", "h0", 1);
    const SyncRecord active = state("active", "h1", 1, dormant);
    EXPECT_EQ(member(both_ways(dormant, active), "lifecycle"), R"("active")");
    EXPECT_EQ(merged(dormant, active), active);
    // And it replaces both of two that its writer knew, wherever those come from later.
    const SyncRecord other = state("destroyed", "h2", 1);
    const SyncRecord later = state("active", "h1", 1, merged(dormant, other));
    EXPECT_EQ(both_ways(later, other), later);
    EXPECT_EQ(both_ways(later, dormant), later);
    EXPECT_TRUE(later.knowledge.concurrent.empty());
}

TEST(Acceptance23, counters_merge_by_maximum) {
    const SyncRecord a = written(nothing_of(agent_state_kind), R"({"processed":{"h0":7,"h1":2}})", "h0", 1);
    const SyncRecord b = written(nothing_of(agent_state_kind), R"({"processed":{"h1":5,"h2":1}})", "h1", 1);
    EXPECT_EQ(member(both_ways(a, b), "processed"), R"({"h0":7,"h1":5,"h2":1})");
}

TEST(Acceptance23, merging_twice_changes_nothing) {
    const SyncRecord a = state("active", "h0", 1);
    const SyncRecord b = state("dormant", "h1", 1);
    const SyncRecord once = merged(a, b);
    const Merged twice = merge_records(once, b);
    EXPECT_EQ(twice.record, once);
    EXPECT_FALSE(twice.differs_from_ours);
    EXPECT_TRUE(twice.differs_from_theirs);
    EXPECT_TRUE(twice.notes.empty());
    EXPECT_EQ(merged(once, once), once);
}

TEST(MergeRecord, fields_are_joined_one_by_one) {
    const SyncRecord begun = written(nothing_of("task"), R"({"text":"t","title":"a"})", "h0", 1);
    const SyncRecord a = written(begun, R"({"text":"t","title":"b"})", "h0", 2);
    const SyncRecord b = written(begun, R"({"text":"u","title":"a"})", "h1", 1);
    EXPECT_EQ(both_ways(a, b).body.bytes(), R"({"text":"u","title":"b"})");
}

TEST(MergeRecord, a_record_that_is_not_there_takes_the_other_as_it_is) {
    const SyncRecord a = written(nothing_of("task"), R"({"title":"b"})", "h0", 2);
    const Merged taken = merge_records(nothing_of("task"), a);
    EXPECT_EQ(taken.record, a);
    EXPECT_TRUE(taken.differs_from_ours);
    EXPECT_FALSE(taken.differs_from_theirs);
    EXPECT_EQ(both_ways(nothing_of("task"), a), a);
}

TEST(MergeRecord, a_later_write_beats_an_earlier_one_whatever_its_counter) {
    const SyncRecord a = written(nothing_of("task"), R"({"title":"a"})", "h9", 900);
    const SyncRecord b = written(a, R"({"title":"b"})", "h0", 1);
    EXPECT_EQ(both_ways(a, b), b);
}

TEST(MergeRecord, a_tombstone_is_never_undone) {
    const SyncRecord begun = written(nothing_of("task"), R"({"deleted_at":null,"title":"a"})", "h0", 1);
    const SyncRecord gone = written(begun, R"({"deleted_at":50,"title":"a"})", "h0", 2);
    const SyncRecord renamed = written(begun, R"({"deleted_at":null,"title":"b"})", "h1", 1);
    EXPECT_EQ(both_ways(gone, renamed).body.bytes(), R"({"deleted_at":50,"title":"b"})");
    // Not by a write that knows of it, either; nor is it moved to a later time.
    EXPECT_EQ(written(gone, R"({"deleted_at":null,"title":"c"})", "h1", 1).body.bytes(),
              R"({"deleted_at":50,"title":"c"})");
    EXPECT_EQ(member(written(gone, R"({"deleted_at":99,"title":"a"})", "h1", 1), "deleted_at"), "50");
    EXPECT_EQ(member(both_ways(gone, written(begun, R"({"deleted_at":40,"title":"a"})", "h1", 1)), "deleted_at"), "40");
}

TEST(MergeRecord, a_link_can_be_made_again_and_is_deleted_where_that_was_concurrent) {
    const SyncRecord made = written(nothing_of(model::link_kind), R"({"deleted_at":null})", "h0", 1);
    const SyncRecord gone = written(made, R"({"deleted_at":50})", "h0", 2);
    const SyncRecord again = written(gone, R"({"deleted_at":null})", "h1", 1);
    EXPECT_EQ(member(both_ways(gone, again), "deleted_at"), "null");
    EXPECT_EQ(member(both_ways(gone, written(made, R"({"deleted_at":null,"hidden":true})", "h1", 1)), "deleted_at"),
              "50");
    const SyncRecord gone_elsewhere = written(gone, R"({"deleted_at":20})", "h2", 1);
    EXPECT_EQ(member(both_ways(again, gone_elsewhere), "deleted_at"), "20");
}

TEST(MergeRecord, of_wakes_the_next_and_of_sleeps_the_longest_are_kept) {
    const SyncRecord begun = written(nothing_of(agent_state_kind), R"({"next_wake_at":10,"sleep_until":10})", "h0", 1);
    const SyncRecord a = written(begun, R"({"next_wake_at":30,"sleep_until":30})", "h0", 2);
    const SyncRecord b = written(begun, R"({"next_wake_at":200,"sleep_until":200})", "h1", 1);
    // 10 is replaced on both sides, so it is not the smallest.
    EXPECT_EQ(both_ways(a, b).body.bytes(), R"({"next_wake_at":30,"sleep_until":200})");
    const SyncRecord none = written(begun, R"({"next_wake_at":null,"sleep_until":null})", "h2", 1);
    EXPECT_EQ(both_ways(none, b).body.bytes(), R"({"next_wake_at":200,"sleep_until":200})");
    EXPECT_EQ(both_ways(none, begun), none);
}

TEST(MergeRecord, a_clock_that_is_behind_takes_nothing_back_where_three_meet) {
    const SyncRecord a = written(nothing_of(agent_state_kind), R"({"last_wake_at":100})", "a", 1);
    const SyncRecord later = written(a, R"({"last_wake_at":90})", "a", 2);
    const SyncRecord other = written(nothing_of(agent_state_kind), R"({"last_wake_at":95})", "b", 1);
    EXPECT_EQ(merged(merged(a, other), later), merged(a, merged(other, later)));
    EXPECT_EQ(member(merged(later, a), "last_wake_at"), "90");
}

TEST(MergeRecord, what_is_given_once_stays) {
    const SyncRecord a = written(nothing_of(model::run_claim_kind), R"({"agent_id":"a","state":"claimed"})", "h0", 1);
    const SyncRecord taken_over = written(a, R"({"agent_id":"b","state":"done"})", "h1", 1);
    EXPECT_EQ(taken_over.body.bytes(), R"({"agent_id":"a","state":"done"})");
    EXPECT_EQ(both_ways(a, taken_over), taken_over);
    const SyncRecord at_once =
        written(nothing_of(model::run_claim_kind), R"({"agent_id":"b","state":"claimed"})", "h1", 1);
    EXPECT_EQ(both_ways(a, at_once).body.bytes(), R"({"agent_id":"a","state":"claimed"})");
    EXPECT_EQ(member(both_ways(at_once, taken_over), "state"), R"("done")");
    const SyncRecord unsaid = written(nothing_of("task"), R"({"created_at":null})", "h0", 1);
    EXPECT_EQ(member(both_ways(unsaid, written(unsaid, R"({"created_at":5})", "h1", 1)), "created_at"), "5");
}

TEST(MergeRecord, read_state_never_goes_back) {
    const SyncRecord seen = written(nothing_of(model::read_mark_kind), R"({"acted_at":null,"seen_at":50})", "h0", 1);
    const SyncRecord acted = written(nothing_of(model::read_mark_kind), R"({"acted_at":70,"seen_at":60})", "h1", 1);
    EXPECT_EQ(both_ways(seen, acted).body.bytes(), R"({"acted_at":70,"seen_at":50})");
    EXPECT_EQ(written(seen, R"({"acted_at":null,"seen_at":null})", "h0", 2).body, seen.body);
}

TEST(MergeRecord, a_preference_that_was_taken_away_stays_away) {
    const SyncRecord begun = written(nothing_of(agent_state_kind), R"({"slot.preference.tea":"green"})", "h0", 1);
    const SyncRecord away = written(begun, R"({"slot.preference.tea":null})", "h0", 2);
    EXPECT_EQ(both_ways(begun, away), away);
    const SyncRecord other = written(begun, R"({"slot.preference.milk":1,"slot.preference.tea":"green"})", "h1", 1);
    EXPECT_EQ(both_ways(other, away).body.bytes(), R"({"slot.preference.milk":1,"slot.preference.tea":null})");
}

TEST(MergeRecord, names_with_escapes_are_the_names_that_they_are) {
    const SyncRecord a = written(nothing_of(agent_state_kind), R"({"slot.preference.\u0061\"":1})", "h0", 1);
    const SyncRecord b = written(a, R"({"slot.preference.a\"":2})", "h1", 1);
    EXPECT_EQ(both_ways(a, b).body.bytes(), R"({"slot.preference.a\"":2})");
}

TEST(MergeRecord, of_what_is_said_once_the_smaller_text_is_kept_and_what_was_forgotten_stays_so) {
    const auto said = [](std::string_view body) { return record_of(model::agent_message_kind, "{}", "{}", body); };
    const SyncRecord a = said(R"({"content":"a"})");
    const SyncRecord b = said(R"({"content":"b","kind":"user"})");
    const SyncRecord forgotten = said(R"({"forgotten":true})");
    EXPECT_EQ(both_ways(a, b).body, a.body);
    EXPECT_EQ(both_ways(a, forgotten).body, forgotten.body);
    EXPECT_EQ(written(forgotten, a.body.bytes(), "h0", 1).body, forgotten.body);
    EXPECT_EQ(written(a, b.body.bytes(), "h0", 1).body, a.body);
    EXPECT_EQ(written(a, forgotten.body.bytes(), "h0", 1).body, forgotten.body);
    EXPECT_TRUE(merge_records(a, forgotten).notes.empty());
    EXPECT_FALSE(merge_records(forgotten, a).differs_from_ours);
    EXPECT_TRUE(is_said_once(model::agent_message_kind));
    EXPECT_FALSE(is_said_once("task"));
}

TEST(MergeRecord, of_stores_without_stamps_the_one_that_has_seen_more_wins_whole) {
    const SyncRecord old = record_of(agent_state_kind, R"({"h0":5})", "{}", R"({"lifecycle":"dormant","x":"z"})");
    const SyncRecord newer = record_of(agent_state_kind, R"({"h0":9})", "{}", R"({"lifecycle":"active","x":"a"})");
    EXPECT_EQ(both_ways(old, newer).body, newer.body);
    // Whoever writes then is later than all of them, and what he did not write is as old as it was.
    const SyncRecord after = written(old, R"({"lifecycle":"dormant","x":"b"})", "h1", 1);
    EXPECT_EQ(both_ways(after, newer).body.bytes(), R"({"lifecycle":"active","x":"b"})");
    EXPECT_EQ(record_digest(old), record_digest(merged(old, old)));
    SyncRecord spelled = old;
    spell_stamps(spelled);
    EXPECT_EQ(knowledge_json(spelled), R"({"s":{"lifecycle":[0,"",5],"x":[0,"",5]}})");
    EXPECT_EQ(merged(spelled, old), spelled);
    EXPECT_TRUE(check_sync_record(spelled).ok());
    EXPECT_TRUE(check_sync_record(after).ok());
}

TEST(MergeRecord, says_why_where_neither_knew_of_the_other_and_only_there) {
    const SyncRecord begun = written(nothing_of("task"), R"({"priority":"p1","title":"a"})", "h0", 1);
    const SyncRecord a = written(begun, R"({"priority":"p1","title":"mine"})", "h0", 2);
    const SyncRecord b = written(begun, R"({"priority":"p2","title":"yours"})", "h1", 1);
    const Merged both = merge_records(a, b);
    ASSERT_EQ(both.notes.size(), 1U);
    const model::MergeNote& note = both.notes.front();
    EXPECT_EQ(note.kind, "task");
    EXPECT_EQ(note.id, "r");
    EXPECT_EQ(note.user_id, "ada");
    EXPECT_EQ(note.field, "title");
    EXPECT_EQ(note.rule, "latest");
    EXPECT_EQ(note.kept_value, R"("yours")");
    EXPECT_EQ(note.lost_value, R"("mine")");
    EXPECT_EQ(note.kept.host, "h1");
    EXPECT_EQ(note.lost, (model::Stamp{2, "h0", 2}));
    EXPECT_EQ(merge_records(b, a).notes, both.notes);
    EXPECT_TRUE(merge_records(begun, b).notes.empty());
    EXPECT_TRUE(merge_records(both.record, a).notes.empty());
}

TEST(MergeRecord, a_note_does_not_carry_a_long_text) {
    const std::string text = '"' + std::string(5'000, 'x') + '"';
    const SyncRecord a = written(nothing_of("task"), R"({"text":)" + text + "}", "h0", 1);
    const SyncRecord b = written(nothing_of("task"), R"({"text":"y"})", "h1", 1);
    const Merged both = merge_records(a, b);
    ASSERT_EQ(both.notes.size(), 1U);
    EXPECT_LE(both.notes.front().kept_value.size() + both.notes.front().lost_value.size(), 220U);
}

TEST(MergeRecord, ours_stays_where_the_clocks_have_too_many_hosts_together) {
    SyncRecord a = nothing_of("task");
    for (std::size_t i = 0; i < limits::clock_hosts_max; ++i) {
        a = written(a, R"({"title":)" + std::to_string(i) + "}", "h" + std::to_string(i), 1);
    }
    const Merged kept = merge_records(a, written(nothing_of("task"), R"({"title":0})", "one more", 1));
    EXPECT_EQ(kept.record, a);
    EXPECT_FALSE(kept.differs_from_ours);
    EXPECT_TRUE(kept.differs_from_theirs);
}

TEST(ChangedFields, are_those_whose_text_is_another) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(changed_fields({R"({"a":1,"b":2,"d":null})"}, {R"({"a":1,"b":3,"c":4})"}), (Names{"b", "c", "d"}));
    EXPECT_TRUE(changed_fields({R"({"b":[1],"a":{"x":2}})"}, {R"({"a":{"x":2},"b":[1]})"}).empty());
    EXPECT_EQ(changed_fields({"{}"}, {R"({"a":null})"}), Names{"a"});
}

TEST(NoteWrite, stamps_what_was_written_above_all_that_was_known) {
    model::RecordKnowledge knowledge;
    note_write(knowledge, agent_state_kind, {"lifecycle", "x"}, "h0", 7);
    knowledge.stamps["x"].version = 41;
    knowledge.concurrent["lifecycle"] = {{{44, "h0", 7}, {}}, {{43, "h1", 1}, {}}};
    note_write(knowledge, agent_state_kind, {"lifecycle"}, "h2", 3);
    EXPECT_EQ(knowledge.stamps["lifecycle"], (model::Stamp{45, "h2", 3}));
    EXPECT_TRUE(knowledge.concurrent.empty());
    EXPECT_EQ(knowledge.clock, clock_of(R"({"h0":7,"h2":3})"));
    model::RecordKnowledge once;
    note_write(once, model::agent_message_kind, {"content"}, "h0", 7);
    EXPECT_TRUE(once.stamps.empty());
    EXPECT_EQ(once.clock, clock_of(R"({"h0":7})"));
}

TEST(RecordDigest, is_another_for_whatever_is_another) {
    const SyncRecord a = state("active", "h0", 1);
    const std::string digest = record_digest(a);
    EXPECT_EQ(digest.size(), 32U);
    std::array<SyncRecord, 6> others{a, a, a, a, a, a};
    others[0].kind = "task";
    others[1].id = "s";
    others[2].user_id = "bob";
    ASSERT_TRUE(others[3].knowledge.clock.raise("h1", 1).ok());
    others[4].knowledge.stamps.begin()->second.version = 2;
    others[5].body = model::RawJson::trusted("{}");
    for (const SyncRecord& other : others) EXPECT_NE(record_digest(other), digest);
    // Of a message the clock is not kept.
    SyncRecord message = record_of(model::agent_message_kind, R"({"h0":4})", "{}", "{}");
    const std::string before = record_digest(message);
    message.knowledge.clock = {};
    EXPECT_EQ(record_digest(message), before);
}

TEST(FieldRule, is_what_the_page_says) {
    EXPECT_EQ(field_rule("task", "title"), FieldRule::latest);
    EXPECT_EQ(field_rule("task", "deleted_at"), FieldRule::least);
    EXPECT_EQ(field_rule("task", "created_at"), FieldRule::first);
    EXPECT_EQ(field_rule(model::link_kind, "deleted_at"), FieldRule::concurrent_greatest);
    EXPECT_EQ(field_rule(agent_state_kind, "lifecycle"), FieldRule::concurrent_lifecycle);
    EXPECT_EQ(field_rule(agent_state_kind, "processed"), FieldRule::counters);
    EXPECT_EQ(field_rule_name(FieldRule::concurrent_least), "concurrent_least");
    EXPECT_EQ(field_rule_name(FieldRule::counters), "counters");
    EXPECT_EQ(field_rule_name(FieldRule::elements), "elements");
    EXPECT_TRUE(is_sync_kind("day_plan"));
    EXPECT_TRUE(is_sync_kind(model::erasure_kind));
    EXPECT_FALSE(is_sync_kind("token"));
    EXPECT_FALSE(is_sync_kind(model::gone_kind));
}

}  // namespace
}  // namespace belfry::rules
