#pragma once

#include <initializer_list>

#include "text/jinja/lexer.hpp"
#include "text/jinja/program.hpp"

namespace belfry::text::jinja {

// The expressions of the language, by precedence. The statement parser is built on it.
class ExprParser {
public:
    ExprParser(Program& program, std::vector<Token> tokens) : program_(program), tokens_(std::move(tokens)) {}

protected:
    enum class Conditions : bool { no, yes };

    const Token& now() const { return tokens_[at_]; }
    const Token& ahead() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
    Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
    bool skip_symbol(std::string_view symbol);
    bool skip_name(std::string_view name);
    Token expect_symbol(std::string_view symbol);
    Token expect_kind(TokenKind kind, const char* what);
    [[noreturn]] void unexpected(const char* wanted = nullptr) const;

    Expr* expression(Conditions conditions = Conditions::yes);
    // Several expressions with commas are a tuple. `end_name`: a word that ends it, besides the usual tokens.
    Expr* tuple(Conditions conditions = Conditions::yes, std::string_view end_name = {}, bool in_parentheses = false,
                bool primaries_only = false);
    Expr* primary();
    Expr* postfix(Expr* node);
    Expr* filters(Expr* subject);  // one or more, the first without its pipe
    void arguments(Expr& call);

    Expr* make(ExprKind kind, Place place) {
        Expr& made = program_.exprs.emplace_back();
        made.kind = kind;
        made.place = place;
        return &made;
    }
    Stmt* make(StmtKind kind, Place place) {
        Stmt& made = program_.stmts.emplace_back();
        made.kind = kind;
        made.place = place;
        return &made;
    }

    Program& program_;
    int nesting_ = 0;

private:
    // Counts how deep the source nests, so that neither parser nor interpreter runs out of stack.
    class Nest {
    public:
        explicit Nest(ExprParser& parser) : parser_(parser) {
            if (++parser_.nesting_ > nesting_max) fail("the template nests too deep", parser_.now().place);
        }
        ~Nest() { --parser_.nesting_; }
        Nest(const Nest&) = delete;
        Nest& operator=(const Nest&) = delete;

    private:
        static constexpr int nesting_max = 100;
        ExprParser& parser_;
    };

    Expr* or_expr();
    Expr* and_expr();
    Expr* not_expr();
    Expr* compare();
    Expr* sum();
    Expr* concat();
    Expr* product();
    Expr* power();
    Expr* unary(bool with_filters);
    Expr* filter_expr(Expr* node);
    Expr* filter(Expr* subject);
    Expr* test(Expr* subject);
    Expr* subscript(Expr* object);
    Expr* subscribed(Expr* object, Place place);
    Expr* list();
    Expr* dict();
    Expr* number(const Token& token);
    Expr* binary(ExprKind kind, Place place, Expr* left, Expr* right);
    static Expr* sealed(Expr* made);
    std::string_view dotted_name();
    bool tuple_ends(std::string_view end_name) const;

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

// Python's escapes in a string of the source.
std::string unescape_string(std::string_view raw, Place place);

}  // namespace belfry::text::jinja
