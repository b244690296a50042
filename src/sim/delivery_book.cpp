#include "sim/delivery_book.hpp"

#include <cstdlib>
#include <limits>

namespace belfry::sim {
namespace {

constexpr std::int64_t last_ordinal = std::numeric_limits<std::int64_t>::max();

}  // namespace

const Followed* DeliveryBook::find(const base::Uuid& id) const {
    const auto at = all_.find(id);
    return at == all_.end() ? nullptr : &at->second;
}

const Followed* DeliveryBook::find_handle(const std::string& session, std::int64_t handle) const {
    const auto at = handles_.find({session, handle});
    return at == handles_.end() ? nullptr : find(at->second);
}

const Followed* DeliveryBook::find_named(const std::string& session, const std::string& key) const {
    if (const auto id = base::parse_uuid(key)) {
        const Followed* const one = find(*id);
        const bool is_here = one != nullptr && (one->row.handed_to == session || one->row.scope.session_id == session);
        return is_here ? one : nullptr;
    }
    if (!key.starts_with('n')) return nullptr;
    return find_handle(session, std::strtoll(key.c_str() + 1, nullptr, 10));
}

void DeliveryBook::put(Followed one) {
    remove(one.row.id.uuid);
    enter(one.row);
    all_.emplace(one.row.id.uuid, std::move(one));
}

void DeliveryBook::remove(const base::Uuid& id) {
    const auto at = all_.find(id);
    if (at == all_.end()) return;
    leave(at->second.row);
    all_.erase(at);
}

void DeliveryBook::enter(const model::Notification& row) {
    const base::Uuid& id = row.id.uuid;
    if (row.handle > 0) handles_[{row.handed_to, row.handle}] = id;
    if (row.pull_id) pulls_[{*row.pull_id, row.ordinal}] = id;
    if (model::is_terminal(row.state) || row.ordinal == 0) return;
    const bool is_held = row.state == model::DeliveryState::locked && !row.holder.empty();
    if (is_held) held_[{row.handed_to, row.ordinal}] = id;
    if (row.retry_of) retries_[{row.retry_of->uuid, row.ordinal}] = id;
    if (expected::is_shown(row)) shown_[{row.scope.user_id, row.ordinal}] = id;
    if (!row.scope.session_id.empty()) living_in_[{row.scope.session_id, row.ordinal}] = id;
    if (!row.deduplication_key.empty()) keys_[{row.scope.user_id, row.deduplication_key, row.ordinal}] = id;
    if (row.deadline) deadlines_[{*row.deadline, row.ordinal}] = id;
}

void DeliveryBook::leave(const model::Notification& row) {
    // A handle that was forgotten may be another one's by now.
    const auto handle = handles_.find({row.handed_to, row.handle});
    if (handle != handles_.end() && handle->second == row.id.uuid) handles_.erase(handle);
    if (row.pull_id) pulls_.erase({*row.pull_id, row.ordinal});
    if (row.retry_of) retries_.erase({row.retry_of->uuid, row.ordinal});
    held_.erase({row.handed_to, row.ordinal});
    shown_.erase({row.scope.user_id, row.ordinal});
    living_in_.erase({row.scope.session_id, row.ordinal});
    keys_.erase({row.scope.user_id, row.deduplication_key, row.ordinal});
    if (row.deadline) deadlines_.erase({*row.deadline, row.ordinal});
}

DeliveryBook::Ids DeliveryBook::of(const Index& index, const std::string& name) {
    Ids ids;
    for (auto at = index.lower_bound({name, 0}); at != index.end() && at->first.first == name; ++at) {
        ids.push_back(at->second);
    }
    return ids;
}

DeliveryBook::Ids DeliveryBook::of_pull(const base::Uuid& pull) const {
    Ids ids;
    for (auto at = pulls_.lower_bound({pull, 0}); at != pulls_.end() && at->first.first == pull; ++at) {
        ids.push_back(at->second);
    }
    return ids;
}

bool DeliveryBook::is_sent_again(const base::Uuid& id) const {
    const auto at = retries_.lower_bound({id, 0});
    return at != retries_.end() && at->first.first == id;
}

const Followed* DeliveryBook::under_key(const std::string& user, const std::string& key,
                                        std::optional<std::int64_t> lease) const {
    auto at = keys_.upper_bound({user, key, last_ordinal});
    for (auto held = at; lease && held != keys_.begin();) {
        --held;
        if (std::get<0>(held->first) != user || std::get<1>(held->first) != key) break;
        const Followed* const one = find(held->second);
        if (one->row.state == model::DeliveryState::locked && one->row.lease == *lease) return one;
    }
    if (at == keys_.begin()) return nullptr;
    --at;
    const bool is_it = std::get<0>(at->first) == user && std::get<1>(at->first) == key;
    return is_it ? find(at->second) : nullptr;
}

DeliveryBook::Ids DeliveryBook::overdue(base::Timestamp now) const {
    Ids ids;
    for (auto at = deadlines_.begin(); at != deadlines_.end() && at->first.first <= now; ++at) {
        ids.push_back(at->second);
    }
    return ids;
}

}  // namespace belfry::sim
