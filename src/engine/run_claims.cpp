#include "engine/run_claims.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "model/sync.hpp"
#include "rules/body_fields.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using Plain = ports::SyncTable::Plain;

constexpr std::string_view done_state = "done";
constexpr std::string_view claimed_state = "claimed";
constexpr std::size_t waited_for_max = 10'000;
constexpr std::int64_t second = base::seconds(1).us;
constexpr std::int64_t min_lease_s = limits::claim_patience.us / second;
constexpr std::int64_t max_lease_s = limits::wake_lease_max.us / second;
constexpr std::int64_t max_beat = 1'000'000'000'000;

base::Duration lease_of(const model::Wake& wake, base::Timestamp now) {
    return wake.lease_until ? *wake.lease_until - now : base::Duration{};
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
        rules::BodyReader body(one.body.view());
        const auto lease_s = std::clamp(body.number("lease_s"), min_lease_s, max_lease_s);
        const auto beat = std::clamp(body.number("beat"), std::int64_t{0}, max_beat);
        claims[one.id] = {body.text("host"), body.text("state") == done_state, beat, base::seconds(lease_s),
                          one.updated_at};
    }
    return claims;
}

// By the clock of this device, and across a start of it.
base::Timestamp RunClaims::waited_since(const std::string& run_key, const Claim& claim, base::Timestamp now) {
    if (waited_for_.size() >= waited_for_max) waited_for_.clear();
    Waiting& waiting = waited_for_.try_emplace(run_key, Waiting{claim.beat, now}).first->second;
    if (waiting.beat != claim.beat) waiting = {claim.beat, now};
    return std::min(waiting.since, claim.came_at);
}

base::Result<std::map<std::string, RunClaims::Look>> RunClaims::of(std::span<const std::string> run_keys, Unit& unit) {
    TRY(changes_.refresh(unit));
    TRY_ASSIGN(const auto claims, find(run_keys, unit));
    std::map<std::string, Look> looks;
    for (const auto& [key, claim] : claims) {
        Look look;
        look.is_claimed = true;
        // A claim that came while this device's clock was ahead has come by now.
        if (!claim.is_done) look.lapses_at = std::min(claim.came_at, unit.now) + claim.lease;
        if (claim.is_done) {
            look.standing = Standing::done;
        } else if (claim.host.empty()) {
            look.until = waited_since(key, claim, unit.now);
            look.lapses_at = look.until;
        } else if (claim.host != changes_.host()) {
            look.until = waited_since(key, claim, unit.now) + claim.lease;
            if (look.until > unit.now) look.standing = Standing::theirs;
        }
        const bool is_given_up = !claim.is_done && claim.host.empty();
        if (look.standing != Standing::theirs && !is_given_up) waited_for_.erase(key);
        looks.emplace(key, look);
    }
    return looks;
}

base::Result<void> RunClaims::claim(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit) {
    TRY(changes_.refresh(unit));
    TRY_ASSIGN(auto there, find(run_keys, unit));
    for (const std::string& key : run_keys) {
        const auto [at, is_new] = there.try_emplace(key);
        Claim& claim = at->second;
        if (claim.is_done) continue;
        claim.host = changes_.host();
        ++claim.beat;
        claim.lease = lease_of(wake, unit.now);
        std::vector<std::string> fields{"host", "beat", "lease_s"};
        if (is_new) fields.insert(fields.end(), {"agent_id", "state"});
        TRY(write(wake, key, claim, std::move(fields), unit));
    }
    return {};
}

base::Result<void> RunClaims::go_on(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit) {
    TRY(changes_.refresh(unit));
    TRY_ASSIGN(auto there, find(run_keys, unit));
    for (auto& [key, claim] : there) {
        const bool is_ours = claim.host == changes_.host() && !claim.is_done;
        // A clock that was set back does not keep it from being said.
        const base::Duration since = unit.now - claim.came_at;
        const bool is_fresh = since >= base::Duration{} && since * 4 < claim.lease;
        if (!is_ours || is_fresh) continue;
        ++claim.beat;
        claim.lease = lease_of(wake, unit.now);
        TRY(write(wake, key, claim, {"beat", "lease_s"}, unit));
    }
    return {};
}

base::Result<void> RunClaims::give_up(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit) {
    TRY(changes_.refresh(unit));
    TRY_ASSIGN(auto there, find(run_keys, unit));
    for (auto& [key, claim] : there) {
        if (claim.host != changes_.host() || claim.is_done) continue;
        claim.host.clear();
        ++claim.beat;
        TRY(write(wake, key, claim, {"host", "beat"}, unit));
    }
    return {};
}

base::Result<void> RunClaims::done(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit) {
    TRY(changes_.refresh(unit));
    TRY_ASSIGN(auto there, find(run_keys, unit));
    for (const std::string& key : run_keys) {
        const auto [at, is_new] = there.try_emplace(key);
        Claim& claim = at->second;
        if (claim.is_done) continue;
        claim.is_done = true;
        std::vector<std::string> fields{"state"};
        if (is_new) {
            claim.host = changes_.host();
            fields.insert(fields.end(), {"agent_id", "host", "beat", "lease_s"});
        }
        TRY(write(wake, key, claim, std::move(fields), unit));
    }
    return {};
}

base::Result<void> RunClaims::write(const model::Wake& wake, const std::string& run_key, const Claim& claim,
                                    std::vector<std::string> fields, Unit& unit) {
    rules::BodyWriter body;
    body.text("agent_id", wake.agent_id);
    body.text("host", claim.host);
    body.text("state", claim.is_done ? done_state : claimed_state);
    body.number("beat", claim.beat);
    body.number("lease_s", claim.lease.us / second);
    const std::string kind(model::run_claim_kind);
    const Plain row{kind, run_key, wake.user_id, body.take(), unit.now};
    TRY(unit.store.sync().put_plain(std::span(&row, 1)));
    NewChange change;
    change.kind = kind;
    change.id = run_key;
    change.user_id = wake.user_id;
    change.origin = {model::ChangeOrigin::Kind::agent, wake.agent_id};
    change.fields = std::move(fields);
    changes_.note(std::move(change));
    return {};
}

base::Result<std::uint64_t> RunClaims::sweep(Unit& unit) {
    return unit.store.sync().drop_plain(model::run_claim_kind, unit.now - limits::claims_kept,
                                        limits::sweep_slice_rows);
}

void RunClaims::clock_was_set_back(base::Duration by) {
    for (auto& [key, waiting] : waited_for_) waiting.since = waiting.since - by;
}

}  // namespace belfry::engine
