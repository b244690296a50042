#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/capability.hpp"
#include "model/event.hpp"
#include "model/wake.hpp"
#include "rules/predicate.hpp"
#include "rules/subscription_index.hpp"

namespace belfry::engine {

// A rule for being woken, ready to be asked.
struct WakeRule {
    model::WakeSubscription subscription;
    std::string user_id;  // its agent's: only what is his wakes it
    std::optional<rules::Predicate> predicate;
    std::vector<model::ChangeToken> tokens;  // of changes, sorted
};

// All rules for being woken, in memory: found by what they are about, so that those that have nothing to do with an
// event cost nothing. Changed in place; where a transaction is dropped that has changed it, it is read anew.
class WakeRules {
public:
    base::Result<void> rebuild(Unit& unit);
    void put(const model::WakeSubscription& subscription, const std::string& user_id);
    void remove(const model::SubscriptionId& id);
    [[nodiscard]] bool is_empty() const { return places_.empty(); }

    // Those that let this event of this person through. Valid until the next change.
    const std::vector<const WakeRule*>& matches(const model::Event& event, std::string_view person);

    // Those of this person that are about one of these tokens; the rest is not asked here. Valid until the next change.
    const std::vector<const WakeRule*>& about(std::span<const model::ChangeToken> tokens, std::string_view person);

    void committed() { is_changed_ = false; }
    // Whether it has to be read anew.
    [[nodiscard]] bool dropped();

private:
    std::vector<std::optional<WakeRule>> rules_;
    std::vector<std::uint32_t> free_;
    std::map<model::SubscriptionId, std::uint32_t> places_;
    rules::SubscriptionIndex index_;
    bool is_changed_ = false;
    std::vector<std::uint32_t> found_;  // scratch
    std::vector<const WakeRule*> matching_;
};

}  // namespace belfry::engine
