#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/failure.hpp"
#include "text/jinja/value.hpp"
#include "text/template.hpp"

// What a template is compiled into: expressions and statements whose names have become slots.
namespace belfry::text::jinja {

class Interpreter;
struct Call;
using FilterFunction = Val (*)(Interpreter&, const Val&, const Call&);
using TestFunction = bool (*)(Interpreter&, const Val&, const Call&);

// A variable: `up` frames outwards, its place there.
struct Slot {
    std::uint16_t up = 0;
    std::uint16_t place = 0;
};

enum class ExprKind : std::uint8_t {
    constant,
    name,
    list,
    tuple,
    dict,       // kids: key, value, key, value …
    condition,  // kids: test, then, else (may be null)
    logic_or,
    logic_and,
    logic_not,
    compare,  // kids: first, then one for each of `operators`
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    concat,
    negative,
    positive,
    attribute,  // kids: object; text: name
    item,       // kids: object, index
    slice,      // kids: object, start, stop, step (may be null)
    call,       // kids: callee, arguments …
    filter,     // kids: subject (null: the text of a filter block), arguments …
    test,       // kids: subject, arguments …
};

enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge, in, not_in };

struct Expr {
    ExprKind kind = ExprKind::constant;
    std::uint16_t height = 1;  // of the tree below it
    Place place;
    Val constant;
    std::string_view text;   // a name, of whatever the kind has one
    model::Value key;        // the same, of an attribute that is no method of dicts
    std::uint32_t hint = 0;  // which of a rendering's hints is this attribute's
    Slot slot;
    std::vector<Expr*> kids;
    std::vector<Comparison> operators;
    std::vector<std::pair<std::string_view, Expr*>> named;  // keyword arguments
    Expr* spread = nullptr;                                 // *expression
    Expr* spread_named = nullptr;                           // **expression
    FilterFunction filter = nullptr;                        // null: unknown, which fails when it is reached
    TestFunction test = nullptr;
};

// How a variable gets its value when its scope is entered.
enum class LoadKind : std::uint8_t { missing, resolve, alias };
struct Load {
    LoadKind kind = LoadKind::missing;
    std::uint16_t place = 0;
    std::string_view name;
    Slot from;
};

enum class StmtKind : std::uint8_t {
    text,
    output,
    if_,
    for_,
    set,
    set_block,
    macro,
    include,
    with,
    call_block,
    filter_block
};

struct Stmt;
using Body = std::vector<Stmt*>;

// What a target of an assignment is: a name, an attribute of a namespace, or several targets.
struct Target {
    std::string_view name;
    std::string_view attribute;
    Slot slot;
    std::vector<Target> parts;
    Place place;
};

struct Stmt {
    StmtKind kind = StmtKind::text;
    Place place;
    std::string_view text;
    Expr* expr = nullptr;         // what is printed, tested, walked, assigned, included, called, filtered
    Expr* test = nullptr;         // of a for
    Target target;                // of for, set
    std::vector<Target> targets;  // of with
    std::vector<Expr*> values;    // of with
    std::vector<std::pair<Expr*, Body>> branches;  // of an if: tests (null for else)
    Body body;
    Body otherwise;                 // of a for
    std::vector<Load> loads;        // on entering the body
    std::vector<Load> other_loads;  // … the else of a for, the test of a for
    std::vector<Load> test_loads;
    bool recursive = false;
    bool has_loop = false;  // the body of a for uses `loop`
    Slot loop_slot;
    // of macro and call_block
    std::string_view name;
    Slot name_slot;
    std::vector<std::string_view> parameters;
    std::vector<std::uint16_t> parameter_places;
    std::vector<Expr*> defaults;  // of the last parameters
    bool wants_caller = false;
    bool wants_named = false;
    bool wants_more = false;
    std::uint16_t caller_place = 0;
    std::uint16_t named_place = 0;
    std::uint16_t more_place = 0;
    std::uint16_t slots = 0;  // of the frame that macro, call_block and a recursive for open
    // of include
    bool ignore_missing = false;
    bool with_context = true;
    std::vector<std::pair<std::string_view, Slot>> visible;  // what the included template sees besides the context
};

}  // namespace belfry::text::jinja

namespace belfry::text {

struct Program {
    std::string name;
    std::string source;  // what names and texts point into
    std::deque<std::string> strings;
    std::deque<jinja::Expr> exprs;
    std::deque<jinja::Stmt> stmts;
    jinja::Body body;
    std::vector<jinja::Load> loads;
    std::uint16_t slots = 0;
    std::uint32_t hints = 0;  // how many attributes it looks up
};

}  // namespace belfry::text
