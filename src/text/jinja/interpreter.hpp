#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/library.hpp"
#include "text/jinja/program.hpp"

namespace belfry::text::jinja {

// The variables of one activation of a unit.
struct Frame {
    Frame* outer = nullptr;
    Val* slots = nullptr;
};

// Where a name leads that no scope of the template holds.
struct Context {
    const Context* outer = nullptr;
    const model::Value* variables = nullptr;
    ArenaList<std::pair<std::string_view, Val>> locals;
    const Program* program = nullptr;
    std::uint32_t* hints = nullptr;
};

struct Macro {
    const Stmt* definition;
    Frame* closure;
    const Context* context;
};

struct Loop {
    const Stmt* statement;
    Frame* frame;  // of the loop's own body, where it is recursive
    Frame* closure;
    const Context* context;
    const Items* items;
    std::size_t index;
    std::int64_t depth;
    List* changed;  // the last arguments of changed(); null: none yet
};

// One rendering. It is also what filters and methods are handed: memory, budget, access to attributes, calls.
class Interpreter : public Meter {
public:
    Interpreter(const TemplateResolver* resolver, const TemplateLimits& limits)
        : Meter(limits.steps_max, limits.memory_bytes_max),
          arena_(limits.memory_bytes_max),
          resolver_(resolver),
          limits_(limits) {}

    std::string render(const Program& program, const model::Value& variables);
    // Where the rendering was when it failed.
    [[nodiscard]] Place place() const { return place_; }
    [[nodiscard]] const Program* program() const { return program_; }

    Arena& arena() { return arena_; }
    Val text(std::string_view copied) { return string(arena_.copy(copied)); }

    List* make_list(Flavour flavour, std::size_t capacity = 0);
    Val attribute(const Val& object, std::string_view name);
    Val item(const Val& object, const Val& key);
    Val call(const Val& callee, const Call& call);
    Val filter(std::string_view name, const Val& subject, const Call& call);
    bool test(std::string_view name, const Val& subject, const Call& call);
    std::string str(const Val& value) {
        std::string out;
        append_str(*this, out, value);
        return out;
    }

private:
    friend class Arguments;
    class Capture;
    class Deeper;

    // Expressions
    Val eval(const Expr& expr, Frame& frame);
    Val eval_attribute(const Expr& expr, Frame& frame);
    Val attribute_of(const Expr& expr, const Val& object);
    Val find_member(const Expr& expr, std::span<const model::Member> members, std::uint32_t& hint);
    Val eval_test(const Expr& expr, Frame& frame);
    Val eval_compare(const Expr& expr, Frame& frame);
    Val eval_call(const Expr& expr, Frame& frame);
    Val eval_filter(const Expr& expr, Frame& frame, const Val& subject);
    Val eval_sequence(const Expr& expr, Frame& frame, Flavour flavour);
    Val eval_dict(const Expr& expr, Frame& frame);
    Val eval_slice(const Expr& expr, Frame& frame);
    Val eval_concat(const Expr& expr, Frame& frame);
    Val eval_binary(const Expr& expr, Frame& frame);

    // Statements
    void run(const Body& body, Frame& frame);
    void run(const Stmt& stmt, Frame& frame);
    void run_if(const Stmt& stmt, Frame& frame);
    void run_for(const Stmt& stmt, Frame& frame);
    void loop(const Stmt& stmt, Frame& frame, Frame* closure, const Val& iterated, std::int64_t depth);
    Val filtered(const Stmt& stmt, Frame& frame, const Val& iterated);
    void run_filter_block(const Stmt& stmt, Frame& frame);
    void run_set_block(const Stmt& stmt, Frame& frame);
    void run_include(const Stmt& stmt, Frame& frame);
    void run_with(const Stmt& stmt, Frame& frame);
    void run_call_block(const Stmt& stmt, Frame& frame);
    void include(const Program& program, const Context& context);
    void enter(const std::vector<Load>& loads, Frame& frame);
    void assign(const Target& target, const Val& value, Frame& frame);
    Val resolve(std::string_view name) const;
    Val call_macro(const Macro& macro, const Call& call);
    Val call_loop(Loop& loop, const Call& call);
    Val macro_attribute(const Macro& macro, std::string_view name);
    Val loop_attribute(Loop& loop, std::string_view name);
    Val loop_method(Loop& loop, std::string_view name, const Call& call);
    Frame* make_frame(Frame* outer, std::size_t slots);
    std::uint32_t* make_hints(const Program& program);

    Val& variable(Slot slot, Frame& frame) {
        Frame* at = &frame;
        for (int up = slot.up; up > 0; --up) at = at->outer;
        return at->slots[slot.place];
    }
    [[noreturn]] void out_of_room() const;
    void check_output() {
        if (out_->size() - captured_from_ > limits_.output_bytes_max) [[unlikely]]
            out_of_room();
    }

    Arena arena_;
    const TemplateResolver* resolver_;
    TemplateLimits limits_;
    std::uint64_t iterations_ = 0;
    int depth_ = 0;
    std::string* out_ = nullptr;
    std::size_t captured_from_ = 0;  // where in it the text begins that a macro or block makes
    Place place_;
    const Context* context_ = nullptr;
    const Program* program_ = nullptr;
    std::uint32_t* hints_ = nullptr;  // of this program: where each of its attributes was found last
    const Val* pending_ = nullptr;    // the subject of a filter that stands alone, as in a filter block
};

}  // namespace belfry::text::jinja
