#include "tools/time_entries.hpp"

namespace belfry::tools {

base::Result<std::string> time_entry_answer(Bench& bench, const model::JournalRecord& record) {
    const auto& time = std::get<model::TimeEntry>(record.body);
    TRY_ASSIGN(const std::vector<model::JournalRecord> task, bench.find_all(std::span(&time.task_id, 1)));
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("timeEntry").begin_object().field("timeEntryId", record.id);
    if (!task.empty()) writer.field("taskId", time.task_id);
    writer.field("startedAt", base::format_timestamp(time.started_at));
    if (time.ended_at) writer.field("endedAt", base::format_timestamp(*time.ended_at));
    writer.field("note", time.note).end_object().end_object();
    return says;
}

model::ToolContract time_contract(std::string name, std::string description) {
    model::ToolContract contract;
    contract.name = std::move(name);
    contract.description = std::move(description);
    contract.capabilities = {model::AgentCapability::time_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"time_entry"};
    contract.changed_tokens = {"TIME_ENTRY"};
    return contract;
}

}  // namespace belfry::tools
