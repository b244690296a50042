#include "engine/settings.hpp"

#include <utility>

#include "base/limits.hpp"
#include "rules/may.hpp"

namespace belfry::engine {
namespace {

using base::Code;

base::Result<void> check_user(const std::string& user_id) {
    if (!user_id.empty() && user_id.size() <= base::limits::scope_id_bytes_max) return {};
    return base::error(Code::invalid,
                       "user_id must have 1 to " + std::to_string(base::limits::scope_id_bytes_max) + " bytes",
                       "user_id");
}

base::Result<void> check_may_be_off(const model::Catalogue& catalogue, const std::string& id,
                                    const std::string& field) {
    const model::Subscriber* const subscriber = catalogue.find(id);
    if (subscriber == nullptr) return base::error(Code::invalid, "there is no subscriber \"" + id + "\"", field);
    if (subscriber->core) {
        return base::error(Code::invalid, "subscriber \"" + id + "\" is a core one and cannot be switched off", field);
    }
    return {};
}

}  // namespace

std::vector<std::type_index> Settings::handles() const {
    return {typeid(ports::PutSettings), typeid(ports::ToggleSubscriber)};
}

base::Result<void> Settings::rebuild(Unit& unit) {
    dropped();
    off_.clear();
    TRY_ASSIGN(const std::vector<model::UserSettings> all, unit.store.settings().load());
    for (const model::UserSettings& settings : all) {
        off_[settings.user_id].insert(settings.disabled_subscribers.begin(), settings.disabled_subscribers.end());
    }
    return {};
}

base::Result<void> Settings::apply(ports::Command& command, Unit& unit) {
    if (auto* list = dynamic_cast<ports::PutSettings*>(&command)) return put(*list, unit);
    return toggle(static_cast<ports::ToggleSubscriber&>(command), unit);
}

base::Result<void> Settings::put(ports::PutSettings& command, Unit& unit) {
    auto allowed = rules::may_set_for(command.principal, command.user_id);
    if (allowed.ok()) allowed = check_user(command.user_id);
    const auto catalogue = subscribers_.current();
    const auto* const before = find(command.user_id);
    std::set<std::string, std::less<>> off;
    for (std::size_t i = 0; allowed.ok() && i < command.disabled_subscribers.size(); ++i) {
        const std::string& id = command.disabled_subscribers[i];
        // The file of a subscriber may be away for a while. The list that was read can be written back all the same.
        const bool stays_off = catalogue->find(id) == nullptr && before != nullptr && before->contains(id);
        if (!stays_off) {
            allowed = check_may_be_off(*catalogue, id, "disabled_subscribers[" + std::to_string(i) + "]");
        }
        off.insert(id);
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY_ASSIGN(model::UserSettings settings, write(command.user_id, std::move(off), command.principal, unit));
    command.settle(std::move(settings));
    return {};
}

base::Result<void> Settings::toggle(ports::ToggleSubscriber& command, Unit& unit) {
    const std::string user_id =
        command.user_id.empty() ? rules::default_user(command.principal, owner_) : command.user_id;
    auto allowed = rules::may_set_for(command.principal, user_id);
    if (allowed.ok()) allowed = check_user(user_id);
    const auto catalogue = subscribers_.current();
    if (allowed.ok() && catalogue->find(command.subscriber_id) == nullptr) {
        allowed = base::error(Code::not_found, "there is no subscriber \"" + command.subscriber_id + "\"");
    }
    if (allowed.ok() && !command.enabled) allowed = check_may_be_off(*catalogue, command.subscriber_id, "enabled");
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    const auto* const before = find(user_id);
    std::set<std::string, std::less<>> off = before == nullptr ? std::set<std::string, std::less<>>{} : *before;
    if (command.enabled) off.erase(command.subscriber_id);
    else off.insert(command.subscriber_id);
    TRY_ASSIGN(model::UserSettings settings, write(user_id, std::move(off), command.principal, unit));
    command.settle(std::move(settings));
    return {};
}

base::Result<model::UserSettings> Settings::write(const std::string& user_id, std::set<std::string, std::less<>> off,
                                                  const model::Principal& by, Unit& unit) {
    model::UserSettings settings;
    settings.user_id = user_id;
    settings.disabled_subscribers.assign(off.begin(), off.end());
    TRY(unit.store.settings().put(settings));
    std::string detail = "\"user_id\":\"";
    model::append_escaped(detail, user_id);
    detail += "\",\"disabled_subscribers\":";
    model::JsonWriter writer(detail);
    writer.begin_array();
    for (const std::string& id : settings.disabled_subscribers) writer.text(id);
    writer.end_array();
    unit.audit("settings.put", by, detail);
    pending_[user_id] = std::move(off);
    return settings;
}

const std::set<std::string, std::less<>>* Settings::find(const std::string& user_id) const {
    if (const auto at = pending_.find(user_id); at != pending_.end()) return &at->second;
    const auto at = off_.find(user_id);
    return at == off_.end() ? nullptr : &at->second;
}

bool Settings::is_off(const std::string& user_id, const model::Subscriber& subscriber) const {
    if (subscriber.core || (off_.empty() && pending_.empty())) return false;
    const auto* const off = find(user_id);
    return off != nullptr && off->contains(subscriber.id);
}

base::Result<void> Settings::erase_user(const std::string& user_id, Unit& unit) {
    pending_[user_id].clear();
    return unit.store.settings().erase_user(user_id);
}

void Settings::committed(Effects&) {
    for (auto& [user, off] : pending_) {
        if (off.empty()) off_.erase(user);
        else off_[user] = std::move(off);
    }
    pending_.clear();
}

void Settings::dropped() {
    pending_.clear();
}

}  // namespace belfry::engine
