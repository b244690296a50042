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

// By which a call says what was told: another one as soon as the tool, its arguments (but for how it is called) or what
// would change are different.
[[nodiscard]] std::string preview_token(std::string_view tool, model::JsonView arguments,
                                        std::span<const TrialChange> changes);

}  // namespace belfry::rules
