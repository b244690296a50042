#include <algorithm>
#include <array>
#include <charconv>

#include "base/nearest.hpp"
#include "base/wake_limits.hpp"
#include "rules/predicate.hpp"
#include "rules/predicate_check.hpp"
#include "rules/predicate_lexer.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Result;
using model::Value;
using Kind = PredicateNode::Kind;
using Token = PredicateToken;

constexpr std::array<std::pair<std::string_view, Kind>, 9> operators{{{"==", Kind::equal},
                                                                      {"!=", Kind::not_equal},
                                                                      {"<", Kind::less},
                                                                      {"<=", Kind::less_or_equal},
                                                                      {">", Kind::greater},
                                                                      {">=", Kind::greater_or_equal},
                                                                      {"in", Kind::in},
                                                                      {"contains", Kind::contains},
                                                                      {"starts_with", Kind::starts_with}}};
constexpr std::array<std::string_view, 11> words{"and",    "or",     "not",  "in",    "contains", "starts_with",
                                                 "exists", "linked", "true", "false", "null"};

class Parser {
public:
    Parser(std::string_view text, std::span<const std::string_view> roots) : lexer_(text), roots_(roots) {}

    Result<PredicateNode> parse() {
        TRY(advance());
        TRY_ASSIGN(PredicateNode node, parse_joined(Kind::any_of));
        if (token_.kind != Token::Kind::end) return expected("'and', 'or' or the end");
        return node;
    }

private:
    // any_of: parts joined by `or`, each of them parts joined by `and`.
    Result<PredicateNode> parse_joined(Kind kind) {
        const bool is_any = kind == Kind::any_of;
        TRY_ASSIGN(PredicateNode first, is_any ? parse_joined(Kind::all_of) : parse_part());
        const std::string_view word = is_any ? "or" : "and";
        if (!token_.is_word(word)) return first;
        TRY(count_node());
        PredicateNode joined;
        joined.kind = kind;
        joined.parts.push_back(std::move(first));
        while (token_.is_word(word)) {
            TRY(advance());
            TRY_ASSIGN(PredicateNode next, is_any ? parse_joined(Kind::all_of) : parse_part());
            joined.parts.push_back(std::move(next));
        }
        return joined;
    }

    Result<PredicateNode> parse_part() {
        if (token_.is_symbol("(")) {
            TRY(enter());
            TRY_ASSIGN(PredicateNode inner, parse_joined(Kind::any_of));
            if (!token_.is_symbol(")")) return expected("'and', 'or' or ')'");
            TRY(leave());
            return inner;
        }
        TRY(count_node());
        PredicateNode node;
        if (token_.is_word("not")) {
            TRY(enter());
            node.kind = Kind::negation;
            TRY_ASSIGN(PredicateNode inner, parse_part());
            node.parts.push_back(std::move(inner));
            --depth_;
            return node;
        }
        if (token_.is_word("exists")) {
            TRY(advance());
            node.kind = Kind::exists;
            TRY_ASSIGN(node.left, parse_path());
            return node;
        }
        if (token_.is_word("linked")) return parse_linked();
        return parse_test();
    }

    Result<PredicateNode> parse_linked() {
        PredicateNode node;
        node.kind = Kind::linked;
        TRY(advance());
        TRY(skip_symbol("("));
        TRY_ASSIGN(node.relation, parse_linked_text("the name of a relation in quotes"));
        if (token_.is_symbol(",")) {
            TRY(advance());
            TRY_ASSIGN(node.linked_id, parse_linked_text("an id in quotes"));
        }
        TRY(skip_symbol(")"));
        return node;
    }

    Result<std::string> parse_linked_text(std::string_view what) {
        if (token_.kind != Token::Kind::text || token_.text.empty()) return expected(what);
        std::string text = std::move(token_.text);
        TRY(advance());
        return text;
    }

    Result<PredicateNode> parse_test() {
        PredicateNode node;
        const std::size_t left_at = token_.at;
        TRY_ASSIGN(node.left, parse_operand("a condition"));
        const auto* known =
            std::ranges::find_if(operators, [&](const auto& entry) { return token_.source == entry.first; });
        if (known == operators.end()) return expected("one of == != < <= > >= in contains starts_with");
        node.kind = known->second;
        TRY(advance());
        const std::size_t right_at = token_.at;
        TRY_ASSIGN(node.right, parse_operand("a path, a text in quotes, a number, true, false, null or a list"));
        if (const auto fault = fault_of(node)) {
            return lexer_.refused(fault->side == PredicateFault::Side::left ? left_at : right_at, fault->message);
        }
        return node;
    }

    Result<PredicateOperand> parse_operand(std::string_view what) {
        if (token_.kind == Token::Kind::name && std::ranges::find(words, token_.source) == words.end()) {
            TRY_ASSIGN(PredicatePath path, parse_path());
            return PredicateOperand(std::move(path));
        }
        TRY_ASSIGN(Value literal, parse_literal(what));
        return PredicateOperand(std::move(literal));
    }

