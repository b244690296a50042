#pragma once

#include <map>
#include <string>

#include "engine/capability.hpp"
#include "ports/commands/access.hpp"

namespace belfry::engine {

// Access tokens: minted, revoked, and gone when their time is over.
class Access final : public Capability {
public:
    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override { return first_expiry_; }
    base::Result<void> tend(Unit& unit) override;

    // Removes every token of this user, as part of his erasure.
    base::Result<void> revoke_user(const std::string& user_id, Unit& unit);

private:
    base::Result<void> mint(ports::MintToken& command, Unit& unit);
    // The users that a new token is bound to.
    static base::Result<base::Result<std::vector<std::string>>> users_of(const ports::MintToken& command, Unit& unit);
    base::Result<void> revoke(ports::RevokeToken& command, Unit& unit);
    base::Result<void> remove(const std::string& id, const model::Principal& by, const char* why, Unit& unit);

    std::map<std::string, model::AccessToken> tokens_;   // as committed
    std::map<std::string, model::AccessToken> pending_;  // as this transaction sees them
    std::optional<base::Timestamp> first_expiry_;
    bool changed_ = false;
    bool publish_ = false;  // after a rebuild: even where nothing changed
};

}  // namespace belfry::engine
