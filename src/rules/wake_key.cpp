#include "rules/wake_key.hpp"

#include <set>
#include <vector>

#include "rules/canonical_json.hpp"
#include "rules/key_maker.hpp"

namespace belfry::rules {

std::string batch_id(std::span<const model::ChangeUnit> units) {
    const auto by_value = [](const model::ChangeUnit* a, const model::ChangeUnit* b) { return *a < *b; };
    std::set<const model::ChangeUnit*, decltype(by_value)> sorted(by_value);
    for (const model::ChangeUnit& unit : units) sorted.insert(&unit);
    KeyMaker maker("wake.batch");
    maker.add_number(std::uint64_t{sorted.size()});
    for (const model::ChangeUnit* unit : sorted) {
        maker.add(unit->host).add_number(unit->counter).add(unit->kind).add(unit->id);
    }
    return maker.key();
}

std::string link_key(std::string_view relation, std::string_view from_id, std::string_view to_id) {
    return KeyMaker("journal.link").add(relation).add(from_id).add(to_id).key();
}

std::string subscription_run_key(std::string_view agent_id, std::string_view subscription_id,
                                 std::string_view batch_id) {
    return KeyMaker("wake.subscription").add(agent_id).add(subscription_id).add(batch_id).key();
}

std::string event_run_key(std::string_view agent_id, std::string_view subscription_id,
                          std::span<const std::string> event_ids) {
    const std::set<std::string_view> sorted(event_ids.begin(), event_ids.end());
    return KeyMaker("wake.events").add(agent_id).add(subscription_id).add_set(sorted).key();
}

std::string timer_run_key(std::string_view agent_id, std::string_view timer_id, base::Timestamp scheduled_at) {
    return KeyMaker("wake.timer").add(agent_id).add(timer_id).add_number(scheduled_at.us).key();
}

std::string turn_run_key(std::string_view agent_id, std::string_view session_id, std::string_view turn_id) {
    return KeyMaker("wake.turn").add(agent_id).add(session_id).add(turn_id).key();
}

std::string manual_run_key(std::string_view agent_id, std::string_view request_id) {
    return KeyMaker("wake.manual").add(agent_id).add(request_id).key();
}

std::optional<std::string> shared_run_key(std::string_view agent_id, const model::WakeSignal& signal) {
    switch (signal.kind) {
        case model::SignalKind::change: return subscription_run_key(agent_id, signal.rule, signal.key);
        case model::SignalKind::manual: return manual_run_key(agent_id, signal.key);
        case model::SignalKind::timer: {
            const auto scheduled_at = base::parse_timestamp(signal.key);
            if (scheduled_at) return timer_run_key(agent_id, signal.rule, *scheduled_at);
            return std::nullopt;
        }
        default: return std::nullopt;
    }
}

std::string left_run_key(std::string_view run_key, std::span<const std::string> keys) {
    return KeyMaker("wake.left").add(run_key).add_set({keys.begin(), keys.end()}).key();
}

std::string run_thread_id(std::string_view agent_id, std::string_view run_key) {
    return std::string(agent_id).append(":run:").append(run_key);
}

std::string session_thread_id(std::string_view agent_id, std::string_view session_id) {
    return std::string(agent_id).append(":session:").append(session_id);
}

std::string operation_id(std::string_view run_key, std::uint64_t ordinal, std::string_view tool) {
    return KeyMaker("wake.operation").add(run_key).add_number(ordinal).add(tool).key();
}

std::string other_operation_id(std::string_view operation_id, std::string_view arguments_hash) {
    return KeyMaker("wake.operation.other").add(operation_id).add(arguments_hash).key();
}

std::string arguments_hash(const model::Value& arguments) {
    std::string text;
    append_canonical_json(text, arguments);
    return KeyMaker("wake.arguments").add(text).key();
}

std::string token_set_key(std::span<const model::ChangeToken> tokens) {
    std::vector<std::string> texts;
    texts.reserve(tokens.size());
    for (const model::ChangeToken& token : tokens) texts.push_back(to_text(token));
    return KeyMaker("wake.tokens").add_set({texts.begin(), texts.end()}).key();
}

}  // namespace belfry::rules
