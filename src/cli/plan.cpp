#include <algorithm>

#include "cli/commands.hpp"
#include "cli/journal_action.hpp"
#include "cli/journal_text.hpp"
#include "cli/plan_text.hpp"

namespace belfry::cli {
namespace {

using model::JournalKind;

constexpr int attempts_max = 5;

base::Result<std::string> read_day(const JournalCall& call, const std::optional<std::string>& before_action) {
    const auto option = call.arguments.value("date");
    if (before_action && option) return wrong("the day stands there twice");
    if (!before_action && !option) return call.clock.today();
    return call.clock.read_date(option ? "--date" : "DATE", option ? *option : *before_action);
}

// Nothing: nobody has planned that day yet.
base::Result<std::optional<client::RecordNow>> find_plan(JournalCall& call, const std::string& date) {
    auto found = call.journal.find(JournalKind::day_plan, model::day_plan_id(date));
    if (!found.ok() && found.error().code == base::Code::not_found && found.error().reason.empty()) {
        return std::optional<client::RecordNow>{};
    }
    if (!found.ok()) return std::move(found).error();
    return std::optional(std::move(found).value());
}

// Another one was faster.
bool is_overtaken(const base::Error& error) {
    return error.reason == "stale_revision" || error.reason == "taken";
}

using Change = std::function<base::Result<void>(model::DayPlan&)>;

// What of it is different now; of the rest its reader may not have seen all.
void add_changes(Draft& draft, const model::DayPlan& before, const model::DayPlan& after) {
    if (after.note != before.note) after.note.empty() ? draft.null("note") : draft.text("note", after.note);
    if (after.blocks != before.blocks) draft.raw("blocks", blocks_json(after.blocks));
    if (after.pinned_task_ids != before.pinned_task_ids) draft.texts("pinned_task_ids", after.pinned_task_ids);
}

// A plan is read, changed and put back, unless somebody else has changed it meanwhile: then once more.
base::Result<client::RecordNow> change_plan(JournalCall& call, const std::string& date, const Change& change) {
    for (int attempt = 1;; ++attempt) {
        TRY_ASSIGN(const auto there, find_plan(call, date));
        const model::DayPlan before = there ? std::get<model::DayPlan>(there->record.body) : model::DayPlan{};
        model::DayPlan plan = before;
        TRY(change(plan));
        if (there && plan == before) return *there;
        Draft draft;
        if (there) draft.number("revision", there->record.revision);
        else draft.text("plan_date", date);
        add_changes(draft, before, plan);
        auto changed = there ? call.journal.change(JournalKind::day_plan, there->record.id, draft.take())
                             : call.journal.create(JournalKind::day_plan, draft.take());
        if (changed.ok() || !is_overtaken(changed.error()) || attempt == attempts_max) return changed;
    }
}

// Titles of tasks, by which people know them.
std::map<std::string, model::JournalRecord> find_tasks(JournalCall& call, const model::DayPlan& plan) {
    std::map<std::string, model::JournalRecord> tasks;
    std::vector<std::string> ids = plan.pinned_task_ids;
    for (const model::PlanBlock& block : plan.blocks) {
        if (!block.task_id.empty()) ids.push_back(block.task_id);
    }
    for (const std::string& id : ids) {
        if (tasks.contains(id)) continue;
        const auto found = call.journal.find(JournalKind::task, id);
        if (found.ok()) tasks.emplace(id, found->record);
    }
    return tasks;
}

Exit show(JournalCall& call, const std::string& date) {
    const auto found = find_plan(call, date);
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    if (!*found) {
        remark(call.context, "nothing is planned for " + date);
        return Exit::ok;
    }
    if (call.is_json()) {
        print_json(call.context, (*found)->json);
        return Exit::ok;
    }
    const auto& plan = std::get<model::DayPlan>((*found)->record.body);
    remark(call.context, date + ", in " + call.clock.zone_name());
    call.context.console.out.write(
        plan_text(plan, find_tasks(call, plan), call.clock, call.context.console.colours_out));
    return Exit::ok;
}

Exit add(JournalCall& call, const std::string& date) {
    const auto span = call.clock.read_span("TIME", call.word(0), date);
    if (!span.ok()) return usage_error(call.context, call.arguments, span.error());
    model::PlanBlock block;
    block.start_at = span->from;
    block.end_at = span->to;
    block.note = call.word(1);
    block.category_id = call.arguments.value_or("category", "");
    block.task_id = call.arguments.value_or("task", "");
    return tell_changed(call, change_plan(call, date, [&block](model::DayPlan& plan) -> base::Result<void> {
                            const auto place =
                                std::ranges::upper_bound(plan.blocks, block.start_at, {}, &model::PlanBlock::start_at);
                            plan.blocks.insert(place, block);
                            return {};
                        }));
}

// A block by its id, or by the time at which it begins.
base::Result<void> take_block(model::DayPlan& plan, const std::string& name, const LocalClock& clock) {
    const auto is_meant = [&](const model::PlanBlock& block) {
        return block.id == name || clock.time_of(block.start_at) == name;
    };
    const auto count = std::ranges::count_if(plan.blocks, is_meant);
    if (count == 0) return base::error(base::Code::not_found, "there is no block \"" + name + "\" on that day");
    if (count > 1) return base::error(base::Code::conflict, "several blocks begin at " + name + ": name one by its id");
    std::erase_if(plan.blocks, is_meant);
    return {};
}

Exit remove(JournalCall& call, const std::string& date) {
    return tell_changed(call, change_plan(call, date, [&call](model::DayPlan& plan) -> base::Result<void> {
                            for (const std::string& name : call.words) TRY(take_block(plan, name, call.clock));
                            return {};
                        }));
}

Exit pin(JournalCall& call, const std::string& date) {
    return tell_changed(call, change_plan(call, date, [&call](model::DayPlan& plan) -> base::Result<void> {
                            for (const std::string& id : call.words) {
                                const auto there = std::ranges::find(plan.pinned_task_ids, id);
                                if (there == plan.pinned_task_ids.end()) plan.pinned_task_ids.push_back(id);
                            }
                            return {};
                        }));
}

Exit unpin(JournalCall& call, const std::string& date) {
    return tell_changed(call, change_plan(call, date, [&call](model::DayPlan& plan) -> base::Result<void> {
                            for (const std::string& id : call.words) {
                                if (std::erase(plan.pinned_task_ids, id) == 0) {
                                    return base::error(base::Code::not_found, id + " is not pinned on that day");
                                }
                            }
                            return {};
                        }));
}

Exit note(JournalCall& call, const std::string& date) {
    const auto text = read_text(call.word(0));
    if (!text.ok()) return fail(call.context, call.arguments, text.error());
    return tell_changed(call, change_plan(call, date, [&text](model::DayPlan& plan) -> base::Result<void> {
                            plan.note = *text == "none" ? "" : *text;
                            return {};
                        }));
}

bool names_a_day(const std::string& word) {
    return word == "yesterday" || word == "today" || word == "tomorrow" || is_date(word);
}

Exit run_plan(Context& context, const Arguments& arguments) {
    std::vector<std::string> words = arguments.positionals();
    std::optional<std::string> day;
    if (!words.empty() && words.front() == "show") words.erase(words.begin());
    if (!words.empty() && names_a_day(words.front())) {
        day = words.front();
        words.erase(words.begin());
    }
    if (words.empty()) words.emplace_back("show");
    const auto on_day = [&day](Exit (*act)(JournalCall&, const std::string&)) {
        return [act, day](JournalCall& call) {
            const auto date = read_day(call, day);
            if (!date.ok()) return usage_error(call.context, call.arguments, date.error());
            return act(call, *date);
        };
    };
    const std::vector<JournalAction> actions{
        {"show", "[DATE]", 0, 0, {"date"}, on_day(show)},
        {"add", "09:00-11:00 [TEXT]", 1, 2, {"date", "category", "task"}, on_day(add)},
        {"remove", "BLOCK ...", 1, any_number, {"date"}, on_day(remove)},
        {"pin", "TASK ...", 1, any_number, {"date"}, on_day(pin)},
        {"unpin", "TASK ...", 1, any_number, {"date"}, on_day(unpin)},
        {"note", "TEXT", 1, 1, {"date"}, on_day(note)}};
    return run_journal_action(context, arguments, "plan", actions, std::move(words));
}

}  // namespace

Command plan_command() {
    Command command;
    command.name = "plan";
    command.summary = "the plan of a day: show, add, remove, pin, unpin, note";
    command.detail =
        "A day has blocks of time and tasks that are pinned to it. The day is today unless DATE stands before the\n"
        "action, or --date. Times are those of the zone's clocks; an end before the begin is one on the day after.\n"
        "A block is named by its id or by the time at which it begins.";
    command.options = {{"date", "DATE", "which day: 2026-11-17, yesterday, today (unless given) or tomorrow"},
                       {"category", "ID", "add: of the block (the plan's, which is general, unless given)"},
                       {"task", "ID", "add: what the time is for"},
                       zone_option(),
                       user_option()};
    command.positionals = {
        {"ACTION", "show (unless given), add, remove, pin, unpin or note; a DATE may stand before it",
         PositionalSpec::Count::optional},
        {"WORD", "of add: 09:00-11:00 [TEXT]; of remove: BLOCK; of pin, unpin: TASK; of note: TEXT",
         PositionalSpec::Count::any}};
    command.examples = {{"belfry plan", "what today brings"},
                        {"belfry plan add 09:00-11:00 'Deep work' --category focus --date 2026-11-17", "plan a block"},
                        {"belfry plan tomorrow pin letter", "a task for tomorrow"},
                        {"belfry plan tomorrow remove 09:00", "take the block away that begins then"}};
    command.reach = Reach::daemon;
    command.run = run_plan;
    return command;
}

}  // namespace belfry::cli
