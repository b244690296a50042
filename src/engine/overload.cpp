#include "engine/overload.hpp"

#include <algorithm>
#include <string>

#include "model/value.hpp"
#include "rules/model_tokens.hpp"
#include "text/toon.hpp"

namespace belfry::engine {

void Overload::add(const model::Notification& victim) {
    Count& count = counts_[static_cast<std::size_t>(victim.severity)];
    ++count.notifications;
    for (const model::NotifiedEvent& event : victim.events) count.events += event.count;
    if (!victim.events.empty()) last_ = victim.events.back();
}

void Overload::add_from(std::string_view content) {
    const auto tree = text::toon_decode(content);
    const model::Value* const rows = tree.ok() ? tree->find("dropped") : nullptr;
    if (rows == nullptr) return;
    for (const model::Value& row : rows->items()) {
        const model::Value* const name = row.find("severity");
        const model::Value* const notifications = row.find("notifications");
        const model::Value* const events = row.find("events");
        const auto severity = name == nullptr ? std::nullopt : model::parse_severity(name->text());
        if (!severity || notifications == nullptr || events == nullptr) continue;
        Count& count = counts_[static_cast<std::size_t>(*severity)];
        count.notifications += notifications->as_integer();
        count.events += events->as_integer();
    }
}

bool Overload::is_empty() const {
    return std::ranges::all_of(counts_, [](const Count& count) { return count.notifications == 0; });
}

void Overload::write(model::Notification& summary) const {
    model::Value rows = model::Value::array(counts_.size());
    Count all;
    std::string parts;
    for (std::size_t i = counts_.size(); i-- > 0;) {
        const Count& count = counts_[i];
        if (count.notifications == 0) continue;
        const std::string_view name = model::severity_name(static_cast<model::Severity>(i));
        model::Value row = model::Value::object(3);
        row.append("severity", model::Value::string(name));
        row.append("notifications", model::Value::integer(count.notifications));
        row.append("events", model::Value::integer(count.events));
        rows.push(std::move(row));
        all.notifications += count.notifications;
        all.events += count.events;
        parts += (parts.empty() ? "" : ", ") + std::to_string(count.notifications) + ' ' + std::string(name);
    }
    model::Value tree = model::Value::object(1);
    tree.append("dropped", std::move(rows));
    auto content = text::toon_encode(tree);
    ASSERT(content.ok());
    summary.content = std::move(*content);
    const bool is_one = all.notifications == 1;
    summary.text = "The queue was full: " + std::to_string(all.notifications) +
                   (is_one ? " notification gave way (" : " notifications gave way (") + parts +
                   (is_one ? ") and is among those that failed." : ") and are among those that failed.");
    // What was emitted directly is of no event.
    if (all.events > 0) {
        summary.text += (is_one ? " Its " : " Their ") + std::to_string(all.events) +
                        (all.events == 1 ? " event is in the log." : " events are in the log.");
    }
    summary.subscriber_id = model::overload_subscriber;
    summary.priority = model::Priority::high;
    summary.inject_at = model::InjectAt::turn_start;
    summary.severity = model::Severity::warning;
    if (last_) summary.events.assign(1, *last_);
    summary.model_tokens = rules::estimate_model_tokens(summary.content);
}

}  // namespace belfry::engine
