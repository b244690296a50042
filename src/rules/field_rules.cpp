// Which rule each field of each kind has.
#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "model/change_log.hpp"
#include "model/journal.hpp"
#include "rules/merge_fields.hpp"

namespace belfry::rules {
namespace {

struct Named {
    std::string_view kind;
    std::string_view field;
    FieldRule rule;
};

using enum FieldRule;

// All others have the latest.
constexpr std::array named_rules{
    Named{model::agent_kind, "user_id", first},
    Named{model::agent_kind, "state_id", first},
    Named{model::agent_state_kind, "lifecycle", concurrent_lifecycle},
    Named{model::agent_state_kind, "destroyed_at", least},
    Named{model::agent_state_kind, "next_wake_at", concurrent_least},
    Named{model::agent_state_kind, "sleep_until", concurrent_greatest},
    // By a clock that may be behind the one before: a later one replaces it, even where it is smaller.
    Named{model::agent_state_kind, "last_wake_at", concurrent_greatest},
    Named{model::agent_state_kind, "processed", counters},
    Named{model::agent_subscription_kind, "agent_id", first},
    Named{model::agent_timer_kind, "agent_id", first},
    Named{model::agent_timer_kind, "last_scheduled_at", concurrent_greatest},
    Named{model::link_kind, "relation", first},
    Named{model::link_kind, "from_id", first},
    Named{model::link_kind, "to_id", first},
    Named{model::link_kind, "deleted_at", concurrent_greatest},
    Named{model::read_mark_kind, "seen_at", least},
    Named{model::read_mark_kind, "acted_at", least},
    Named{model::read_mark_kind, "dismissed_at", least},
    Named{model::run_claim_kind, "agent_id", first},
    Named{model::run_claim_kind, "state", greatest},
    Named{model::run_claim_kind, "beat", greatest},
    Named{model::erasure_kind, "clock", counters},
    Named{"task", "label_ids", elements},
    Named{"day_plan", "blocks", elements},
    Named{"day_plan", "pinned_task_ids", elements},
};

}  // namespace

std::string_view field_rule_name(FieldRule rule) {
    switch (rule) {
        case latest: return "latest";
        case first: return "first";
        case least: return "least";
        case greatest: return "greatest";
        case counters: return "counters";
        case concurrent_least: return "concurrent_least";
        case concurrent_greatest: return "concurrent_greatest";
        case concurrent_lifecycle: return "concurrent_lifecycle";
        case elements: break;
    }
    return "elements";
}

FieldRule field_rule(std::string_view kind, std::string_view field) {
    const auto at = std::ranges::find_if(
        named_rules, [&](const Named& named) { return named.field == field && named.kind == kind; });
    if (at != named_rules.end()) return at->rule;
    if (field == "created_at") return first;
    return field == "deleted_at" ? least : latest;
}

bool is_said_once(std::string_view kind) {
    return kind == model::agent_message_kind;
}

bool is_sync_kind(std::string_view kind) {
    static constexpr std::array kinds{
        model::agent_kind,       model::agent_state_kind, model::agent_message_kind, model::agent_subscription_kind,
        model::agent_timer_kind, model::link_kind,        model::read_mark_kind,     model::run_claim_kind,
        model::erasure_kind,
    };
    return std::ranges::find(kinds, kind) != kinds.end() || model::parse_journal_kind(kind).has_value();
}

bool is_concurrent(FieldRule rule) {
    return rule == concurrent_least || rule == concurrent_greatest || rule == concurrent_lifecycle;
}

bool only_grows(FieldRule rule) {
    return rule == first || rule == least || rule == greatest || rule == counters;
}

}  // namespace belfry::rules
