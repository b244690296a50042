#include "text/jinja/parse_expr.hpp"

#include <algorithm>

namespace belfry::text::jinja {
namespace {
constexpr int height_max = 200;
}

bool ExprParser::skip_symbol(std::string_view symbol) {
    if (!now().is_symbol(symbol)) return false;
    take();
    return true;
}

bool ExprParser::skip_name(std::string_view name) {
    if (!now().is_name(name)) return false;
    take();
    return true;
}

Token ExprParser::expect_symbol(std::string_view symbol) {
    if (!now().is_symbol(symbol)) unexpected(std::string(symbol).c_str());
    return take();
}

Token ExprParser::expect_kind(TokenKind kind, const char* what) {
    if (!now().is(kind)) unexpected(what);
    return take();
}

void ExprParser::unexpected(const char* wanted) const {
    std::string got = now().is(TokenKind::end)    ? "end of template"
                      : now().is(TokenKind::data) ? "text"
                                                  : "'" + std::string(now().text) + "'";
    if (wanted == nullptr) fail("unexpected " + got, now().place);
    fail("expected " + std::string(wanted) + ", got " + got, now().place);
}

// Whatever has parts passes through here: long chains nest as deep as brackets do.
Expr* ExprParser::sealed(Expr* made) {
    int height = 0;
    const auto look = [&](const Expr* part) {
        if (part != nullptr) height = std::max<int>(height, part->height);
    };
    for (const Expr* kid : made->kids) look(kid);
    for (const auto& [name, value] : made->named) look(value);
    look(made->spread);
    look(made->spread_named);
    if (height >= height_max) fail("the expression nests too deep", made->place);
    made->height = static_cast<std::uint16_t>(height + 1);
    return made;
}

Expr* ExprParser::binary(ExprKind kind, Place place, Expr* left, Expr* right) {
    Expr* made = make(kind, place);
    made->kids = {left, right};
    return sealed(made);
}

Expr* ExprParser::expression(Conditions conditions) {
    const Nest nest(*this);
    Expr* value = or_expr();
    if (conditions == Conditions::no) return value;
    while (now().is_name("if")) {
        Expr* made = make(ExprKind::condition, take().place);
        Expr* test = or_expr();
        Expr* otherwise = skip_name("else") ? expression() : nullptr;
        made->kids = {test, value, otherwise};
        value = sealed(made);
    }
    return value;
}

Expr* ExprParser::or_expr() {
    Expr* left = and_expr();
    while (now().is_name("or")) {
        const Place place = take().place;
        left = binary(ExprKind::logic_or, place, left, and_expr());
    }
    return left;
}

Expr* ExprParser::and_expr() {
    Expr* left = not_expr();
    while (now().is_name("and")) {
        const Place place = take().place;
        left = binary(ExprKind::logic_and, place, left, not_expr());
    }
    return left;
}

Expr* ExprParser::not_expr() {
    if (!now().is_name("not")) return compare();
    const Nest nest(*this);
    Expr* made = make(ExprKind::logic_not, take().place);
    made->kids = {not_expr()};
    return sealed(made);
}

Expr* ExprParser::compare() {
    static constexpr std::pair<std::string_view, Comparison> signs[] = {{"==", Comparison::eq}, {"!=", Comparison::ne},
                                                                        {"<", Comparison::lt},  {"<=", Comparison::le},
                                                                        {">", Comparison::gt},  {">=", Comparison::ge}};
    Expr* first = sum();
    Expr* made = nullptr;
    while (true) {
        const Place place = now().place;
        Comparison comparison{};
        if (now().is_name("in")) {
            take();
            comparison = Comparison::in;
        } else if (now().is_name("not") && ahead().is_name("in")) {
            take();
            take();
            comparison = Comparison::not_in;
        } else {
            bool found = false;
            for (const auto& [sign, meaning] : signs) {
                if (!now().is_symbol(sign)) continue;
                comparison = meaning;
                found = true;
            }
            if (!found) return made == nullptr ? first : sealed(made);
            take();
        }
        if (made == nullptr) {
            made = make(ExprKind::compare, place);
            made->kids = {first};
        }
        made->operators.push_back(comparison);
        made->kids.push_back(sum());
    }
}

Expr* ExprParser::sum() {
    Expr* left = concat();
    while (now().is_symbol("+") || now().is_symbol("-")) {
        const Token sign = take();
        left = binary(sign.text == "+" ? ExprKind::add : ExprKind::subtract, sign.place, left, concat());
    }
    return left;
}

Expr* ExprParser::concat() {
    Expr* first = product();
    if (!now().is_symbol("~")) return first;
    Expr* made = make(ExprKind::concat, now().place);
    made->kids = {first};
    while (skip_symbol("~")) made->kids.push_back(product());
    return sealed(made);
}

Expr* ExprParser::product() {
    static constexpr std::pair<std::string_view, ExprKind> signs[] = {
        {"*", ExprKind::multiply}, {"/", ExprKind::divide}, {"//", ExprKind::floor_divide}, {"%", ExprKind::modulo}};
    Expr* left = power();
    while (true) {
        bool found = false;
        for (const auto& [sign, kind] : signs) {
            if (!now().is_symbol(sign)) continue;
            const Place place = take().place;
            left = binary(kind, place, left, power());
            found = true;
            break;
        }
        if (!found) return left;
    }
}

Expr* ExprParser::power() {
    Expr* left = unary(true);
    while (now().is_symbol("**")) {
        const Place place = take().place;
        left = binary(ExprKind::power, place, left, unary(true));
    }
    return left;
}

Expr* ExprParser::unary(bool with_filters) {
    const Nest nest(*this);
    Expr* node = nullptr;
    if (now().is_symbol("-") || now().is_symbol("+")) {
        const Token sign = take();
        node = make(sign.text == "-" ? ExprKind::negative : ExprKind::positive, sign.place);
        node->kids = {unary(false)};
        sealed(node);
    } else {
        node = primary();
    }
    node = postfix(node);
    return with_filters ? filter_expr(node) : node;
}

}  // namespace belfry::text::jinja
