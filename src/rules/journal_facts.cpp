#include "rules/journal_facts.hpp"

#include <algorithm>
#include <string>

#include "model/journal_json.hpp"
#include "model/value_json.hpp"

namespace belfry::rules {
namespace {

using model::Value;

// `category_id` as `categoryId`.
std::string other_spelling(std::string_view name) {
    std::string other;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool is_joint = name[i] == '_' && i + 1 < name.size() && name[i + 1] >= 'a' && name[i + 1] <= 'z';
        if (is_joint) other += static_cast<char>(name[++i] - 'a' + 'A');
        else other += name[i];
    }
    return other;
}

// An object of Belfry's own: what others put into it, they have named themselves.
Value with_both_spellings(const Value& object) {
    Value both = Value::object(2 * object.size());
    for (const model::Member& member : object.members()) {
        Value value = member.value;
        if (member.key() == "blocks") {
            value = Value::array(member.value.size());
            for (const Value& block : member.value.items()) value.push(with_both_spellings(block));
        }
        const std::string other = other_spelling(member.key());
        if (other != member.key()) both.append(other, value);
        both.append(member.name, std::move(value));
    }
    return both;
}

}  // namespace

const Value* JournalFacts::root(std::string_view name) const {
    if (name != model::journal_kind_name(record_.kind())) return nullptr;
    if (!tree_) {
        std::string text;
        model::JsonWriter writer(text);
        model::append_record(writer, record_);
        tree_ = with_both_spellings(model::value_from(model::JsonView{text}));
    }
    return &*tree_;
}

bool JournalFacts::is_linked(std::string_view relation, std::optional<std::string_view> id) const {
    return std::ranges::any_of(links_, [&](const model::Link& link) {
        if (link.relation != relation) return false;
        if (link.from_id == record_.id) return !id || *id == link.to_id;
        return link.to_id == record_.id && (!id || *id == link.from_id);
    });
}

}  // namespace belfry::rules
