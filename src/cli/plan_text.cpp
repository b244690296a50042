#include "cli/plan_text.hpp"

#include "cli/journal_text.hpp"
#include "cli/table.hpp"
#include "host/printable.hpp"
#include "model/journal_fields.hpp"

namespace belfry::cli {
namespace {

void append_block(model::JsonWriter& writer, const model::PlanBlock& block) {
    const auto text = [&writer](std::string_view name, const std::string& value) {
        if (!value.empty()) writer.field(name, value);
    };
    writer.begin_object();
    text("id", block.id);
    text("category_id", block.category_id);
    writer.field("start_at", base::format_timestamp(block.start_at));
    writer.field("end_at", base::format_timestamp(block.end_at));
    text("note", block.note);
    text("task_id", block.task_id);
    writer.end_object();
}

}  // namespace

std::string blocks_json(const std::vector<model::PlanBlock>& blocks) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_array();
    for (const model::PlanBlock& block : blocks) append_block(writer, block);
    writer.end_array();
    return json;
}

std::string plan_text(const model::DayPlan& plan, const std::map<std::string, model::JournalRecord>& tasks,
                      const LocalClock& clock, bool colours) {
    const auto title_of = [&](const std::string& id) {
        const auto found = tasks.find(id);
        return found == tasks.end() ? id : record_title(found->second, clock);
    };
    std::string text;
    if (!plan.note.empty()) text += host::printable(shortened(plan.note)) + "\n\n";
    Table blocks({"FROM", "TO", "CATEGORY", "BLOCK", "TASK", "ID"});
    for (const model::PlanBlock& block : plan.blocks) {
        blocks.add({clock.time_of(block.start_at), clock.time_of(block.end_at), block.category_id,
                    shortened(block.note), block.task_id.empty() ? "" : title_of(block.task_id), block.id});
    }
    text += blocks.text(colours);
    if (plan.pinned_task_ids.empty()) return text;
    Table pinned({"PINNED", "STATUS", "TITLE"});
    for (const std::string& id : plan.pinned_task_ids) {
        const auto found = tasks.find(id);
        std::string status;
        if (found != tasks.end()) {
            const auto& task = std::get<model::Task>(found->second.body);
            status = model::task_status_names[static_cast<std::size_t>(task.status)];
        }
        pinned.add({id, status, found == tasks.end() ? "" : title_of(id)});
    }
    return text + "\n" + pinned.text(colours);
}

}  // namespace belfry::cli
