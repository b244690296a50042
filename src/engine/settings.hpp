#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/capability.hpp"
#include "model/session.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/subscribers.hpp"

namespace belfry::engine {

// What people have switched off for themselves. Core subscribers cannot be: not here, and where the store says so all
// the same, it is not heeded.
class Settings final : public Capability {
public:
    // `owner`: whose choice it is where neither command nor principal names a user.
    Settings(const ports::Subscribers& subscribers, std::string owner)
        : subscribers_(subscribers), owner_(std::move(owner)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

    [[nodiscard]] bool is_off(const std::string& user_id, const model::Subscriber& subscriber) const;
    base::Result<void> erase_user(const std::string& user_id, Unit& unit);

private:
    using Choices = std::unordered_map<std::string, std::set<std::string, std::less<>>>;

    base::Result<void> put(ports::PutSettings& command, Unit& unit);
    base::Result<void> toggle(ports::ToggleSubscriber& command, Unit& unit);
    base::Result<model::UserSettings> write(const std::string& user_id, std::set<std::string, std::less<>> off,
                                            const model::Principal& by, Unit& unit);
    [[nodiscard]] const std::set<std::string, std::less<>>* find(const std::string& user_id) const;

    const ports::Subscribers& subscribers_;
    std::string owner_;
    Choices off_;      // by user, as committed
    Choices pending_;  // users whose choice this transaction changes, whole
};

}  // namespace belfry::engine
