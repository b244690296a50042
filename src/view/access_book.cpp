#include "view/access_book.hpp"

#include "base/hash.hpp"
#include "rules/may.hpp"

namespace belfry::view {
namespace {

std::string_view view(const base::Sha256& hash) {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace

base::Result<model::Principal> AccessBook::authenticate(std::string_view token) const {
    const base::Error refused = base::error(base::Code::unauthenticated, "the access token is not valid");
    if (!token.starts_with("bf_")) return refused;
    token.remove_prefix(3);
    const std::size_t cut = token.find('_');
    if (cut == std::string_view::npos) return refused;
    const auto found = by_id_.find(token.substr(0, cut));
    // The hash is computed and compared for unknown ids too, so that time tells nothing about which ids exist.
    const base::Sha256 hash = base::sha256(token.substr(cut + 1));
    const base::Sha256 nobody{};
    const base::Sha256& wanted = found != by_id_.end() ? found->second->secret_hash : nobody;
    const bool matches = base::equal_in_constant_time(view(hash), view(wanted));
    if (!matches || found == by_id_.end()) return refused;
    if (found->second->expires_at && *found->second->expires_at <= clock_.now()) {
        return base::error(base::Code::unauthenticated, "the access token has expired");
    }
    return model::principal_of(*found->second);
}

base::Result<std::vector<model::AccessToken>> AccessBook::tokens(const model::Principal& who) const {
    TRY(rules::may_administer(who));
    return tokens_ ? *tokens_ : std::vector<model::AccessToken>{};
}

void AccessBook::adopt(std::shared_ptr<const std::vector<model::AccessToken>> tokens) {
    by_id_.clear();
    tokens_ = std::move(tokens);
    for (const model::AccessToken& token : *tokens_) by_id_.emplace(token.id, &token);
    ++generation_;
}

}  // namespace belfry::view
