#include "rules/predicate_tree.hpp"

#include <string_view>

#include "model/value_json.hpp"

namespace belfry::rules {
namespace {

using Kind = PredicateNode::Kind;

std::string_view operator_of(Kind kind) {
    switch (kind) {
        case Kind::equal: return " == ";
        case Kind::not_equal: return " != ";
        case Kind::less: return " < ";
        case Kind::less_or_equal: return " <= ";
        case Kind::greater: return " > ";
        case Kind::greater_or_equal: return " >= ";
        case Kind::in: return " in ";
        case Kind::contains: return " contains ";
        case Kind::starts_with: return " starts_with ";
        case Kind::all_of: return " and ";
        case Kind::any_of: return " or ";
        default: return {};
    }
}

void append_operand(std::string& out, const PredicateOperand& operand) {
    if (const auto* path = std::get_if<PredicatePath>(&operand)) {
        append_text(out, *path);
    } else {
        model::append_json(out, *std::get_if<model::Value>(&operand));
    }
}

void append_quoted(std::string& out, std::string_view text) {
    model::append_json(out, model::Value::string(text));
}

// `and` binds closer than `or`, so only that may stand inside of the other without parentheses.
void append_part(std::string& out, Kind around, const PredicateNode& part) {
    const bool is_bare = part.kind > Kind::any_of || (around == Kind::any_of && part.kind == Kind::all_of);
    if (!is_bare) out += '(';
    append_text(out, part);
    if (!is_bare) out += ')';
}

void append_linked(std::string& out, const PredicateNode& node) {
    out += "linked(";
    append_quoted(out, node.relation);
    if (node.linked_id) {
        out += ", ";
        append_quoted(out, *node.linked_id);
    }
    out += ')';
}

}  // namespace

bool is_severity(const PredicateOperand& operand) {
    static const PredicatePath severity{"event", {"severity"}};
    const auto* path = std::get_if<PredicatePath>(&operand);
    return path != nullptr && *path == severity;
}

void append_text(std::string& out, const PredicateNode& node) {
    switch (node.kind) {
        case Kind::all_of:
        case Kind::any_of:
            for (std::size_t i = 0; i < node.parts.size(); ++i) {
                if (i > 0) out += operator_of(node.kind);
                append_part(out, node.kind, node.parts[i]);
            }
            return;
        case Kind::negation:
            out += "not ";
            append_part(out, node.kind, node.parts.front());
            return;
        case Kind::exists:
            out += "exists ";
            append_operand(out, node.left);
            return;
        case Kind::linked: append_linked(out, node); return;
        default:
            append_operand(out, node.left);
            out += operator_of(node.kind);
            append_operand(out, node.right);
    }
}

}  // namespace belfry::rules
