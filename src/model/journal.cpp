#include "model/journal.hpp"

#include "model/journal_fields.hpp"
#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, journal_kind_count> names{
    "category", "label", "entry", "task", "checklist", "checklist_item", "time_entry", "day_plan", "rating"};
constexpr std::array<std::string_view, journal_kind_count> plurals{"categories",   "labels",     "entries",
                                                                   "tasks",        "checklists", "checklist_items",
                                                                   "time_entries", "day_plans",  "ratings"};

}  // namespace

std::string_view journal_kind_name(JournalKind kind) {
    return names[static_cast<std::size_t>(kind)];
}

std::string_view journal_kind_plural(JournalKind kind) {
    return plurals[static_cast<std::size_t>(kind)];
}

std::optional<JournalKind> parse_journal_kind(std::string_view name) {
    return parse_choice<JournalKind>(names, name);
}

JournalBody empty_body(JournalKind kind) {
    return with_kind(kind, [](auto type) -> JournalBody { return typename decltype(type)::type{}; });
}

std::string day_plan_id(std::string_view plan_date) {
    return "day_plan:" + std::string(plan_date);
}

std::string rating_id(RatingTarget target, std::string_view target_id) {
    std::string id = "rating:";
    id.append(rating_target_names[static_cast<std::size_t>(target)]);
    return id.append(":").append(target_id);
}

}  // namespace belfry::model
