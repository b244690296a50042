#include "text/jinja/binder.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "text/jinja/library.hpp"

namespace belfry::text::jinja {
namespace {

constexpr std::size_t variables_max = 10'000;   // of one unit
constexpr std::size_t visible_max = 1'000'000;  // of all includes together

// One function of the program: the root, a macro's body, the body of a recursive loop. Its variables are one row of
// slots.
struct Unit {
    const Unit* parent = nullptr;
    std::map<std::pair<int, std::string_view>, std::uint16_t> places;

    std::uint16_t place(int level, std::string_view name) {
        const auto next = static_cast<std::uint16_t>(places.size());
        const auto [found, is_new] = places.emplace(std::pair(level, name), next);
        if (is_new && next >= variables_max) fail("more than " + std::to_string(variables_max) + " variables", {1, 1});
        return found->second;
    }
};

struct Ref {
    const Unit* unit = nullptr;
    std::uint16_t place = 0;
};

// The names of one scope, as they are found out before its code is bound. The branches of an if are drafts of the scope
// that they stand in: they see all that it has found out so far, and hold only what they add.
struct Scope {
    const Scope* parent = nullptr;
    const Scope* draft_of = nullptr;
    Unit* unit = nullptr;
    int level = 0;
    std::map<std::string_view, std::uint16_t> refs;
    std::map<std::uint16_t, std::pair<LoadKind, std::pair<std::string_view, Ref>>> loads;
    std::set<std::string_view> stores;

    Scope(const Scope* outer, Unit* in) : parent(outer), unit(in), level(outer == nullptr ? 0 : outer->level + 1) {}

    [[nodiscard]] Scope draft() const {
        Scope made(parent, unit);
        made.draft_of = this;
        made.level = level;
        return made;
    }

    [[nodiscard]] const std::uint16_t* find_here(std::string_view name) const {
        for (const Scope* scope = this; scope != nullptr; scope = scope->draft_of) {
            const auto found = scope->refs.find(name);
            if (found != scope->refs.end()) return &found->second;
        }
        return nullptr;
    }

    [[nodiscard]] bool stores_here(std::string_view name) const {
        for (const Scope* scope = this; scope != nullptr; scope = scope->draft_of) {
            if (scope->stores.contains(name)) return true;
        }
        return false;
    }

    [[nodiscard]] std::optional<Ref> find(std::string_view name) const {
        for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
            if (const std::uint16_t* place = scope->find_here(name)) return Ref{scope->unit, *place};
        }
        return std::nullopt;
    }

    std::uint16_t define(std::string_view name) { return refs[name] = unit->place(level, name); }

    void load(std::string_view name) {
        if (!find(name)) loads[define(name)] = {LoadKind::resolve, {name, {}}};
    }

    void store(std::string_view name) {
        stores.insert(name);
        if (find_here(name) != nullptr) return;
        const auto outer = parent == nullptr ? std::nullopt : parent->find(name);
        const std::uint16_t place = define(name);
        loads[place] = outer ? std::pair(LoadKind::alias, std::pair(name, *outer))
                             : std::pair(LoadKind::missing, std::pair(name, Ref{}));
    }

    std::uint16_t parameter(std::string_view name) {
        stores.insert(name);
        const std::uint16_t place = define(name);
        loads.erase(place);
        return place;
    }

