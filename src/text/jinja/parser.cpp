#include "text/jinja/parser.hpp"

#include <algorithm>

#include "text/jinja/parse_expr.hpp"

namespace belfry::text::jinja {
namespace {

constexpr int blocks_max = 40;  // of statements inside each other

using Ends = std::initializer_list<std::string_view>;

class Parser : public ExprParser {
public:
    using ExprParser::ExprParser;

    void run() {
        statements(program_.body, {});
        if (!now().is(TokenKind::end)) unexpected();
    }

private:
    // Reads until one of the tags in `ends`, whose name is then the current token; with none to wait for, until the
    // end.
    void statements(Body& body, Ends ends) {
        if (++blocks_ > blocks_max) fail("the template nests too deep", now().place);
        while (true) {
            const Token token = now();
            if (token.is(TokenKind::data)) {
                take();
                Stmt* text = make(StmtKind::text, token.place);
                text->text = token.text;
                body.push_back(text);
            } else if (token.is(TokenKind::variable_begin)) {
                take();
                Stmt* output = make(StmtKind::output, now().place);
                output->expr = tuple();
                expect_kind(TokenKind::variable_end, "end of print statement");
                body.push_back(output);
            } else if (token.is(TokenKind::block_begin)) {
                take();
                if (std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return now().is_name(end); }))
                    break;
                body.push_back(statement());
                expect_kind(TokenKind::block_end, "end of statement block");
            } else {
                if (ends.size() > 0)
                    fail("unexpected end of template, still looking for '" + std::string(*ends.begin()) + "'",
                         token.place);
                break;
            }
        }
        --blocks_;
    }

    void block(Body& body, Ends ends) {
        skip_symbol(":");
        expect_kind(TokenKind::block_end, "end of statement block");
        statements(body, ends);
    }

    Stmt* statement() {
        const Token token = now();
        if (!token.is(TokenKind::name)) fail("tag name expected", token.place);
        take();
        if (token.text == "for") return for_loop(token.place);
        if (token.text == "if") return condition(token.place);
        if (token.text == "set") return set(token.place);
        if (token.text == "macro") return macro(token.place);
        if (token.text == "include") return include(token.place);
        if (token.text == "with") return with(token.place);
        if (token.text == "call") return call_block(token.place);
        if (token.text == "filter") return filter_block(token.place);
        fail("Encountered unknown tag '" + std::string(token.text) + "'", token.place);
    }

    Target target_of(const Expr& expr) {
        Target target;
        target.place = expr.place;
        if (expr.kind == ExprKind::name) {
            target.name = expr.text;
        } else if (expr.kind == ExprKind::tuple) {
            for (const Expr* part : expr.kids) target.parts.push_back(target_of(*part));
        } else {
            fail("can't assign to this", expr.place);
        }
        return target;
    }

    Target assign_target(std::string_view end_name, bool with_namespace) {
        if (with_namespace && now().is(TokenKind::name) && ahead().is_symbol(".")) {
            Target target;
            target.place = now().place;
            target.name = take().text;
            take();
            target.attribute = expect_kind(TokenKind::name, "a name").text;
            return target;
        }
        return target_of(*tuple(Conditions::yes, end_name, false, true));
    }

    static bool assigns_loop(const Target& target) {
        return target.name == "loop" || std::any_of(target.parts.begin(), target.parts.end(), assigns_loop);
    }

    Stmt* for_loop(Place place) {
        Stmt* made = make(StmtKind::for_, place);
        made->target = assign_target("in", false);
        if (assigns_loop(made->target)) fail("Can't assign to special loop variable in for-loop target", place);
        if (!skip_name("in")) unexpected("'in'");
        made->expr = tuple(Conditions::no, "recursive");
        if (skip_name("if")) made->test = expression();
        made->recursive = skip_name("recursive");
        block(made->body, {"endfor", "else"});
        if (take().text == "else") {
            block(made->otherwise, {"endfor"});
            take();
        }
        return made;
    }

    Stmt* condition(Place place) {
        Stmt* made = make(StmtKind::if_, place);
        while (true) {
            auto& [test, body] = made->branches.emplace_back();
            test = tuple(Conditions::no);
            block(body, {"elif", "else", "endif"});
            const Token token = take();
            if (token.text == "elif") continue;
            if (token.text == "else") {
                auto& last = made->branches.emplace_back();
                block(last.second, {"endif"});
                take();
            }
            return made;
        }
    }

    Stmt* set(Place place) {
        Stmt* made = make(StmtKind::set, place);
        made->target = assign_target({}, true);
        if (skip_symbol("=")) {
            made->expr = tuple();
            return made;
        }
        made->kind = StmtKind::set_block;
        if (skip_symbol("|")) made->expr = filters(nullptr);
        block(made->body, {"endset"});
        take();
        return made;
    }

    void signature(Stmt& made) {
        expect_symbol("(");
        while (!now().is_symbol(")")) {
            if (!made.parameters.empty()) expect_symbol(",");
            const Token name = expect_kind(TokenKind::name, "a parameter");
            if (name.text == "true" || name.text == "false" || name.text == "none" || name.text == "True" ||
                name.text == "False" || name.text == "None") {
                fail("can't assign to this", name.place);
            }
            made.parameters.push_back(name.text);
            if (skip_symbol("=")) {
                made.defaults.push_back(expression());
            } else if (!made.defaults.empty()) {
                fail("non-default argument follows default argument", name.place);
            }
        }
        expect_symbol(")");
    }

    Stmt* macro(Place place) {
        Stmt* made = make(StmtKind::macro, place);
        made->name = expect_kind(TokenKind::name, "a name").text;
        signature(*made);
        block(made->body, {"endmacro"});
        take();
        return made;
    }

    Stmt* call_block(Place place) {
        Stmt* made = make(StmtKind::call_block, place);
        if (now().is_symbol("(")) signature(*made);
        made->expr = expression();
        if (made->expr->kind != ExprKind::call) fail("expected call", made->expr->place);
        block(made->body, {"endcall"});
        take();
        return made;
    }

    Stmt* filter_block(Place place) {
        Stmt* made = make(StmtKind::filter_block, place);
        made->expr = filters(nullptr);
        block(made->body, {"endfilter"});
        take();
        return made;
    }

    Stmt* with(Place place) {
        Stmt* made = make(StmtKind::with, place);
        while (!now().is(TokenKind::block_end)) {
            if (!made->targets.empty()) expect_symbol(",");
            made->targets.push_back(target_of(*tuple(Conditions::yes, {}, false, true)));
            expect_symbol("=");
            made->values.push_back(expression());
        }
        block(made->body, {"endwith"});
        take();
        return made;
    }

    Stmt* include(Place place) {
        Stmt* made = make(StmtKind::include, place);
        made->expr = expression();
        if (now().is_name("ignore") && ahead().is_name("missing")) {
            made->ignore_missing = true;
            take();
            take();
        }
        if ((now().is_name("with") || now().is_name("without")) && ahead().is_name("context")) {
            made->with_context = take().text == "with";
            take();
        }
        return made;
    }

    int blocks_ = 0;
};

}  // namespace

void parse(Program& program, const TemplateOptions& options) {
    Parser(program, lex(program.source, options)).run();
}

}  // namespace belfry::text::jinja
