#include "rules/wake_facts.hpp"

#include <array>

#include "model/value_json.hpp"

namespace belfry::rules {
namespace {

constexpr std::array<std::string_view, 2> event_roots{"event", "payload"};
constexpr std::array<std::string_view, 11> change_roots{"agent",      "agent_state", "category",  "label",
                                                        "entry",      "task",        "checklist", "checklist_item",
                                                        "time_entry", "day_plan",    "rating"};

model::Value text_or_null(std::string_view text) {
    return text.empty() ? model::Value() : model::Value::string(std::string(text));
}

model::Value tree_of(const model::Event& event) {
    model::Value tree = model::Value::object(8);
    tree.append("type", model::Value::string(event.type));
    tree.append("source", text_or_null(event.source));
    tree.append("severity", model::Value::string(
                                std::string(model::severity_name(event.severity.value_or(model::Severity::info)))));
    tree.append("user_id", text_or_null(event.user_id));
    tree.append("session_id", text_or_null(event.session_id));
    tree.append("agent_id", text_or_null(event.agent_id));
    tree.append("dedupe_key", text_or_null(event.dedupe_key));
    tree.append("id", text_or_null(event.source_id));
    return tree;
}

}  // namespace

std::span<const std::string_view> roots_of(const model::WakeSubscription& subscription) {
    if (subscription.types.empty()) return change_roots;
    return event_roots;
}

const model::Value* EventFacts::root(std::string_view name) const {
    if (name == "payload") {
        if (!payload_tree_) payload_tree_ = model::value_from(event_.payload.view());
        return &*payload_tree_;
    }
    if (name != "event") return nullptr;
    if (!event_tree_) event_tree_ = tree_of(event_);
    return &*event_tree_;
}

bool EventFacts::is_linked(std::string_view, std::optional<std::string_view>) const {
    return false;
}

const model::Value* AgentFacts::root(std::string_view name) const {
    if (name != "agent" && name != "agent_state") return nullptr;
    if (!agent_tree_) {
        std::string text;
        model::JsonWriter writer(text);
        model::append_agent(writer, record_);
        const model::Value whole = model::value_from(model::JsonView{text});
        agent_tree_ = model::Value::object(whole.size());
        for (const model::Member& member : whole.members()) {
            if (member.key() == "state") state_tree_ = member.value;
            else if (member.key() != "runtime") agent_tree_->append(member.name, member.value);
        }
    }
    return name == "agent" ? &*agent_tree_ : &*state_tree_;
}

bool AgentFacts::is_linked(std::string_view, std::optional<std::string_view>) const {
    return false;
}

}  // namespace belfry::rules
