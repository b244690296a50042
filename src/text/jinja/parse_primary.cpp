#include <charconv>
#include <cmath>

#include "model/number.hpp"
#include "text/jinja/library.hpp"
#include "text/jinja/parse_expr.hpp"

namespace belfry::text::jinja {

Expr* ExprParser::primary() {
    const Token token = now();
    Expr* made = nullptr;
    switch (token.kind) {
        case TokenKind::name:
            take();
            made = make(ExprKind::constant, token.place);
            if (token.text == "true" || token.text == "True") {
                made->constant = boolean(true);
            } else if (token.text == "false" || token.text == "False") {
                made->constant = boolean(false);
            } else if (token.text == "none" || token.text == "None") {
                made->constant = none();
            } else {
                made->kind = ExprKind::name;
                made->text = token.text;
            }
            return made;
        case TokenKind::string: {
            std::string text;
            while (now().is(TokenKind::string)) {
                const Token part = take();
                text += unescape_string(part.text, part.place);
            }
            program_.strings.push_back(std::move(text));
            made = make(ExprKind::constant, token.place);
            made->constant = string(program_.strings.back());
            return made;
        }
        case TokenKind::integer:
        case TokenKind::real: return number(take());
        case TokenKind::symbol:
            if (token.text == "(") {
                take();
                made = tuple(Conditions::yes, {}, true);
                expect_symbol(")");
                return made;
            }
            if (token.text == "[") return list();
            if (token.text == "{") return dict();
            [[fallthrough]];
        default: unexpected();
    }
}

Expr* ExprParser::number(const Token& token) {
    Expr* made = make(ExprKind::constant, token.place);
    std::string digits;
    for (const char c : token.text) {
        if (c != '_') digits += c;
    }
    if (token.is(TokenKind::real)) {
        double value = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (read.ec == std::errc::result_out_of_range) value = model::nearest_double(digits);
        made->constant = real(value);
        return made;
    }
    int base = 10;
    std::string_view rest = digits;
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) >= 'a') {
        base = (digits[1] | 0x20) == 'x' ? 16 : (digits[1] | 0x20) == 'o' ? 8 : 2;
        rest.remove_prefix(2);
    }
    std::int64_t value = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
    if (read.ec != std::errc()) fail("an integer beyond 64 bits", token.place);
    made->constant = integer(value);
    return made;
}

bool ExprParser::tuple_ends(std::string_view end_name) const {
    const Token& token = now();
    if (token.is(TokenKind::variable_end) || token.is(TokenKind::block_end) || token.is_symbol(")")) return true;
    return !end_name.empty() && token.is_name(end_name);
}

Expr* ExprParser::tuple(Conditions conditions, std::string_view end_name, bool in_parentheses, bool primaries_only) {
    const Nest nest(*this);
    const Place place = now().place;
    std::vector<Expr*> parts;
    bool is_tuple = false;
    while (true) {
        if (!parts.empty()) expect_symbol(",");
        if (tuple_ends(end_name)) break;
        parts.push_back(primaries_only ? primary() : expression(conditions));
        if (!now().is_symbol(",")) break;
        is_tuple = true;
    }
    if (!is_tuple) {
        if (!parts.empty()) return parts.front();
        if (!in_parentheses) unexpected("an expression");
    }
    Expr* made = make(ExprKind::tuple, place);
    made->kids = std::move(parts);
    return sealed(made);
}

Expr* ExprParser::list() {
    Expr* made = make(ExprKind::list, expect_symbol("[").place);
    while (!now().is_symbol("]")) {
        if (!made->kids.empty()) expect_symbol(",");
        if (now().is_symbol("]")) break;
        made->kids.push_back(expression());
    }
    expect_symbol("]");
    return sealed(made);
}

Expr* ExprParser::dict() {
    Expr* made = make(ExprKind::dict, expect_symbol("{").place);
    while (!now().is_symbol("}")) {
        if (!made->kids.empty()) expect_symbol(",");
        if (now().is_symbol("}")) break;
        Expr* key = expression();
        expect_symbol(":");
        made->kids.push_back(key);
        made->kids.push_back(expression());
    }
    expect_symbol("}");
    return sealed(made);
}

Expr* ExprParser::postfix(Expr* node) {
    while (true) {
        if (now().is_symbol(".") || now().is_symbol("[")) {
            node = subscript(node);
        } else if (now().is_symbol("(")) {
            Expr* call = make(ExprKind::call, now().place);
            call->kids = {node};
            arguments(*call);
            node = sealed(call);
        } else {
            return node;
        }
    }
}

Expr* ExprParser::filter_expr(Expr* node) {
    while (true) {
        if (now().is_symbol("|")) {
            take();
            node = filter(node);
        } else if (now().is_name("is")) {
            node = test(node);
        } else if (now().is_symbol("(")) {
            Expr* call = make(ExprKind::call, now().place);
            call->kids = {node};
            arguments(*call);
            node = sealed(call);
        } else {
            return node;
        }
    }
}

