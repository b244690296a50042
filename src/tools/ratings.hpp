#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/raw_json.hpp"
#include "tools/arguments.hpp"
#include "tools/bench.hpp"

// What the tools of ratings have in common.
namespace belfry::tools {

// The target that `target` names.
[[nodiscard]] model::RatingTarget rating_target(const Arguments& arguments);

// The rating of what `target` and `targetId` name; nothing: there is none in the agent's categories. A `targetId` that
// cannot be one is an error.
base::Result<std::optional<model::JournalRecord>> find_rating(Bench& bench, const Arguments& arguments);

// `{"target":…,"targetId":…,"categoryId":…,"score":…,"note":…}`
void append_rating(model::JsonWriter& writer, const model::JournalRecord& record);

}  // namespace belfry::tools
