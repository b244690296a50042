#include "rules/change_sight.hpp"

#include <algorithm>
#include <utility>

#include "model/journal.hpp"
#include "rules/journal_tokens.hpp"

namespace belfry::rules {
namespace {

using model::ChangeToken;

bool is_link(const model::Change& change) {
    return change.unit.kind == model::link_kind;
}

bool is_of_journal(const model::Change& change) {
    return is_link(change) || model::parse_journal_kind(change.unit.kind);
}

bool is_category(const ChangeToken& token) {
    return token.token_class == ChangeToken::Class::subtype && token.name_space == category_namespace;
}

bool is_among(std::span<const std::string> all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
}

// Its category after the change is named last.
bool has_left(const model::Change& change, std::span<const std::string> allowed) {
    const auto last = std::ranges::find_if(change.tokens.rbegin(), change.tokens.rend(), is_category);
    return last == change.tokens.rend() || !is_among(allowed, last->name);
}

}  // namespace

bool may_be_told(const model::Change& change, std::span<const std::string> allowed) {
    if (!is_of_journal(change)) return true;
    if (is_link(change)) return !allowed.empty();
    return std::ranges::any_of(
        change.tokens, [&](const ChangeToken& token) { return is_category(token) && is_among(allowed, token.name); });
}

std::vector<std::string> named_by(const model::Change& change) {
    std::vector<std::string> ids;
    if (!is_of_journal(change)) return ids;
    for (const ChangeToken& token : change.tokens) {
        const bool is_id = token.token_class == ChangeToken::Class::entity_id;
        if (is_id && token.name != change.unit.id) ids.push_back(token.name);
    }
    return ids;
}

std::optional<model::Change> told_part(model::Change change, std::span<const std::string> allowed,
                                       const std::set<std::string>& seen) {
    if (!is_of_journal(change)) return change;
    if (!may_be_told(change, allowed)) return {};
    const std::vector<std::string> named = named_by(change);
    const bool sees_all = std::ranges::all_of(named, [&](const std::string& id) { return seen.contains(id); });
    if (is_link(change)) return sees_all && named.size() == 2 ? std::optional(std::move(change)) : std::nullopt;
    // The id of a rating has that of what is rated.
    if (change.unit.kind == model::journal_kind_name(model::JournalKind::rating) && !sees_all) return {};
    const bool is_away = has_left(change, allowed);
    std::erase_if(change.tokens, [&](const ChangeToken& token) {
        if (is_category(token)) return !is_among(allowed, token.name);
        if (token.token_class == ChangeToken::Class::subtype) return is_away;
        const bool is_other = token.token_class == ChangeToken::Class::entity_id && token.name != change.unit.id;
        return is_other && (is_away || !seen.contains(token.name));
    });
    return change;
}

}  // namespace belfry::rules