    Result<Value> parse_literal(std::string_view what) {
        TRY(count_node());
        if (token_.is_symbol("[")) return parse_list();
        Value literal;
        if (token_.kind == Token::Kind::text) {
            literal = Value::string(token_.text);
        } else if (token_.kind == Token::Kind::number) {
            literal = model::number_value(token_.source);
        } else if (token_.is_word("true") || token_.is_word("false")) {
            literal = Value::boolean(token_.source == "true");
        } else if (!token_.is_word("null")) {
            return expected(what);
        }
        TRY(advance());
        return literal;
    }

    Result<Value> parse_list() {
        Value list = Value::array();
        TRY(enter());
        while (!token_.is_symbol("]")) {
            if (list.size() > 0) {
                if (!token_.is_symbol(",")) return expected("',' or ']'");
                TRY(advance());
            }
            TRY_ASSIGN(Value item, parse_literal("a text in quotes, a number, true, false, null or a list"));
            list.push(std::move(item));
        }
        TRY(leave());
        return list;
    }

    Result<PredicatePath> parse_path() {
        if (token_.kind != Token::Kind::name) return expected("a path, such as payload.branch");
        TRY(count_node());
        if (std::ranges::find(roots_, token_.source) == roots_.end()) return unknown_root();
        PredicatePath path{std::string(token_.source), {}};
        TRY(advance());
        while (true) {
            if (token_.is_symbol(".")) {
                TRY(advance());
                if (token_.kind != Token::Kind::name)
                    return expected("a member's name; an odd one is written [\"so\"]");
                path.steps.emplace_back(std::string(token_.source));
                TRY(advance());
            } else if (token_.is_symbol("[")) {
                TRY(advance());
                TRY_ASSIGN(PathStep step, parse_bracketed());
                path.steps.push_back(std::move(step));
                TRY(skip_symbol("]"));
            } else {
                return path;
            }
        }
    }

    Result<PathStep> parse_bracketed() {
        PathStep step = std::move(token_.text);
        if (token_.kind == Token::Kind::number) {
            std::uint32_t index = 0;
            const char* end = token_.source.data() + token_.source.size();
            const auto read = std::from_chars(token_.source.data(), end, index);
            if (read.ec != std::errc() || read.ptr != end) return expected("a place from 0 on, or a name in quotes");
            step = index;
        } else if (token_.kind != Token::Kind::text) {
            return expected("a place from 0 on, or a name in quotes");
        }
        TRY(advance());
        return step;
    }

    base::Error unknown_root() const {
        std::string message = "there is no " + token_.shown();
        const std::string meant = base::nearest(token_.source, roots_);
        message += meant.empty() ? "." : "; did you mean '" + meant + "'?";
        message += " A path begins with";
        for (std::size_t i = 0; i < roots_.size(); ++i) message.append(i == 0 ? " " : ", ").append(roots_[i]);
        return lexer_.refused(token_.at, message + "; a text has quotes");
    }

    base::Error expected(std::string_view what) const {
        return lexer_.refused(token_.at, std::string("expected ").append(what).append(", found ") + token_.shown());
    }

    Result<void> advance() {
        TRY_ASSIGN(token_, lexer_.next());
        return {};
    }
    Result<void> skip_symbol(std::string_view symbol) {
        if (!token_.is_symbol(symbol)) return expected(std::string("'").append(symbol).append("'"));
        return advance();
    }
    // Over the token that opens something, and over the one that closes it.
    Result<void> enter() {
        if (depth_ == limits::predicate_depth_max) {
            return lexer_.refused(token_.at,
                                  "nested more than " + std::to_string(limits::predicate_depth_max) + " deep");
        }
        ++depth_;
        return advance();
    }
    Result<void> leave() {
        --depth_;
        return advance();
    }
    Result<void> count_node() {
        if (nodes_ == limits::predicate_nodes_max) {
            return lexer_.refused(
                token_.at, "more than " + std::to_string(limits::predicate_nodes_max) + " conditions and values");
        }
        ++nodes_;
        return {};
    }

    PredicateLexer lexer_;
    std::span<const std::string_view> roots_;
    Token token_;
    std::size_t depth_ = 0;
    std::size_t nodes_ = 0;
};

}  // namespace

Result<Predicate> Predicate::parse(std::string_view text, std::span<const std::string_view> roots) {
    if (text.size() > limits::predicate_bytes_max) {
        return base::error(base::Code::too_large,
                           "a predicate has at most " + std::to_string(limits::predicate_bytes_max) + " bytes",
                           "predicate");
    }
    TRY_ASSIGN(PredicateNode tree, Parser(text, roots).parse());
    return Predicate(std::move(tree));
}

}  // namespace belfry::rules
