#include "tools/say.hpp"

#include "model/journal_fields.hpp"

namespace belfry::tools {

void append_task(model::JsonWriter& writer, const model::JournalRecord& record) {
    const auto& task = std::get<model::Task>(record.body);
    writer.begin_object().field("taskId", record.id).field("categoryId", record.category_id).field("title", task.title);
    writer.field("status", model::task_status_names[static_cast<std::size_t>(task.status)]);
    writer.field("priority", model::task_priority_names[static_cast<std::size_t>(task.priority)]);
    if (!task.due_date.empty()) writer.field("dueDate", task.due_date);
    if (task.estimate_min) writer.field("estimateMinutes", static_cast<long long>(*task.estimate_min));
    if (!task.language.empty()) writer.field("language", task.language);
    if (!task.label_ids.empty()) {
        writer.name("labelIds").begin_array();
        for (const std::string& id : task.label_ids) writer.text(id);
        writer.end_array();
    }
    writer.end_object();
}

std::string task_answer(const model::JournalRecord& record) {
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("task");
    append_task(writer, record);
    writer.end_object();
    return says;
}

}  // namespace belfry::tools
