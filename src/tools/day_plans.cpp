#include "tools/day_plans.hpp"

#include "base/date.hpp"
#include "tools/scope.hpp"
#include "tools/task_fields.hpp"

namespace belfry::tools {
namespace {

constexpr base::Duration block_max = base::hours(24);
// Of the zones: where a day comes first, and where it comes last.
constexpr base::Duration earliest_zone = base::hours(14);
constexpr base::Duration latest_zone = base::hours(12);

bool begins_on(base::Timestamp start, std::string_view plan_date) {
    const auto date = base::parse_date(plan_date);
    if (!date) return false;
    const base::Timestamp midnight{base::seconds(base::days_from_date(*date) * base::seconds_per_day).us};
    return start >= midnight - earliest_zone && start < midnight + base::hours(24) + latest_zone;
}

base::Result<std::string> category_of(const Bench& bench, const Arguments& arguments, const model::PlanBlock* before) {
    if (before != nullptr && !arguments.has("categoryId")) return before->category_id;
    TRY_ASSIGN(std::string category, category_for_new(bench, arguments));
    TRY(check_category(bench, category, arguments.place_of("categoryId")));
    return category;
}

}  // namespace

base::Result<PlannedDay> find_day_plan(Bench& bench, const Arguments& arguments) {
    PlannedDay day;
    day.plan.plan_date = arguments.text("planDate");
    const std::string id = model::day_plan_id(day.plan.plan_date);
    TRY_ASSIGN(std::vector<model::JournalRecord> found, bench.find_all(std::span(&id, 1)));
    if (!found.empty()) day = {std::get<model::DayPlan>(std::move(found.front().body)), true};
    return day;
}

base::Result<model::DayPlan> put_day_plan(Bench& bench, const PlannedDay& day, WishOf<model::DayPlan> wish) {
    const std::string id = model::day_plan_id(day.plan.plan_date);
    if (!day.is_there) wish.set(&model::DayPlan::plan_date, day.plan.plan_date);
    TRY_ASSIGN(model::JournalRecord put, day.is_there ? bench.change(id, wish) : bench.make(id, wish));
    return std::get<model::DayPlan>(std::move(put.body));
}

base::Result<model::PlanBlock> read_block(Bench& bench, const Arguments& arguments, std::string_view plan_date,
                                          const model::PlanBlock* before) {
    model::PlanBlock block = before == nullptr ? model::PlanBlock{} : *before;
    block.id = arguments.text("id");
    TRY_ASSIGN(block.category_id, category_of(bench, arguments, before));
    TRY_ASSIGN(block.start_at, arguments.required_time("startTime"));
    TRY_ASSIGN(block.end_at, arguments.required_time("endTime"));
    if (!begins_on(block.start_at, plan_date)) return arguments.wrong("startTime", "must lie on the day of the plan");
    if (block.end_at <= block.start_at) return arguments.wrong("endTime", "must lie after startTime");
    if (block.end_at - block.start_at > block_max) {
        return arguments.wrong("endTime", "must not lie more than 24 hours after startTime");
    }
    if (arguments.has("note") || arguments.is_null("note")) block.note = arguments.text("note");
    if (arguments.is_null("taskId")) block.task_id.clear();
    if (arguments.has("taskId")) {
        TRY_ASSIGN(const model::JournalRecord task,
                   bench.find(model::JournalKind::task, arguments.text("taskId"), arguments.place_of("taskId")));
        block.task_id = task.id;
    }
    return block;
}

void append_day_plan(model::JsonWriter& writer, const model::DayPlan& plan) {
    writer.begin_object().field("planDate", plan.plan_date).field("note", plan.note).name("blocks").begin_array();
    for (const model::PlanBlock& block : plan.blocks) {
        writer.begin_object().field("id", block.id).field("categoryId", block.category_id);
        writer.field("startTime", base::format_timestamp(block.start_at));
        writer.field("endTime", base::format_timestamp(block.end_at));
        if (!block.note.empty()) writer.field("note", block.note);
        if (!block.task_id.empty()) writer.field("taskId", block.task_id);
        writer.end_object();
    }
    writer.end_array().name("pinnedTaskIds").begin_array();
    for (const std::string& id : plan.pinned_task_ids) writer.text(id);
    writer.end_array().end_object();
}

std::string day_plan_answer(const model::DayPlan& plan) {
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("dayPlan");
    append_day_plan(writer, plan);
    writer.end_object();
    return says;
}

model::ToolContract day_plan_contract(std::string name, std::string description) {
    model::ToolContract contract;
    contract.name = std::move(name);
    contract.description = std::move(description);
    contract.capabilities = {model::AgentCapability::day_plan_write};
    contract.scope_rules = {model::ToolScopeRule::reads_in_scope, model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"day_plan"};
    contract.changed_tokens = {"DAY_PLAN"};
    return contract;
}

}  // namespace belfry::tools
