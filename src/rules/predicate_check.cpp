#include "rules/predicate_check.hpp"

#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "model/severity.hpp"

namespace belfry::rules {
namespace {

using model::Value;
using Kind = PredicateNode::Kind;
using Side = PredicateFault::Side;

constexpr std::array<std::string_view, 5> severities{"debug", "info", "warning", "error", "critical"};

bool is_order(Kind kind) {
    return kind >= Kind::less && kind <= Kind::greater_or_equal;
}

bool is_list_or_text(const Value& value) {
    return value.is_array() || value.is_string();
}

// Null: it is a path.
const Value* literal_of(const PredicateOperand& operand) {
    return std::get_if<Value>(&operand);
}

std::string type_fault(Kind kind, Side side, const Value& literal) {
    if (is_order(kind) && !literal.is_number() && !literal.is_string()) return "only numbers and texts have an order";
    if (kind == Kind::starts_with && !literal.is_string()) return "starts_with compares texts";
    if (kind == Kind::in && side == Side::right && !literal.is_array()) {
        return R"(expected a list, such as ["a", "b"], or a path after in)";
    }
    if (kind == Kind::contains && side == Side::left && !is_list_or_text(literal)) {
        return "expected a list, a text or a path before contains";
    }
    return {};
}

std::string no_severity(const Value& literal) {
    if (literal.is_string() && model::parse_severity(literal.text())) return {};
    std::string message = "event.severity is one of debug, info, warning, error, critical";
    const std::string meant = literal.is_string() ? base::nearest(literal.text(), severities) : "";
    if (!meant.empty()) message += "; did you mean \"" + meant + "\"?";
    return message;
}

// Of a severity that is looked for in a list.
std::string no_severities(const Value& literal) {
    if (!literal.is_array()) return "event.severity is looked for in a list of severities";
    for (const Value& item : literal.items()) {
        if (std::string fault = no_severity(item); !fault.empty()) return fault;
    }
    return {};
}

std::optional<PredicateFault> severity_fault(Kind kind, Side side, const PredicateOperand& other) {
    const Side other_side = side == Side::left ? Side::right : Side::left;
    const bool is_looked_for =
        (kind == Kind::in && side == Side::left) || (kind == Kind::contains && side == Side::right);
    if (kind >= Kind::in && !is_looked_for) {
        return PredicateFault{side, "event.severity has a rank: compare it with == != < <= > >= or in"};
    }
    const Value* literal = literal_of(other);
    if (literal == nullptr) return std::nullopt;
    std::string message = is_looked_for ? no_severities(*literal) : no_severity(*literal);
    if (message.empty()) return std::nullopt;
    return PredicateFault{other_side, std::move(message)};
}

}  // namespace

std::optional<PredicateFault> fault_of(const PredicateNode& test) {
    for (const Side side : {Side::left, Side::right}) {
        const PredicateOperand& operand = side == Side::left ? test.left : test.right;
        const PredicateOperand& other = side == Side::left ? test.right : test.left;
        if (const Value* literal = literal_of(operand)) {
            std::string message = type_fault(test.kind, side, *literal);
            if (!message.empty()) return PredicateFault{side, std::move(message)};
        } else if (is_severity(operand)) {
            auto fault = severity_fault(test.kind, side, other);
            if (fault) return fault;
        }
    }
    return std::nullopt;
}

}  // namespace belfry::rules
