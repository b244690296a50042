#include "client/inbox_view.hpp"

#include <utility>

#include "client/fields.hpp"

namespace belfry::client {
namespace {

bool is_final(std::string_view state) {
    return state == "delivered" || state == "failed";
}

// True where it was set by this.
bool mark(std::string& place, std::string time) {
    if (!place.empty() || time.empty()) return false;
    place = std::move(time);
    return true;
}

}  // namespace

InboxView::Change InboxView::take(const model::RawJson& message) {
    if (message.view().kind() != model::JsonKind::object) return Change::none;
    const Fields fields(message.view());
    if (fields.text("id").empty()) return Change::none;
    const std::string type = fields.text("type");
    if (type == "notification") return take_notification(message);
    if (type == "notification_state") return take_state(message);
    return Change::none;
}

InboxView::Change InboxView::take_notification(const model::RawJson& message) {
    const Fields fields(message.view());
    const std::pair came{fields.number("owner_lease"), fields.number("version")};
    Item* item = known(fields.text("id"));
    const bool is_new = item == nullptr;
    if (!is_new && (is_final(item->state) || came <= std::pair(item->lease, item->version))) {
        return Change::none;
    }
    if (is_new) item = &add(fields.text("id"));
    item->lease = came.first;
    item->version = came.second;
    item->session_id = fields.text("session_id");
    item->text = fields.text("text");
    item->content = fields.text("content");
    item->priority = fields.text("priority");
    item->state = fields.text("state");
    item->narrated = fields.flag("narrated").value_or(false);
    item->timestamp = fields.text("timestamp");
    return is_new ? Change::added : Change::replaced;
}

InboxView::Change InboxView::take_state(const model::RawJson& message) {
    const Fields fields(message.view());
    Item* const item = known(fields.text("id"));
    if (item == nullptr) return Change::none;
    bool changed = mark(item->seen_at, fields.text("seen_at"));
    changed |= mark(item->acted_at, fields.text("acted_at"));
    changed |= mark(item->dismissed_at, fields.text("dismissed_at"));
    const std::string state = fields.text("state");
    const bool is_older =
        std::pair(fields.number("owner_lease"), fields.number("version")) < std::pair(item->lease, item->version);
    if (!is_final(item->state) && !state.empty() && state != item->state && (!is_older || is_final(state))) {
        item->state = state;
        changed = true;
    }
    return changed ? Change::marked : Change::none;
}

const InboxView::Item* InboxView::find(std::string_view id) const {
    const auto found = places_.find(std::string(id));
    return found == places_.end() ? nullptr : &items_[found->second];
}

InboxView::Item* InboxView::known(const std::string& id) {
    const auto found = places_.find(id);
    return found == places_.end() ? nullptr : &items_[found->second];
}

InboxView::Item& InboxView::add(const std::string& id) {
    places_.emplace(id, items_.size());
    items_.emplace_back().id = id;
    return items_.back();
}

}  // namespace belfry::client
