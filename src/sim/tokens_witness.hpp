#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/effects.hpp"
#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Remembers which access tokens there are: minted ones stay until they are revoked, expire or their user is erased; a
// revoked one never comes back.
class TokensWitness {
public:
    void told(const SentMint& sent, const base::Result<ports::MintedToken>& reply, Complaints& complaints);
    void told(const SentRevoke& sent, const base::Result<model::AccessToken>& reply, base::Timestamp now,
              Complaints& complaints);
    void unheard(const SentMint& sent) { open_mints_.insert(sent.name); }
    void unheard(const SentRevoke& sent) { open_revokes_.insert(sent.token_id); }
    void erased(const std::string& user);
    void maybe_erased(const std::string& user) { open_users_.insert(user); }
    // The list that the engine let out.
    void listed(const engine::TokenList& list) { list_ = list; }

    void compare(const Stock& stock, base::Timestamp now, Complaints& complaints);

    // The id of some token, for one to be revoked; empty where there is none.
    [[nodiscard]] std::string some(std::uint64_t draw) const;

private:
    struct Token {
        std::string name;
        std::string user_id;
        std::optional<base::Timestamp> expires_at;
    };

    std::map<std::string, Token> tokens_;
    std::set<std::string> open_mints_;  // names
    std::set<std::string> open_revokes_;
    std::set<std::string> open_users_;
    engine::TokenList list_;
};

}  // namespace belfry::sim
