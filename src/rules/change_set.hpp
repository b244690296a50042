#pragma once

#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/change_set.hpp"
#include "model/principal.hpp"

// What agents propose to their people: who decides, and what comes of it.
namespace belfry::rules {

enum class Decision : std::uint8_t { accept, reject };

// What is proposed may name what other agents must not see: it is read by people and those who act for them, never by
// an agent. Of a list, on success the user is narrowed as it must be.
base::Result<void> may_see(const model::Principal& who, const model::ChangeSet& set);
base::Result<void> may_see_proposals(const model::Principal& who, std::string& user_id);

// As with an answer to a question: the person himself with a token of his own, or whoever acts for him.
base::Result<void> may_decide(const model::Principal& who, const model::ChangeSet& set);

// Whether there is anything to decide (true), or the same was decided before (false). `conflict` with the reason
// `decided` where it was the other.
base::Result<bool> is_to_decide(const model::ChangeItem& item, Decision decision);

// The item is counted in its set, as one that was just proposed.
void add(model::ChangeSet& set, const model::ChangeItem& item, base::Timestamp now);
// An item of the set that is proposed comes to its end; where it was the last one, so does the set.
void settle(model::ChangeSet& set, model::ChangeItem& item, model::ChangeItemState state, std::string_view by,
            base::Timestamp now);

// `coach proposes 3 changes`.
[[nodiscard]] std::string proposal_text(const model::ChangeSet& set);

}  // namespace belfry::rules
