#include "sim/wants.hpp"

#include <algorithm>

#include "rules/dedupe_key.hpp"
#include "rules/type_pattern.hpp"
#include "sim/planner.hpp"

namespace belfry::sim {
namespace {

using base::Code;

model::Event read_event(std::string_view json) {
    const model::JsonView body{json};
    const auto text = [&](std::string_view name) {
        const auto member = body.member(name);
        return member ? member->as_text() : std::string();
    };
    model::Event event;
    event.type = text("type");
    event.source = text("source");
    event.severity = model::parse_severity(text("severity"));
    event.dedupe_key = text("dedupe_key");
    event.user_id = text("user_id");
    event.session_id = text("session_id");
    if (const auto payload = body.member("payload")) {
        event.payload = model::RawJson::trusted(std::string(payload->text));
    }
    return event;
}

bool matches(const model::Subscriber& subscriber, const model::Event& event) {
    const bool of_type = std::ranges::any_of(
        subscriber.types, [&](const std::string& pattern) { return rules::matches_type(pattern, event.type); });
    const bool of_source =
        subscriber.sources.empty() || std::ranges::find(subscriber.sources, event.source) != subscriber.sources.end();
    return of_type && of_source && (!subscriber.severity_min || *event.severity >= *subscriber.severity_min);
}

bool is_certain_refusal(const base::Error& error) {
    return error.code == Code::unavailable || error.code == Code::invalid || error.code == Code::not_found;
}

}  // namespace

std::vector<Wants::Off>& Wants::choices(const std::string& user) {
    std::vector<Off>& lists = off_[user];
    if (lists.empty()) lists.emplace_back();
    return lists;
}

void Wants::told(const SentSettings& sent, const base::Result<model::UserSettings>& reply, Complaints& complaints) {
    if (reply.ok()) off_[sent.user_id] = {Off(sent.disabled_subscribers.begin(), sent.disabled_subscribers.end())};
    else if (reply.error().code == Code::outcome_unknown) unheard(sent);
    else if (!is_certain_refusal(reply.error())) complaints.push_back("settings refused: " + reply.error().message);
}

void Wants::told(const SentToggle& sent, const base::Result<model::UserSettings>& reply, Complaints& complaints) {
    if (reply.ok()) {
        for (Off& list : choices(sent.user_id)) {
            if (sent.enabled) list.erase(sent.subscriber_id);
            else list.insert(sent.subscriber_id);
        }
    } else if (reply.error().code == Code::outcome_unknown) {
        unheard(sent);
    } else if (!is_certain_refusal(reply.error())) {
        complaints.push_back("a switch was refused: " + reply.error().message);
    }
}

void Wants::unheard(const SentSettings& sent) {
    choices(sent.user_id).emplace_back(sent.disabled_subscribers.begin(), sent.disabled_subscribers.end());
}

void Wants::unheard(const SentToggle& sent) {
    std::vector<Off>& lists = choices(sent.user_id);
    const std::size_t before = lists.size();
    for (std::size_t i = 0; i < before; ++i) {
        Off list = lists[i];
        if (sent.enabled) list.erase(sent.subscriber_id);
        else list.insert(sent.subscriber_id);
        lists.push_back(std::move(list));
    }
}

void Wants::maybe_erased(const std::string& user) {
    choices(user).emplace_back();
}

void Wants::compare(const Stock& stock, Complaints& complaints) {
    std::map<std::string, Off> stored;
    for (const model::UserSettings& one : stock.settings) {
        stored[one.user_id] = Off(one.disabled_subscribers.begin(), one.disabled_subscribers.end());
        choices(one.user_id);
    }
    for (auto& [user, lists] : off_) {
        if (std::ranges::find(lists, stored[user]) == lists.end()) {
            complaints.push_back("the settings of " + user + " are not what was asked for");
        }
        lists = {stored[user]};
    }
}

std::pair<bool, bool> Wants::is_on(const std::string& user, const std::string& subscriber) const {
    const auto at = off_.find(user);
    if (at == off_.end()) return {true, true};
    const auto on = [&](const Off& list) { return !list.contains(subscriber); };
    return {std::ranges::all_of(at->second, on), std::ranges::any_of(at->second, on)};
}

std::string Wants::user_of(const std::string& user_id, const std::string& dedupe_key) {
    return dedupe_key.find(nobodys) == std::string::npos ? user_id : "?";
}

std::vector<Wants::Wish> Wants::of(std::string_view event_json) const {
    const model::Event event = read_event(event_json);
    std::vector<std::string> users{event.user_id};
    if (event.user_id.empty()) {
        users = {"owner"};
        if (!event.session_id.empty()) {
            users.emplace_back();  // one who has never changed anything
            for (const auto& [user, lists] : off_) users.push_back(user);
        }
    }
    std::vector<Wish> wishes;
    for (const model::Subscriber& subscriber : catalogue_->subscribers) {
        if (!matches(subscriber, event)) continue;
        bool in_all = true;
        bool in_any = subscriber.core;
        for (const std::string& user : users) {
            if (subscriber.core) break;
            const auto [all, any] = is_on(user, subscriber.id);
            in_all = in_all && all;
            in_any = in_any || any;
        }
        if (!in_any) continue;
        Wish wish{subscriber.id, event.user_id, {}, in_all};
        rules::DedupeKey::parse(subscriber.dedupe_key)->append(wish.dedupe_key, event);
        wish.user_id = user_of(event.user_id, wish.dedupe_key);
        wishes.push_back(std::move(wish));
    }
    return wishes;
}

}  // namespace belfry::sim
