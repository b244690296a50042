#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/journal_limits.hpp"
#include "model/journal.hpp"

// The fields of each kind of record, said once. Whoever reads or writes them (JSON, columns of a table, the description
// of the interface, checks) is a visitor; `describe` tells it one field after the other, always in the same order:
//
//   text(name, member, TextRule)                a std::string, empty where there is none
//   date(name, member, FieldRule)               a std::string, 2026-11-16, empty where there is none
//   choice(name, member, names)                 an enum whose values have these names
//   integer(name, member, IntegerRule)          a number; in a std::optional there may be none
//   flag(name, member)
//   time(name, member)                          an instant; in a std::optional there may be none
//   reference(name, member, kind, FieldRule)    the id of a record, empty where there is none
//   references(name, member, kind)              ids, each once
//   blocks(name, member)                        of a day plan
namespace belfry::model {

// Whether it must be there, and whether it stays as it was made.
struct FieldRule {
    bool required = false;
    bool fixed = false;
};
struct TextRule {
    std::size_t bytes_max = base::limits::journal_text_bytes_max;
    bool required = false;
    bool fixed = false;
    bool lines = false;    // it may have several
    bool searched = true;  // a record is found by its words
};
struct IntegerRule {
    std::int64_t min = 0;
    std::int64_t max = std::numeric_limits<std::int32_t>::max();
    bool required = false;
};

inline constexpr std::array<std::string_view, 4> entry_type_names{"text", "audio", "workout", "ai_response"};
inline constexpr std::array<std::string_view, 7> task_status_names{"open",    "groomed", "in_progress", "blocked",
                                                                   "on_hold", "done",    "rejected"};
inline constexpr std::array<std::string_view, 4> task_priority_names{"p0", "p1", "p2", "p3"};
inline constexpr std::array<std::string_view, 3> rating_target_names{"session", "day", "productivity"};

inline constexpr TextRule name_rule{base::limits::journal_name_bytes_max, true};
inline constexpr TextRule color_rule{7, false, false, false, false};
inline constexpr TextRule title_rule{base::limits::journal_title_bytes_max, true};
inline constexpr TextRule text_rule{base::limits::journal_text_bytes_max, false, false, true};
inline constexpr TextRule word_rule{base::limits::journal_name_bytes_max, false, false, false, false};
inline constexpr IntegerRule position_rule{0, std::numeric_limits<std::int32_t>::max()};

template <class Visit>
void describe(Visit& visit, std::type_identity<Category>) {
    visit.text("name", &Category::name, name_rule);
    visit.text("color", &Category::color, color_rule);
}

template <class Visit>
void describe(Visit& visit, std::type_identity<Label>) {
    visit.text("name", &Label::name, name_rule);
    visit.text("color", &Label::color, color_rule);
}

template <class Visit>
void describe(Visit& visit, std::type_identity<Entry>) {
    visit.choice("type", &Entry::type, entry_type_names, FieldRule{false, true});
    visit.text("text", &Entry::text, text_rule);
    visit.time("started_at", &Entry::started_at);
    visit.time("ended_at", &Entry::ended_at);
    visit.text("audio_uri", &Entry::audio_uri, TextRule{2000, false, false, false, false});
    visit.integer("duration_s", &Entry::duration_s, IntegerRule{});
    visit.text("workout_type", &Entry::workout_type, word_rule);
    visit.integer("energy_kcal", &Entry::energy_kcal, IntegerRule{});
    visit.integer("distance_m", &Entry::distance_m, IntegerRule{});
    visit.text("model_id", &Entry::model_id, word_rule);
    visit.text("prompt", &Entry::prompt, text_rule);
}

template <class Visit>
void describe(Visit& visit, std::type_identity<Task>) {
    visit.text("title", &Task::title, title_rule);
    visit.text("text", &Task::text, text_rule);
    visit.choice("status", &Task::status, task_status_names, FieldRule{});
    visit.choice("priority", &Task::priority, task_priority_names, FieldRule{});
    visit.date("due_date", &Task::due_date, FieldRule{});
    visit.integer("estimate_min", &Task::estimate_min, IntegerRule{0, 1'000'000});
    visit.text("language", &Task::language, TextRule{35, false, false, false, false});
    visit.references("label_ids", &Task::label_ids, JournalKind::label);
}

template <class Visit>
void describe(Visit& visit, std::type_identity<Checklist>) {
    visit.reference("task_id", &Checklist::task_id, JournalKind::task, FieldRule{true, false});
    visit.text("title", &Checklist::title, title_rule);
    visit.integer("position", &Checklist::position, position_rule);
}

template <class Visit>
void describe(Visit& visit, std::type_identity<ChecklistItem>) {
    visit.reference("checklist_id", &ChecklistItem::checklist_id, JournalKind::checklist, FieldRule{true, false});
    visit.text("title", &ChecklistItem::title, title_rule);
    visit.flag("checked", &ChecklistItem::checked);
    visit.integer("position", &ChecklistItem::position, position_rule);
}

template <class Visit>
void describe(Visit& visit, std::type_identity<TimeEntry>) {
    visit.reference("task_id", &TimeEntry::task_id, JournalKind::task, FieldRule{});
    visit.text("note", &TimeEntry::note, text_rule);
    visit.time("started_at", &TimeEntry::started_at);
    visit.time("ended_at", &TimeEntry::ended_at);
    visit.reference("source_entry_id", &TimeEntry::source_entry_id, JournalKind::entry, FieldRule{});
}

template <class Visit>
void describe(Visit& visit, std::type_identity<DayPlan>) {
    visit.date("plan_date", &DayPlan::plan_date, FieldRule{true, true});
    visit.text("note", &DayPlan::note, text_rule);
    visit.blocks("blocks", &DayPlan::blocks);
    visit.references("pinned_task_ids", &DayPlan::pinned_task_ids, JournalKind::task);
}

template <class Visit>
void describe(Visit& visit, std::type_identity<Rating>) {
    visit.choice("target", &Rating::target, rating_target_names, FieldRule{false, true});
    visit.text("target_id", &Rating::target_id, TextRule{base::limits::journal_id_bytes_max, true, true, false, false});
    visit.integer("score", &Rating::score, IntegerRule{1, base::limits::rating_score_max, true});
    visit.text("note", &Rating::note, text_rule);
}

// Calls `act` with the type_identity of a kind's type.
template <class Act>
decltype(auto) with_kind(JournalKind kind, Act&& act) {
    using enum JournalKind;
    switch (kind) {
        case category: return act(std::type_identity<Category>{});
        case label: return act(std::type_identity<Label>{});
        case entry: return act(std::type_identity<Entry>{});
        case task: return act(std::type_identity<Task>{});
        case checklist: return act(std::type_identity<Checklist>{});
        case checklist_item: return act(std::type_identity<ChecklistItem>{});
        case time_entry: return act(std::type_identity<TimeEntry>{});
        case day_plan: return act(std::type_identity<DayPlan>{});
        case rating: break;
    }
    return act(std::type_identity<Rating>{});
}

}  // namespace belfry::model