    // What the branches of an if found out: a name that only some of them assign begins as what it is outside.
    void merge(const std::array<Scope, 3>& branches) {
        std::map<std::string_view, std::size_t> counts;
        for (const Scope& branch : branches) {
            for (const std::string_view name : branch.stores) {
                if (!stores_here(name)) ++counts[name];
            }
        }
        for (const Scope& branch : branches) {
            refs.insert(branch.refs.begin(), branch.refs.end());
            for (const auto& [place, load] : branch.loads) loads[place] = load;
            stores.insert(branch.stores.begin(), branch.stores.end());
        }
        for (const auto& [name, count] : counts) {
            if (count == branches.size()) continue;
            const auto outer = parent == nullptr ? std::nullopt : parent->find(name);
            loads[*find_here(name)] = outer ? std::pair(LoadKind::alias, std::pair(name, *outer))
                                            : std::pair(LoadKind::resolve, std::pair(name, Ref{}));
        }
    }
};

void each_expr(Expr* expr, const std::function<void(Expr&)>& visit) {
    if (expr == nullptr) return;
    visit(*expr);
    for (Expr* kid : expr->kids) each_expr(kid, visit);
    for (const auto& [name, value] : expr->named) each_expr(value, visit);
    each_expr(expr->spread, visit);
    each_expr(expr->spread_named, visit);
}

class Binder {
public:
    explicit Binder(Program& program) : program_(program) {}

    void run() {
        Unit root;
        Scope scope(nullptr, &root);
        note(scope, program_.body);
        bind(scope, program_.body);
        program_.loads = entry(scope);
        program_.slots = static_cast<std::uint16_t>(root.places.size());
    }

private:
    // --- finding out the names of a scope ---
    void note(Scope& scope, Expr* expr) {
        each_expr(expr, [&](Expr& node) {
            if (node.kind == ExprKind::name) scope.load(node.text);
        });
    }

    void note(Scope& scope, const Target& target, bool as_parameter = false) {
        for (const Target& part : target.parts) note(scope, part, as_parameter);
        if (target.name.empty()) return;
        if (!target.attribute.empty()) {
            scope.load(target.name);
        } else if (as_parameter) {
            scope.parameter(target.name);
        } else {
            scope.store(target.name);
        }
    }

    void note(Scope& scope, const Body& body) {
        for (const Stmt* stmt : body) note(scope, *stmt);
    }

    void note(Scope& scope, const Stmt& stmt) {
        switch (stmt.kind) {
            case StmtKind::text: return;
            case StmtKind::output:
            case StmtKind::include:
            case StmtKind::for_:
            case StmtKind::call_block:
            case StmtKind::filter_block: note(scope, stmt.expr); return;
            case StmtKind::set:
                note(scope, stmt.expr);
                note(scope, stmt.target);
                return;
            case StmtKind::set_block: note(scope, stmt.target); return;
            case StmtKind::macro: scope.store(stmt.name); return;
            case StmtKind::with:
                for (Expr* value : stmt.values) note(scope, value);
                return;
            case StmtKind::if_: note_if(scope, stmt); return;
        }
    }

    // The tests of all elifs and their bodies count as one branch, as Jinja2 has it.
    void note_if(Scope& scope, const Stmt& stmt) {
        note(scope, stmt.branches.front().first);
        std::array branches{scope.draft(), scope.draft(), scope.draft()};
        note(branches[0], stmt.branches.front().second);
        for (std::size_t i = 1; i < stmt.branches.size(); ++i) {
            const auto& [test, body] = stmt.branches[i];
            if (test == nullptr) {
                note(branches[2], body);
            } else {
                note_elif(branches[1], test, body);
            }
        }
        scope.merge(branches);
    }

    // Each elif is an if of its own inside that branch.
    void note_elif(Scope& scope, Expr* test, const Body& body) {
        note(scope, test);
        std::array branches{scope.draft(), scope.draft(), scope.draft()};
        note(branches[0], body);
        scope.merge(branches);
    }

    // --- binding ---
    static std::vector<Load> entry(const Scope& scope) {
        std::vector<Load> loads;
        loads.reserve(scope.loads.size());
        for (const auto& [place, load] : scope.loads) {
            loads.push_back({load.first, place, load.second.first, slot(scope, load.second.second)});
        }
        return loads;
    }

    static Slot slot(const Scope& scope, const Ref& ref) {
        Slot made{0, ref.place};
        if (ref.unit == nullptr) return made;
        for (const Unit* unit = scope.unit; unit != ref.unit; unit = unit->parent) ++made.up;
        return made;
    }

