#include "engine/run_claims.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "model/sync.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using Plain = ports::SyncTable::Plain;

constexpr std::string_view done_state = "done";
constexpr std::string_view claimed_state = "claimed";
constexpr std::size_t waited_for_max = 10'000;

std::string text_of(const Plain& claim, std::string_view name) {
    const auto value = claim.body.member(name);
    return value ? value->as_text() : std::string();
}

}  // namespace

base::Result<bool> RunClaims::has_others(Unit& unit) {
    TRY_ASSIGN(const std::vector<model::Peer> peers, unit.store.sync().peers());
    return std::ranges::any_of(peers, [](const model::Peer& peer) { return !peer.revoked_at; });
}

base::Result<std::map<std::string, RunClaims::Claim>> RunClaims::find(std::span<const std::string> run_keys,
                                                                      Unit& unit) {
    std::vector<std::pair<std::string, std::string>> names;
    for (const std::string& key : run_keys) names.emplace_back(model::run_claim_kind, key);
    TRY_ASSIGN(const std::vector<Plain> found, unit.store.sync().plain(names));
    std::map<std::string, Claim> claims;
    for (const Plain& one : found) {
        claims[one.id] = {text_of(one, "host"), text_of(one, "state") == done_state, one.updated_at};
    }
    return claims;
}

base::Result<std::map<std::string, RunClaims::Look>> RunClaims::of(std::span<const std::string> run_keys, Unit& unit) {
    TRY(changes_.refresh(unit));
    TRY_ASSIGN(const auto claims, find(run_keys, unit));
    std::map<std::string, Look> looks;
    for (const auto& [key, claim] : claims) {
        Look look;
        look.is_claimed = true;
        if (claim.is_done) {
            look.standing = Standing::done;
        } else if (claim.host != changes_.host()) {
            if (waited_since_.size() >= waited_for_max) waited_since_.clear();
            const base::Timestamp known = waited_since_.try_emplace(key, unit.now).first->second;
            look.until = std::min(known, claim.came_at) + limits::claim_patience;
            if (look.until > unit.now) look.standing = Standing::theirs;
        }
        if (look.standing != Standing::theirs) waited_since_.erase(key);
        looks.emplace(key, look);
    }
    return looks;
}

base::Result<void> RunClaims::claim(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit) {
    TRY(changes_.refresh(unit));
    TRY_ASSIGN(const auto there, find(run_keys, unit));
    for (const std::string& key : run_keys) {
        if (!there.contains(key)) TRY(write(wake, key, nullptr, false, unit));
    }
    return {};
}

base::Result<void> RunClaims::done(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit) {
    TRY(changes_.refresh(unit));
    TRY_ASSIGN(const auto there, find(run_keys, unit));
    for (const std::string& key : run_keys) {
        const auto claim = there.find(key);
        if (claim == there.end()) TRY(write(wake, key, nullptr, true, unit));
        else if (!claim->second.is_done) TRY(write(wake, key, &claim->second, true, unit));
    }
    return {};
}

base::Result<void> RunClaims::write(const model::Wake& wake, const std::string& run_key, const Claim* there,
                                    bool is_done, Unit& unit) {
    std::string body;
    model::JsonWriter(body)
        .begin_object()
        .field("agent_id", wake.agent_id)
        .field("host", there == nullptr ? changes_.host() : there->host)
        .field("state", is_done ? done_state : claimed_state)
        .end_object();
    const std::string kind(model::run_claim_kind);
    const Plain claim{kind, run_key, wake.user_id, model::RawJson::trusted(std::move(body)), unit.now};
    TRY(unit.store.sync().put_plain(std::span(&claim, 1)));
    NewChange change;
    change.kind = kind;
    change.id = run_key;
    change.user_id = wake.user_id;
    change.origin = {model::ChangeOrigin::Kind::agent, wake.agent_id};
    change.fields = {"state"};
    if (there == nullptr) change.fields = {"agent_id", "host", "state"};
    changes_.note(std::move(change));
    return {};
}

base::Result<std::uint64_t> RunClaims::sweep(Unit& unit) {
    return unit.store.sync().drop_plain(model::run_claim_kind, unit.now - limits::claims_kept,
                                        limits::sweep_slice_rows);
}

void RunClaims::clock_was_set_back(base::Duration by) {
    for (auto& [key, since] : waited_since_) since = since - by;
}

}  // namespace belfry::engine
