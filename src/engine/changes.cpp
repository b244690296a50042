#include "engine/changes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/wake_limits.hpp"
#include "model/sync.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr base::Duration sweep_pause = base::hours(1);
constexpr std::size_t batches_a_slice = 64;

}  // namespace

base::Result<void> Changes::rebuild(Unit& unit) {
    next_sweep_ = unit.now + sweep_pause;
    return log_.rebuild(unit);
}

base::Result<void> Changes::apply(ports::Command&, Unit&) {
    return {};
}

void Changes::committed(Effects& effects) {
    effects.has_news = effects.has_news || log_.has_news();
    log_.committed();
}

std::optional<base::Timestamp> Changes::next_due() const {
    const auto due = log_.next_due();
    return due ? std::min(*due, next_sweep_) : next_sweep_;
}

base::Result<void> Changes::tend(Unit& unit) {
    for (std::size_t made = 0; made < batches_a_slice; ++made) {
        TRY_ASSIGN(const auto batch, log_.next_batch(unit));
        if (!batch) break;
        TRY(tell(*batch, unit));
        TRY(wakes_.notice(*batch, unit));
    }
    if (next_sweep_ > unit.now) return {};
    TRY_ASSIGN(const std::uint64_t gone,
               unit.store.changes().drop(unit.now - limits::changes_kept, limits::sweep_slice_rows));
    next_sweep_ = unit.now + (gone >= limits::sweep_slice_rows ? base::seconds(1) : sweep_pause);
    return {};
}

base::Result<void> Changes::tell(const model::ChangeBatch& batch, Unit& unit) {
    std::vector<const model::Change*> all;
    for (const model::Change& change : batch.changes) {
        // That somebody was erased would be told in a stream of his own, and make that anew.
        if (change.unit.kind != model::erasure_kind) all.push_back(&change);
    }
    if (all.empty()) return {};
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("type", "change_batch").field("user_id", batch.user_id);
    model::append_changes(writer, batch, all);
    writer.end_object();
    TRY_ASSIGN(const model::StreamId stream, unit.streams.named(unit.store, "changes:" + batch.user_id, batch.user_id,
                                                                model::RetentionClass::delivery));
    const model::Facets facets{model::Severity::info, "change_batch", batch.user_id, {}};
    unit.streams.append(unit.store, stream, facets, body);
    return {};
}

base::Result<void> Changes::take(const std::vector<model::Change>& changes, Unit& unit) {
    std::vector<model::ChangeBatch> batches;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (const model::Change& change : changes) {
        if (change.user_id.empty()) continue;  // nobody's any more
        const auto [at, is_new] = places.try_emplace({change.batch_id, change.user_id}, batches.size());
        if (is_new) batches.push_back({change.batch_id, change.user_id, true, {}});
        batches[at->second].changes.push_back(change);
    }
    for (const model::ChangeBatch& batch : batches) {
        TRY(tell(batch, unit));
        TRY(wakes_.notice(batch, unit));
    }
    return {};
}

void Changes::clock_was_set_back(base::Duration by) {
    next_sweep_ = next_sweep_ - by;
    log_.clock_was_set_back(by);
}

base::Result<std::uint64_t> Changes::erase_user(const std::string& user_id, Unit& unit) {
    // What earlier commands of this transaction noted is written first, or it would outlive its user.
    TRY(log_.flush(unit));
    return unit.store.changes().erase_user(user_id, limits::sweep_slice_rows);
}

}  // namespace belfry::engine