    static Slot slot(const Scope& scope, std::string_view name) { return slot(scope, *scope.find(name)); }

    void bind(Scope& scope, Expr* expr, bool soft) {
        if (expr == nullptr) return;
        if (expr->kind == ExprKind::name) expr->slot = slot(scope, expr->text);
        if (expr->kind == ExprKind::attribute) {
            expr->hint = program_.hints++;
            if (!is_dict_method(expr->text)) expr->key = model::Value::string(expr->text);
        }
        if (expr->kind == ExprKind::filter && expr->filter == nullptr && !soft) {
            fail("No filter named '" + std::string(expr->text) + "'.", expr->place);
        }
        if (expr->kind == ExprKind::test && expr->test == nullptr && !soft) {
            fail("No test named '" + std::string(expr->text) + "'.", expr->place);
        }
        const bool inside = soft || expr->kind == ExprKind::condition;
        for (Expr* kid : expr->kids) bind(scope, kid, inside);
        for (const auto& [name, value] : expr->named) bind(scope, value, inside);
        bind(scope, expr->spread, inside);
        bind(scope, expr->spread_named, inside);
    }

    static void bind(Scope& scope, Target& target) {
        for (Target& part : target.parts) bind(scope, part);
        if (!target.name.empty()) target.slot = slot(scope, target.name);
    }

    void bind(Scope& scope, const Body& body, bool soft = false) {
        for (Stmt* stmt : body) bind(scope, *stmt, soft);
    }

    void bind(Scope& scope, Stmt& stmt, bool soft) {
        switch (stmt.kind) {
            case StmtKind::text: return;
            case StmtKind::output: bind(scope, stmt.expr, soft); return;
            case StmtKind::include:
                bind(scope, stmt.expr, soft);
                bind_include(scope, stmt);
                return;
            case StmtKind::set:
                bind(scope, stmt.expr, soft);
                bind(scope, stmt.target);
                return;
            case StmtKind::if_:
                for (auto& [test, body] : stmt.branches) {
                    bind(scope, test, true);
                    bind(scope, body, true);
                }
                return;
            case StmtKind::for_: bind_for(scope, stmt, soft); return;
            case StmtKind::set_block:
            case StmtKind::filter_block: bind_block(scope, stmt); return;
            case StmtKind::with: bind_with(scope, stmt, soft); return;
            case StmtKind::macro:
                bind_macro(scope, stmt);
                stmt.name_slot = slot(scope, stmt.name);
                return;
            case StmtKind::call_block:
                bind_macro(scope, stmt);
                bind(scope, stmt.expr, soft);
                return;
        }
    }

    void bind_include(Scope& scope, Stmt& stmt) {
        std::set<std::string_view> seen;
        for (const Scope* at = &scope; at != nullptr; at = at->parent) {
            for (const std::string_view name : at->stores) {
                if (seen.insert(name).second) stmt.visible.emplace_back(name, slot(scope, name));
            }
        }
        visible_ += stmt.visible.size();
        if (visible_ > visible_max) fail("includes and variables are too many for each other", stmt.place);
    }

    void bind_for(Scope& scope, Stmt& stmt, bool soft) {
        bind(scope, stmt.expr, soft);
        Unit own;
        own.parent = scope.unit;
        Scope inner(&scope, stmt.recursive ? &own : scope.unit);
        stmt.has_loop = stmt.recursive || reads(stmt.body, "loop");
        bool read = false;
        bool stored = false;
        look(stmt.body, "loop", read, stored);
        if (stored) fail("Can't assign to special loop variable in for-loop target", stmt.place);
        if (stmt.has_loop) stmt.loop_slot = {0, inner.parameter("loop")};
        note(inner, stmt.target, true);
        note(inner, stmt.body);
        bind(inner, stmt.target);
        bind(inner, stmt.body);
        stmt.loads = entry(inner);
        if (stmt.test != nullptr) {
            // The filter sees the target and the outside, not the loop.
            Scope test(&scope, inner.unit);
            test.level = inner.level;
            note(test, stmt.target, true);
            note(test, stmt.test);
            bind(test, stmt.test, false);
            stmt.test_loads = entry(test);
        }
        Scope other(&scope, inner.unit);
        note(other, stmt.otherwise);
        bind(other, stmt.otherwise);
        stmt.other_loads = entry(other);
        stmt.slots = static_cast<std::uint16_t>(own.places.size());
    }

