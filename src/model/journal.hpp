#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "model/raw_json.hpp"

// The journal: what people and agents work on. Each kind is a type of its own; what all have in common is the record
// around it. model/journal_fields.hpp says once what the fields of each kind are.
namespace belfry::model {

struct Category {
    std::string name;
    std::string color;  // #3366cc; empty: none

    bool operator==(const Category&) const = default;
};

struct Label {
    std::string name;
    std::string color;

    bool operator==(const Label&) const = default;
};

enum class EntryType : std::uint8_t { text, audio, workout, ai_response };

// Something that was said, heard, done or answered. The type is given once; members of other types stay empty.
struct Entry {
    EntryType type = EntryType::text;
    std::string text;
    std::optional<base::Timestamp> started_at;
    std::optional<base::Timestamp> ended_at;
    std::string audio_uri;  // of audio: where it lies
    std::optional<std::int64_t> duration_s;
    std::string workout_type;  // of a workout: running
    std::optional<std::int64_t> energy_kcal;
    std::optional<std::int64_t> distance_m;
    std::string model_id;  // of an answer: who gave it, and to what
    std::string prompt;

    bool operator==(const Entry&) const = default;
};

enum class TaskStatus : std::uint8_t { open, groomed, in_progress, blocked, on_hold, done, rejected };
enum class TaskPriority : std::uint8_t { p0, p1, p2, p3 };

struct Task {
    std::string title;
    std::string text;
    TaskStatus status = TaskStatus::open;
    TaskPriority priority = TaskPriority::p2;
    std::string due_date;  // 2026-11-16; empty: none
    std::optional<std::int64_t> estimate_min;
    std::string language;  // a tag such as de or pt-BR; empty: not known
    std::vector<std::string> label_ids;

    bool operator==(const Task&) const = default;
};

[[nodiscard]] inline bool is_closed(const Task& task) {
    return task.status == TaskStatus::done || task.status == TaskStatus::rejected;
}

struct Checklist {
    std::string task_id;
    std::string title;
    std::int64_t position = 0;  // among those of its task; the same: by age

    bool operator==(const Checklist&) const = default;
};

struct ChecklistItem {
    std::string checklist_id;
    std::string title;
    bool checked = false;
    std::int64_t position = 0;

    bool operator==(const ChecklistItem&) const = default;
};

// Time that was spent. One without an end is a running timer, of which a person has one at the most.
struct TimeEntry {
    std::string task_id;  // empty: on nothing in particular
    std::string note;
    base::Timestamp started_at;
    std::optional<base::Timestamp> ended_at;
    std::string source_entry_id;  // what it was taken from: a recording; empty: nothing

    bool operator==(const TimeEntry&) const = default;
};

// A stretch of a planned day. It belongs to a category of its own.
struct PlanBlock {
    std::string id;
    std::string category_id;
    base::Timestamp start_at;
    base::Timestamp end_at;
    std::string note;
    std::string task_id;

    bool operator==(const PlanBlock&) const = default;
};

// A person has one plan for each day: its id is made from the date.
struct DayPlan {
    std::string plan_date;
    std::string note;
    std::vector<PlanBlock> blocks;  // by their start
    std::vector<std::string> pinned_task_ids;

    bool operator==(const DayPlan&) const = default;
};

enum class RatingTarget : std::uint8_t { session, day, productivity };

// How good something was. There is one rating for each target: its id is made from that.
struct Rating {
    RatingTarget target = RatingTarget::day;
    std::string target_id;   // a session of work (a time entry), or a date
    std::int64_t score = 0;  // 1 to limits::rating_score_max
    std::string note;

    bool operator==(const Rating&) const = default;
};

using JournalBody = std::variant<Category, Label, Entry, Task, Checklist, ChecklistItem, TimeEntry, DayPlan, Rating>;

// In the order of JournalBody.
enum class JournalKind : std::uint8_t {
    category,
    label,
    entry,
    task,
    checklist,
    checklist_item,
    time_entry,
    day_plan,
    rating,
};
inline constexpr std::size_t journal_kind_count = std::variant_size_v<JournalBody>;

// `task`: of changes and in JSON.
[[nodiscard]] std::string_view journal_kind_name(JournalKind kind);
// `tasks`: in addresses.
[[nodiscard]] std::string_view journal_kind_plural(JournalKind kind);
[[nodiscard]] std::optional<JournalKind> parse_journal_kind(std::string_view name);
// A body of this kind with nothing in it.
[[nodiscard]] JournalBody empty_body(JournalKind kind);

// What all kinds have in common. An id is unique among the records of one person, whatever their kind.
struct JournalRecord {
    std::string id;
    std::string user_id;
    std::string category_id;    // of a category its own id
    std::int64_t number = 0;    // in this store, in the order in which records were made
    std::int64_t revision = 0;  // +1 with each change
    base::Timestamp created_at;
    base::Timestamp updated_at;
    std::optional<base::Timestamp> deleted_at;  // of a tombstone: the rest is as it was
    RawJson extension;                          // members have a namespace: acme.colour
    JournalBody body;

    [[nodiscard]] JournalKind kind() const { return static_cast<JournalKind>(body.index()); }

    bool operator==(const JournalRecord&) const = default;
};

// What is to be in a record: some of the fields of its kind, by their places in journal_fields.hpp.
struct JournalWish {
    std::optional<std::string> category_id;
    std::optional<RawJson> extension;
    JournalBody values;
    std::uint32_t given = 0;  // bit n: the nth field is named, with what stands in `values`

    bool operator==(const JournalWish&) const = default;
};

// The category of what nobody has given one. It is made when it is first needed.
inline constexpr std::string_view default_category = "general";

// The ids of records of which there can be only one.
[[nodiscard]] std::string day_plan_id(std::string_view plan_date);
[[nodiscard]] std::string rating_id(RatingTarget target, std::string_view target_id);

// An edge between two records of one person.
struct Link {
    std::string user_id;
    std::string relation;  // follow_up, blocked_by, ai_response: a small letter, then small letters, digits and `_`
    std::string from_id;
    std::string to_id;
    RawJson metadata;
    bool hidden = false;
    std::int64_t revision = 0;
    base::Timestamp created_at;
    base::Timestamp updated_at;
    std::optional<base::Timestamp> deleted_at;

    bool operator==(const Link&) const = default;
};

inline constexpr std::string_view link_kind = "link";  // of its changes; their id is rules::link_key

// Relations that Belfry itself makes, of agents and what they remember. Nobody else may.
inline constexpr std::array<std::string_view, 7> agent_relations{
    "agent_state", "agent_head", "message_prev", "message_payload", "summary_start", "summary_end", "tool_effect",
};

}  // namespace belfry::model
