#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/change_log.hpp"
#include "model/wake.hpp"

// Which changes wake an agent, and up to where it has been woken for them.
namespace belfry::rules {

using Counters = std::map<std::string, std::int64_t>;

// Those of these changes that this rule lets through, before its predicate is asked: they touch one of its tokens, are
// not the agent's own, came from another device only where the rule asks for such, and lie beyond what the agent has
// been woken for. `tokens` are the rule's, sorted.
[[nodiscard]] std::vector<const model::Change*> changes_for(const model::WakeSubscription& rule,
                                                            std::span<const model::ChangeToken> tokens,
                                                            const Counters& processed,
                                                            std::span<const model::Change> changes);

// Whether it has one of these tokens, which are sorted.
[[nodiscard]] bool touches(const model::Change& change, std::span<const model::ChangeToken> tokens);

// How deep in a chain of what agents do to one another the job is that these changes are told by: as deep as the
// deepest of them that may wake anybody; where none may, as deep as the first of those that may not. There is at least
// one.
[[nodiscard]] std::int64_t depth_of(const std::vector<const model::Change*>& changes);

// Up to where an agent has been woken for all changes of each host, after a run of it went well: as far as they are
// known without a gap, but not up to the first one that a job of it still carries; and never back.
[[nodiscard]] Counters processed_after(Counters processed, const std::map<std::string, std::uint64_t>& settled,
                                       const std::map<std::string, std::uint64_t>& carried);

}  // namespace belfry::rules