    void bind_block(Scope& scope, Stmt& stmt) {
        if (stmt.kind == StmtKind::set_block) bind(scope, stmt.target);
        Scope inner(&scope, scope.unit);
        if (stmt.kind == StmtKind::filter_block) note(inner, stmt.expr);
        note(inner, stmt.body);
        bind(stmt.kind == StmtKind::filter_block ? inner : scope, stmt.expr, false);
        bind(inner, stmt.body);
        stmt.loads = entry(inner);
    }

    void bind_with(Scope& scope, Stmt& stmt, bool soft) {
        for (Expr* value : stmt.values) bind(scope, value, soft);
        Scope inner(&scope, scope.unit);
        for (const Target& target : stmt.targets) note(inner, target, true);
        note(inner, stmt.body);
        for (Target& target : stmt.targets) bind(inner, target);
        bind(inner, stmt.body);
        stmt.loads = entry(inner);
    }

    void bind_macro(Scope& scope, Stmt& stmt) {
        Unit own;
        own.parent = scope.unit;
        Scope inner(&scope, &own);
        for (const std::string_view name : stmt.parameters) stmt.parameter_places.push_back(inner.parameter(name));
        const auto wants = [&](std::string_view name, bool& wanted, std::uint16_t& place) {
            const bool declared =
                std::find(stmt.parameters.begin(), stmt.parameters.end(), name) != stmt.parameters.end();
            wanted = !declared && reads(stmt.body, name);
            if (wanted) place = inner.parameter(name);
        };
        wants("caller", stmt.wants_caller, stmt.caller_place);
        wants("kwargs", stmt.wants_named, stmt.named_place);
        wants("varargs", stmt.wants_more, stmt.more_place);
        for (Expr* value : stmt.defaults) note(inner, value);
        note(inner, stmt.body);
        for (Expr* value : stmt.defaults) bind(inner, value, false);
        bind(inner, stmt.body);
        stmt.loads = entry(inner);
        stmt.slots = static_cast<std::uint16_t>(own.places.size());
    }

    // Whether a body reads a name before it assigns it, in the order of the text.
    static bool reads(const Body& body, std::string_view name) {
        bool found = false;
        bool stored = false;
        look(body, name, found, stored);
        return found;
    }

    static void look(const Body& body, std::string_view name, bool& found, bool& stored) {
        for (const Stmt* stmt : body) look(*stmt, name, found, stored);
    }

    static void look(const Stmt& stmt, std::string_view name, bool& found, bool& stored) {
        const auto at = [&](Expr* expr) {
            each_expr(expr, [&](Expr& node) {
                if (node.kind == ExprKind::name && node.text == name && !stored) found = true;
            });
        };
        const std::function<void(const Target&)> assign = [&](const Target& target) {
            if (target.name == name && target.attribute.empty()) stored = true;
            for (const Target& part : target.parts) assign(part);
        };
        assign(stmt.target);
        for (const Target& target : stmt.targets) assign(target);
        for (const std::string_view parameter : stmt.parameters) stored = stored || parameter == name;
        at(stmt.expr);
        for (Expr* value : stmt.values) at(value);
        for (Expr* value : stmt.defaults) at(value);
        for (const auto& [test, body] : stmt.branches) {
            at(test);
            look(body, name, found, stored);
        }
        look(stmt.body, name, found, stored);
        look(stmt.otherwise, name, found, stored);
        at(stmt.test);
    }

    Program& program_;
    std::size_t visible_ = 0;
};

}  // namespace

void bind(Program& program) {
    Binder(program).run();
}

}  // namespace belfry::text::jinja
