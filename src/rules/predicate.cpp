#include "rules/predicate.hpp"

#include <algorithm>

#include "model/severity.hpp"
#include "rules/value_order.hpp"

namespace belfry::rules {
namespace {

using model::Value;
using Kind = PredicateNode::Kind;

const Value* find(const PredicateFacts& facts, const PredicatePath& path) {
    const Value* root = facts.root(path.root);
    return root == nullptr ? nullptr : walk(*root, path.steps);
}

const Value& value_of(const PredicateFacts& facts, const PredicateOperand& operand) {
    static const Value null;
    if (const auto* literal = std::get_if<Value>(&operand)) return *literal;
    const Value* found = find(facts, *std::get_if<PredicatePath>(&operand));
    return found == nullptr ? null : *found;
}

std::partial_ordering order_of_severities(const Value& a, const Value& b) {
    const auto left = model::parse_severity(a.text());
    const auto right = model::parse_severity(b.text());
    if (!left || !right) return std::partial_ordering::unordered;
    return *left <=> *right;
}

bool has(const Value& list, const Value& wanted) {
    return std::ranges::any_of(list.items(), [&](const Value& item) { return item == wanted; });
}

bool contains(const Value& whole, const Value& part) {
    if (!whole.is_string()) return has(whole, part);
    return part.is_string() && whole.text().find(part.text()) != std::string_view::npos;
}

bool test(const PredicateNode& node, const Value& left, const Value& right) {
    const auto order = [&] {
        const bool by_rank = is_severity(node.left) || is_severity(node.right);
        return by_rank ? order_of_severities(left, right) : order_of(left, right);
    };
    switch (node.kind) {
        case Kind::equal: return left == right;
        case Kind::not_equal: return !(left == right);
        case Kind::less: return order() < 0;
        case Kind::less_or_equal: return order() <= 0;
        case Kind::greater: return order() > 0;
        case Kind::greater_or_equal: return order() >= 0;
        case Kind::in: return has(right, left);
        case Kind::contains: return contains(left, right);
        case Kind::starts_with: return left.is_string() && right.is_string() && left.text().starts_with(right.text());
        default: return false;
    }
}

bool holds(const PredicateNode& node, const PredicateFacts& facts) {
    const auto part_holds = [&](const PredicateNode& part) { return holds(part, facts); };
    switch (node.kind) {
        case Kind::all_of: return std::ranges::all_of(node.parts, part_holds);
        case Kind::any_of: return std::ranges::any_of(node.parts, part_holds);
        case Kind::negation: return !part_holds(node.parts.front());
        case Kind::exists: return find(facts, *std::get_if<PredicatePath>(&node.left)) != nullptr;
        case Kind::linked: return facts.is_linked(node.relation, node.linked_id);
        default: return test(node, value_of(facts, node.left), value_of(facts, node.right));
    }
}

}  // namespace

Predicate::Predicate(PredicateNode tree) : tree_(std::move(tree)) {
    note(tree_);
}

void Predicate::note(const PredicateNode& node) {
    for (const PredicateNode& part : node.parts) note(part);
    note(node.left);
    note(node.right);
    if (node.kind == PredicateNode::Kind::linked) has_links_ = true;
}

void Predicate::note(const PredicateOperand& operand) {
    const auto* path = std::get_if<PredicatePath>(&operand);
    if (path == nullptr) return;
    if (std::ranges::find(paths_, *path) == paths_.end()) paths_.push_back(*path);
    if (std::ranges::find(roots_, path->root) == roots_.end()) roots_.push_back(path->root);
}

bool Predicate::holds(const PredicateFacts& facts) const {
    return rules::holds(tree_, facts);
}

std::string Predicate::text() const {
    std::string out;
    append_text(out, tree_);
    return out;
}

}  // namespace belfry::rules
