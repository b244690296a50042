#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/journal.hpp"
#include "model/raw_json.hpp"

// What a tool would change, told before it does.
namespace belfry::rules {

struct TrialChange {
    enum class What { made, changed, deleted };
    What what = What::changed;
    std::string kind;
    std::string id;
    std::int64_t revision = 0;  // that it would have; of a link 0
    std::string title;          // empty: it has none
};

[[nodiscard]] TrialChange trial_change_of(const model::JournalRecord& record, bool is_new);

// `[{"change":"changed","kind":"task","id":…,"title":…},…]`: the first hundred; of what would be made, without the ids,
// which nobody knows yet.
void append_changes(model::JsonWriter& writer, std::span<const TrialChange> changes);

// Returns the token by which a call names its preview. The token differs if the agent, the tool, the arguments (except
// those that say how the tool is called) or the changes differ: an agent cannot use the preview of another agent.
[[nodiscard]] std::string preview_token(std::string_view agent_id, std::string_view tool, model::JsonView arguments,
                                        std::span<const TrialChange> changes);

// Returns the result of a preview with `new-1`, `new-2`, … instead of the ids of records that do not exist yet. These
// records get other ids when the tool is applied, and a model must not use the ids of the preview. Ids that the caller
// chose stay.
[[nodiscard]] std::string without_new_ids(std::string result, model::JsonView arguments,
                                          std::span<const TrialChange> changes);

}  // namespace belfry::rules
