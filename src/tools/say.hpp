#pragma once

#include <string>

#include "model/journal.hpp"
#include "model/raw_json.hpp"

// How tools say what there is, under the names of their schemas.
namespace belfry::tools {

// `{"taskId":…,"title":…,"status":…,…}`
void append_task(model::JsonWriter& writer, const model::JournalRecord& record);

// A whole answer with one member: `{"task":{…}}`
[[nodiscard]] std::string task_answer(const model::JournalRecord& record);

}  // namespace belfry::tools
