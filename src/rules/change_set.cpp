#include "rules/change_set.hpp"

#include "base/assert.hpp"
#include "rules/interaction.hpp"
#include "rules/may.hpp"

namespace belfry::rules {

using base::Code;
using model::ChangeItemState;

base::Result<void> may_see(const model::Principal& who, const model::ChangeSet& set) {
    return may_answer_for(who, set.user_id, set.session_id);
}

base::Result<void> may_see_proposals(const model::Principal& who, std::string& user_id) {
    if (who.role == model::Role::agent) {
        return base::error(Code::forbidden, "role agent cannot read what is proposed to a person");
    }
    return may_see_of(who, user_id);
}

base::Result<void> may_decide(const model::Principal& who, const model::ChangeSet& set) {
    return may_answer_interaction(who, set.user_id, set.session_id);
}

base::Result<bool> is_to_decide(const model::ChangeItem& item, Decision decision) {
    if (item.state == ChangeItemState::proposed) return true;
    const bool was_rejected = item.state == ChangeItemState::rejected;
    if (was_rejected == (decision == Decision::reject)) return false;
    return base::error(Code::conflict, std::string("this was ") + (was_rejected ? "rejected" : "accepted") + " before",
                       "number", "decided");
}

void add(model::ChangeSet& set, const model::ChangeItem& item, base::Timestamp now) {
    ASSERT(item.state == ChangeItemState::proposed);
    ++set.counts[static_cast<std::size_t>(ChangeItemState::proposed)];
    set.decided_at.reset();
    set.updated_at = now;
}

void settle(model::ChangeSet& set, model::ChangeItem& item, ChangeItemState state, std::string_view by,
            base::Timestamp now) {
    ASSERT(item.state == ChangeItemState::proposed && state != ChangeItemState::proposed);
    item.state = state;
    item.decided_by = by;
    item.decided_at = now;
    --set.counts[static_cast<std::size_t>(ChangeItemState::proposed)];
    ++set.counts[static_cast<std::size_t>(state)];
    set.updated_at = now;
    if (set.count(ChangeItemState::proposed) == 0) set.decided_at = now;
}

std::string proposal_text(const model::ChangeSet& set) {
    const std::int64_t open = set.count(ChangeItemState::proposed);
    return set.agent_name + " proposes " + (open == 1 ? "a change" : std::to_string(open) + " changes");
}

}  // namespace belfry::rules
