#include "rules/change_set.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"

namespace belfry::view {
namespace {

using Found = base::Result<std::vector<model::ChangeSet>>;

base::Result<model::ProposedChanges> find_change_set(ports::Reading& reading, const model::Principal& who,
                                                     const model::ChangeSetId& id) {
    TRY_ASSIGN(std::optional<model::ProposedChanges> found, reading.change_sets().find(id));
    if (!found || !rules::may_see(who, found->set).ok()) {
        return base::error(base::Code::not_found, "there is no such change set", "id");
    }
    return std::move(*found);
}

Found list_change_sets(ports::Reading& reading, const model::Principal& who, ports::ChangeSetFilter& filter) {
    TRY(rules::may_see_proposals(who, filter.user_id));
    return reading.change_sets().list(filter);
}

}  // namespace

void Answers::change_set(const model::Principal& who, const model::ChangeSetId& id,
                         std::function<void(base::Result<model::ProposedChanges>)> done) {
    ask<model::ProposedChanges>(
        beside_, [who, id](ports::Reading& reading) { return find_change_set(reading, who, id); }, std::move(done));
}

void Answers::change_sets(const model::Principal& who, ports::ChangeSetFilter filter, std::function<void(Found)> done) {
    ask<std::vector<model::ChangeSet>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable {
            return list_change_sets(reading, who, filter);
        },
        std::move(done));
}

}  // namespace belfry::view
