#include "rules/journal_tokens.hpp"

#include <algorithm>
#include <string_view>

#include "model/journal_fields.hpp"
#include "rules/journal_parent.hpp"

namespace belfry::rules {
namespace {

using model::ChangeToken;

class Tokens {
public:
    void key(std::string_view name) { add(ChangeToken::make(ChangeToken::Class::semantic_key, {}, name)); }
    void subtype(std::string_view name_space, std::string_view name) {
        add(ChangeToken::make(ChangeToken::Class::subtype, name_space, name));
    }
    void id(std::string_view id) { add(ChangeToken::make(ChangeToken::Class::entity_id, {}, id)); }
    [[nodiscard]] std::vector<ChangeToken> take() { return std::move(tokens_); }

private:
    void add(base::Result<ChangeToken> token) {
        if (!token.ok() || std::ranges::find(tokens_, *token) != tokens_.end()) return;
        tokens_.push_back(std::move(*token));
    }

    std::vector<ChangeToken> tokens_;
};

template <class Enum, std::size_t count>
std::string_view name_in(const std::array<std::string_view, count>& names, Enum value) {
    return names[static_cast<std::size_t>(value)];
}

std::string_view key_of(const model::JournalBody& body) {
    constexpr std::array<std::string_view, 4> of_entries{"TEXT_ENTRY", "AUDIO", "WORKOUT", "AI_RESPONSE"};
    constexpr std::array<std::string_view, model::journal_kind_count> of_kinds{
        "CATEGORY", "LABEL", "", "TASK", "CHECKLIST", "CHECKLIST_ITEM", "TIME_ENTRY", "DAY_PLAN", "RATING"};
    const auto* const entry = std::get_if<model::Entry>(&body);
    return entry != nullptr ? name_in(of_entries, entry->type) : of_kinds[body.index()];
}

void add_subtypes(Tokens& tokens, const model::JournalBody& body) {
    if (const auto* entry = std::get_if<model::Entry>(&body)) {
        tokens.subtype("entry.type", name_in(model::entry_type_names, entry->type));
        tokens.subtype("workout.type", entry->workout_type);
    } else if (const auto* task = std::get_if<model::Task>(&body)) {
        tokens.subtype("task.status", name_in(model::task_status_names, task->status));
        tokens.subtype("task.priority", name_in(model::task_priority_names, task->priority));
    } else if (const auto* rating = std::get_if<model::Rating>(&body)) {
        tokens.subtype("rating.target", name_in(model::rating_target_names, rating->target));
    }
}

void add_parent(Tokens& tokens, const model::JournalBody& body) {
    const auto* const rating = std::get_if<model::Rating>(&body);
    if (rating != nullptr && rating->target != model::RatingTarget::session) return;  // a date is no record
    tokens.id(parent_of(body).id);
}

}  // namespace

std::vector<ChangeToken> change_tokens(const model::JournalRecord* before, const model::JournalRecord& after) {
    Tokens tokens;
    tokens.key(key_of(after.body));
    add_subtypes(tokens, after.body);
    if (before != nullptr) tokens.subtype(category_namespace, before->category_id);
    tokens.subtype(category_namespace, after.category_id);
    tokens.id(after.id);
    if (before != nullptr) add_parent(tokens, before->body);
    add_parent(tokens, after.body);
    return tokens.take();
}

std::vector<ChangeToken> change_tokens(const model::Link& link) {
    Tokens tokens;
    tokens.key("LINK");
    tokens.subtype("link.relation", link.relation);
    tokens.id(link.from_id);
    tokens.id(link.to_id);
    return tokens.take();
}

}  // namespace belfry::rules
