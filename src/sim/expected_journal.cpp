#include "sim/expected_journal.hpp"

#include <algorithm>
#include <array>

#include "model/journal_fields.hpp"
#include "rules/wake_key.hpp"
#include "sim/clock.hpp"

namespace belfry::sim {
namespace {

constexpr std::array<std::string_view, 2> allowed{"gym", "home"};
constexpr std::string_view follow_up = "follow_up";

std::string text(model::JsonView json, std::string_view name) {
    const auto member = json.member(name);
    return member ? member->as_text() : std::string();
}

model::JsonView inside(model::JsonView json, std::string_view name) {
    return json.member(name).value_or(model::JsonView{"{}"});
}

bool is_true(model::JsonView json, std::string_view name) {
    return text(json, name) == "true";
}

std::vector<model::JsonView> elements(model::JsonView json, std::string_view name) {
    std::vector<model::JsonView> found;
    const auto list = json.member(name);
    if (!list) return found;
    model::JsonWalker walker(*list);
    while (const auto one = walker.next()) found.push_back(*one);
    return found;
}

struct Describe {
    std::string operator()(const model::Category& one) const { return one.name; }
    std::string operator()(const model::Task& one) const {
        return one.title + '|' + std::string(model::task_status_names[static_cast<std::size_t>(one.status)]) + '|' +
               std::string(model::task_priority_names[static_cast<std::size_t>(one.priority)]);
    }
    std::string operator()(const model::Checklist& one) const { return one.title; }
    std::string operator()(const model::ChecklistItem& one) const { return one.title + (one.checked ? "|x" : "|"); }
    std::string operator()(const model::TimeEntry& one) const { return one.note + (one.ended_at ? "|ended" : "|runs"); }
    std::string operator()(const model::DayPlan& one) const {
        std::vector<std::string> notes;
        for (const model::PlanBlock& block : one.blocks) notes.push_back(block.note);
        std::ranges::sort(notes);
        std::string all;
        for (const std::string& note : notes) all += note + '|';
        return all;
    }
    std::string operator()(const model::Rating& one) const { return std::to_string(one.score) + '|' + one.note; }
    template <class Other>
    std::string operator()(const Other&) const {
        return {};
    }
};

std::string parent_of(const model::JournalRecord& record) {
    if (const auto* checklist = std::get_if<model::Checklist>(&record.body)) return checklist->task_id;
    if (const auto* item = std::get_if<model::ChecklistItem>(&record.body)) return item->checklist_id;
    if (const auto* time = std::get_if<model::TimeEntry>(&record.body)) return time->task_id;
    return {};
}

model::JournalRecord record_of(std::string id, std::string category, model::JournalBody body) {
    model::JournalRecord record;
    record.id = std::move(id);
    record.user_id = "ada";
    record.category_id = std::move(category);
    record.revision = 1;
    record.created_at = record.updated_at = MadeUpClock::start;
    record.body = std::move(body);
    return record;
}

model::Task task_of(const char* title) {
    model::Task task;
    task.title = title;
    return task;
}

}  // namespace

ExpectedRecord expected_of(const model::JournalRecord& record) {
    std::string says = std::visit(Describe{}, record.body);
    if (record.deleted_at) says += "|gone";
    return {std::string(model::journal_kind_name(record.kind())), record.category_id, parent_of(record),
            std::move(says), record.revision};
}

std::vector<model::JournalRecord> ExpectedJournal::beginning() {
    std::vector<model::JournalRecord> records;
    for (const std::string name : {"gym", "home", "secret"}) {
        records.push_back(record_of(name, name, model::Category{name, ""}));
    }
    records.push_back(record_of("t0", "gym", task_of("to conclude")));
    records.push_back(record_of("t1", "gym", task_of("one")));
    records.push_back(record_of("t2", "gym", task_of("two")));
    records.push_back(record_of("t3", "home", task_of("three")));
    records.push_back(record_of("s0", "secret", task_of("a secret")));
    records.push_back(record_of("c0", "gym", model::Checklist{"t0", "before", 0}));
    records.push_back(record_of("c1", "gym", model::Checklist{"t1", "during", 0}));
    for (const int number : {0, 1, 2}) {
        const std::string name = std::to_string(number);
        records.push_back(
            record_of("i" + name, "gym", model::ChecklistItem{"c0", "item " + name, number == 1, number}));
    }
    return records;
}

ExpectedJournal::ExpectedJournal() {
    for (const model::JournalRecord& record : beginning()) make(record.id, expected_of(record));
}

std::string ExpectedJournal::apply(const model::AgentMessage& action, const model::AgentMessage& result) {
    const std::string& tool = action.action->tool_name;
    const model::JsonView arguments = action.content.view();
    const std::string code = refusal_of(tool, arguments);
    if (result.metadata.error_code != code) {
        return tool + " ended as '" + result.metadata.error_code + "', not as '" + code +
               "': " + result.metadata.error_message;
    }
    changed_.clear();
    wrong_.clear();
    const bool is_preview = is_true(arguments, "previewOnly");
    if (code.empty() && is_preview) told_tokens_.insert(text(result.content.view(), "previewToken"));
    if (code.empty() && !is_preview) perform(tool, arguments, result);
    if (!wrong_.empty()) return tool + ": " + wrong_;
    const auto& told = result.tool_result->changed_entity_ids;
    if (std::set<std::string>(told.begin(), told.end()) == changed_) return {};
    std::string wrong = tool + " tells of other changes:";
    for (const std::string& id : told) wrong += ' ' + id;
    return wrong;
}

bool ExpectedJournal::is_allowed_task(model::JsonView arguments) const {
    const auto at = records_.find(text(arguments, "taskId"));
    return at != records_.end() && at->second.kind == "task" &&
           std::ranges::find(allowed, at->second.category) != allowed.end();
}

std::string ExpectedJournal::refusal_of(std::string_view tool, model::JsonView arguments) const {
    if (tool == "make_coffee") return "unknown_tool";
    if (tool == "create_task") {
        if (text(arguments, "title").empty()) return "invalid_arguments";
        return std::ranges::find(allowed, text(arguments, "categoryId")) != allowed.end() ? "" : "out_of_scope";
    }
    if (arguments.member("taskId") && !is_allowed_task(arguments)) return "out_of_scope";
    if (tool == "update_task_fields" && arguments.member("categoryId")) return "preview_required";
    for (const model::JsonView item : elements(arguments, "items")) {
        if (text(item, "title") == "\u202e") return "invalid_arguments";  // turns text around
    }
    if (tool == "conclude_task_with_rollover") return refusal_of_conclusion(arguments);
    if (tool == "start_task_timer" && !running_.empty()) return "running";
    if (tool == "stop_task_timer") {
        const bool is_its = !running_.empty() && records_.at(running_).parent == text(arguments, "taskId");
        return is_its ? "" : "not_running";
    }
    return {};
}

std::string ExpectedJournal::refusal_of_conclusion(model::JsonView arguments) const {
    if (is_true(arguments, "previewOnly")) return {};
    const bool is_told = told_tokens_.contains(text(arguments, "previewToken"));
    return is_told && !is_concluded_ ? "" : "preview_required";
}

void ExpectedJournal::make(const std::string& id, ExpectedRecord record) {
    if (id.empty()) wrong_ = "it does not say what it has made";
    changed_.insert(id);
    made_.push_back(id);
    if (!records_.emplace(id, std::move(record)).second) wrong_ = "it has made " + id + ", which was there before";
}

void ExpectedJournal::put(const std::string& id, const std::string& says) {
    ExpectedRecord& record = records_.at(id);
    if (record.says == says) return;
    record.says = says;
    ++record.revision;
    changed_.insert(id);
}

void ExpectedJournal::perform(std::string_view tool, model::JsonView arguments, const model::AgentMessage& result) {
    const model::JsonView says = result.content.view();
    if (tool == "create_task") {
        make(text(inside(says, "task"), "taskId"),
             {"task", text(arguments, "categoryId"), "", text(arguments, "title") + "|open|p2", 1});
    } else if (tool == "update_task_fields") {
        update_task(arguments);
    } else if (tool == "create_checklist" || tool == "add_multiple_checklist_items") {
        add_items(tool, arguments, inside(says, "checklist"));
    } else if (tool == "conclude_task_with_rollover") {
        conclude(arguments, result);
    } else if (tool == "start_task_timer") {
        running_ = text(inside(says, "timeEntry"), "timeEntryId");
        const std::string task = text(arguments, "taskId");
        make(running_, {"time_entry", records_.at(task).category, task, text(arguments, "note") + "|runs", 1});
    } else if (tool == "stop_task_timer") {
        stop_timer();
    } else if (tool == "upsert_day_plan_blocks") {
        add_block(arguments);
    } else if (tool == "create_or_update_rating") {
        rate(arguments);
    } else if (tool == "notify_self") {
        notes_.insert(text(arguments, "message"));
    } else {
        wrong_ = "nobody knows what it does";
    }
}

void ExpectedJournal::update_task(model::JsonView arguments) {
    const std::string id = text(arguments, "taskId");
    std::string says = records_.at(id).says;
    const std::string priority = text(arguments, "priority");
    if (const auto title = arguments.member("title")) says = title->as_text() + says.substr(says.find('|'));
    if (!priority.empty()) says = says.substr(0, says.rfind('|') + 1) + priority;
    put(id, says);
}

std::string ExpectedJournal::first_checklist(const std::string& task) const {
    for (const std::string& id : made_) {
        const ExpectedRecord& record = records_.at(id);
        if (record.kind == "checklist" && record.parent == task) return id;
    }
    return {};
}

void ExpectedJournal::add_items(std::string_view tool, model::JsonView arguments, model::JsonView says) {
    const std::string task = text(arguments, "taskId");
    std::string checklist = text(arguments, "checklistId");
    const bool is_new = tool == "create_checklist";
    if (!is_new && checklist.empty()) checklist = first_checklist(task);
    if (checklist.empty()) {
        checklist = text(says, "checklistId");
        make(checklist, {"checklist", records_.at(task).category, task,
                         is_new ? text(arguments, "title") : std::string("Checklist"), 1});
    }
    const auto wanted = elements(arguments, "items");
    const auto made = elements(says, "items");
    if (wanted.size() != made.size()) wrong_ = "it has not made as many items as it was told";
    for (std::size_t i = 0; i < std::min(wanted.size(), made.size()); ++i) {
        const std::string line = text(wanted[i], "title") + (is_true(wanted[i], "checked") ? "|x" : "|");
        make(text(made[i], "itemId"), {"checklist_item", records_.at(checklist).category, checklist, line, 1});
    }
}

// Of the items of the task those that are not checked are carried over, into a checklist that nobody named.
void ExpectedJournal::conclude(model::JsonView arguments, const model::AgentMessage& result) {
    const std::string task(task_to_conclude);
    const std::string title = text(arguments, "followUpTitle");
    is_concluded_ = true;
    put(task, "to conclude|done|p2");
    const std::string next = text(inside(result.content.view(), "followUpTask"), "taskId");
    make(next, {"task", "gym", "", (title.empty() ? std::string("to conclude") : title) + "|open|p2", 1});
    links_.insert({std::string(follow_up), task, next});
    changed_.insert(rules::link_key(follow_up, task, next));
    changed_.insert({"i0", "i2"});
    std::string checklist;
    for (const std::string& id : result.tool_result->changed_entity_ids) {
        if (!changed_.contains(id)) checklist = id;
    }
    make(checklist, {"checklist", "gym", next, "before", 1});
    for (const char* item : {"i0", "i2"}) {
        records_.at(item).parent = checklist;
        ++records_.at(item).revision;
    }
}

void ExpectedJournal::stop_timer() {
    std::string says = records_.at(running_).says;
    says.resize(says.rfind('|'));
    put(running_, says + "|ended");
    running_.clear();
}

// A block that is added is a block more, also where there is one like it.
void ExpectedJournal::add_block(model::JsonView arguments) {
    const std::string id = model::day_plan_id(day);
    const std::string note = text(elements(arguments, "upserts").front(), "note") + '|';
    const auto at = records_.find(id);
    if (at == records_.end()) {  // a plan is nobody's but the person's
        const std::string general(model::default_category);
        make(general, {"category", general, "", general, 1});
        changed_.erase(general);  // it lies elsewhere: a result does not tell of it
        return make(id, {"day_plan", general, "", note, 1});
    }
    std::vector<std::string> notes{note};
    std::string_view rest = at->second.says;
    while (!rest.empty()) {
        const std::size_t end = rest.find('|') + 1;
        notes.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    std::ranges::sort(notes);
    std::string all;
    for (const std::string& one : notes) all += one;
    put(id, all);
}

void ExpectedJournal::rate(model::JsonView arguments) {
    const std::string id = model::rating_id(model::RatingTarget::day, day);
    const std::string says = text(arguments, "score") + '|' + text(arguments, "note");
    if (records_.contains(id)) put(id, says);
    else make(id, {"rating", "gym", "", says, 1});
}

}  // namespace belfry::sim
