#include "sim/tokens_witness.hpp"

#include <algorithm>
#include <iterator>

namespace belfry::sim {

using base::Code;

void TokensWitness::told(const SentMint& sent, const base::Result<ports::MintedToken>& reply, Complaints& complaints) {
    if (reply.ok()) {
        const model::AccessToken& token = reply->token;
        if (tokens_.contains(token.id)) complaints.push_back("token " + token.id + " was minted twice");
        tokens_[token.id] = {token.name, token.user_id, token.expires_at};
    } else if (reply.error().code == Code::outcome_unknown) {
        unheard(sent);
    } else if (reply.error().code != Code::unavailable) {
        complaints.push_back("a token was not minted: " + reply.error().message);
    }
}

void TokensWitness::told(const SentRevoke& sent, const base::Result<model::AccessToken>& reply, base::Timestamp now,
                         Complaints& complaints) {
    const auto at = tokens_.find(sent.token_id);
    if (reply.ok()) {
        if (at == tokens_.end()) complaints.push_back("token " + sent.token_id + " was revoked twice");
        else tokens_.erase(at);
    } else if (reply.error().code == Code::outcome_unknown) {
        unheard(sent);
    } else if (reply.error().code == Code::not_found) {
        const bool is_expired = at != tokens_.end() && at->second.expires_at && *at->second.expires_at <= now;
        if (at != tokens_.end() && !is_expired) complaints.push_back("token " + sent.token_id + " was not found");
    } else if (reply.error().code != Code::unavailable) {
        complaints.push_back("a token was not revoked: " + reply.error().message);
    }
}

void TokensWitness::erased(const std::string& user) {
    std::erase_if(tokens_, [&](const auto& token) { return token.second.user_id == user; });
}

std::string TokensWitness::some(std::uint64_t draw) const {
    if (tokens_.empty()) return {};
    return std::next(tokens_.begin(), static_cast<std::ptrdiff_t>(draw % tokens_.size()))->first;
}

void TokensWitness::compare(const Stock& stock, base::Timestamp now, Complaints& complaints) {
    std::set<std::string> stored;
    for (const model::AccessToken& token : stock.tokens) {
        stored.insert(token.id);
        const auto at = tokens_.find(token.id);
        if (at == tokens_.end() && open_mints_.contains(token.name)) {
            tokens_[token.id] = {token.name, token.user_id, token.expires_at};
        } else if (at == tokens_.end()) {
            complaints.push_back("token " + token.name + " is there though it was revoked or never minted");
        } else if (at->second.name != token.name || at->second.user_id != token.user_id ||
                   at->second.expires_at != token.expires_at) {
            complaints.push_back("token " + token.name + " is not as it was minted");
        }
    }
    std::erase_if(tokens_, [&](const auto& token) {
        if (stored.contains(token.first)) return false;
        const bool may_be_gone = (token.second.expires_at && *token.second.expires_at <= now) ||
                                 open_revokes_.contains(token.first) || open_users_.contains(token.second.user_id);
        if (!may_be_gone) complaints.push_back("token " + token.second.name + " is lost");
        return true;
    });
    if (list_) {
        std::set<std::string> listed;
        for (const model::AccessToken& token : *list_) listed.insert(token.id);
        if (listed != stored) complaints.push_back("the engine let out another list of tokens than the store's");
    }
    open_mints_.clear();
    open_revokes_.clear();
    open_users_.clear();
}

}  // namespace belfry::sim
