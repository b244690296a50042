#include "rules/may.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"

namespace belfry::view {

void Answers::sync_status(const model::Principal& who, std::function<void(base::Result<ports::SyncStatus>)> done) {
    ask<ports::SyncStatus>(
        beside_,
        [who](ports::Reading& reading) -> base::Result<ports::SyncStatus> {
            TRY(rules::may_see_devices(who));
            return reading.sync().status();
        },
        std::move(done));
}

void Answers::merge_notes(const model::Principal& who, std::int64_t below, std::size_t limit,
                          std::function<void(base::Result<std::vector<model::MergeNote>>)> done) {
    ask<std::vector<model::MergeNote>>(
        beside_,
        [who, below, limit](ports::Reading& reading) -> base::Result<std::vector<model::MergeNote>> {
            TRY(rules::may_see_devices(who));
            return reading.sync().notes(below, limit);
        },
        std::move(done));
}

}  // namespace belfry::view