Expr* ExprParser::subscript(Expr* object) {
    const Token token = take();
    if (token.text == ".") {
        const Token name = take();
        if (name.is(TokenKind::name)) {
            Expr* made = make(ExprKind::attribute, name.place);
            made->kids = {object};
            made->text = name.text;
            return sealed(made);
        }
        if (!name.is(TokenKind::integer)) fail("expected name or number", name.place);
        Expr* made = make(ExprKind::item, name.place);
        made->kids = {object, number(name)};
        return sealed(made);
    }
    Expr* made = subscribed(object, token.place);
    if (now().is_symbol(",")) {
        // Several subscripts are one tuple; slices cannot be part of it here.
        if (made->kind == ExprKind::slice) unexpected("]");
        Expr* parts = make(ExprKind::tuple, token.place);
        parts->kids = {made->kids[1]};
        while (skip_symbol(",")) {
            if (!now().is_symbol("]")) parts->kids.push_back(expression());
        }
        made->kids[1] = sealed(parts);
    }
    expect_symbol("]");
    return sealed(made);
}

Expr* ExprParser::subscribed(Expr* object, Place place) {
    Expr* start = nullptr;
    if (!now().is_symbol(":")) {
        start = expression();
        if (!now().is_symbol(":")) {
            Expr* made = make(ExprKind::item, place);
            made->kids = {object, start};
            return made;
        }
    }
    expect_symbol(":");
    Expr* made = make(ExprKind::slice, place);
    made->kids = {object, start, nullptr, nullptr};
    if (!now().is_symbol(":") && !now().is_symbol("]") && !now().is_symbol(",")) made->kids[2] = expression();
    if (skip_symbol(":") && !now().is_symbol("]") && !now().is_symbol(",")) made->kids[3] = expression();
    return made;
}

void ExprParser::arguments(Expr& call) {
    const Nest nest(*this);
    expect_symbol("(");
    bool first = true;
    while (!now().is_symbol(")")) {
        if (!first) {
            expect_symbol(",");
            if (now().is_symbol(")")) break;
        }
        first = false;
        const Place place = now().place;
        const auto ensure = [&](bool holds) {
            if (!holds) fail("invalid syntax for function call expression", place);
        };
        if (skip_symbol("*")) {
            ensure(call.spread == nullptr && call.spread_named == nullptr);
            call.spread = expression();
        } else if (skip_symbol("**")) {
            ensure(call.spread_named == nullptr);
            call.spread_named = expression();
        } else if (now().is(TokenKind::name) && ahead().is_symbol("=")) {
            ensure(call.spread_named == nullptr);
            const std::string_view name = take().text;
            take();
            call.named.emplace_back(name, expression());
        } else {
            ensure(call.spread == nullptr && call.spread_named == nullptr && call.named.empty());
            call.kids.push_back(expression());
        }
    }
    expect_symbol(")");
}

std::string_view ExprParser::dotted_name() {
    std::string name(expect_kind(TokenKind::name, "a name").text);
    while (skip_symbol(".")) name += "." + std::string(expect_kind(TokenKind::name, "a name").text);
    return program_.strings.emplace_back(std::move(name));
}

Expr* ExprParser::filter(Expr* subject) {
    Expr* made = make(ExprKind::filter, now().place);
    made->text = dotted_name();
    made->filter = find_filter(made->text);
    made->kids = {subject};
    if (now().is_symbol("(")) arguments(*made);
    return sealed(made);
}

Expr* ExprParser::filters(Expr* subject) {
    Expr* node = filter(subject);
    while (skip_symbol("|")) node = filter(node);
    return node;
}

Expr* ExprParser::test(Expr* subject) {
    const Nest nest(*this);
    const Place place = take().place;
    const bool negated = skip_name("not");
    Expr* made = make(ExprKind::test, place);
    made->text = dotted_name();
    made->test = find_test(made->text);
    made->kids = {subject};
    const Token& token = now();
    const bool word = token.is(TokenKind::name) && token.text != "else" && token.text != "or" && token.text != "and";
    if (token.is_symbol("(")) {
        arguments(*made);
    } else if (word || token.is(TokenKind::string) || token.is(TokenKind::integer) || token.is(TokenKind::real) ||
               token.is_symbol("[") || token.is_symbol("{")) {
        if (token.is_name("is")) fail("You cannot chain multiple tests with is", token.place);
        made->kids.push_back(postfix(primary()));
    }
    sealed(made);
    if (!negated) return made;
    Expr* inverse = make(ExprKind::logic_not, place);
    inverse->kids = {made};
    return sealed(inverse);
}

}  // namespace belfry::text::jinja
