#include "text/jinja/scopes.hpp"

namespace belfry::text::jinja {

void Interpreter::run_for(const Stmt& stmt, Frame& frame) {
    const Val iterated = eval(*stmt.expr, frame);
    place_ = stmt.place;
    if (stmt.recursive) {
        loop(stmt, *make_frame(&frame, stmt.slots), &frame, iterated, 0);
    } else {
        loop(stmt, frame, &frame, iterated, 0);
    }
}

// `for x in … if test`: those that pass it.
Val Interpreter::filtered(const Stmt& stmt, Frame& frame, const Val& iterated) {
    enter(stmt.test_loads, frame);
    const Items items(arena_, iterated);
    List* passed = make_list(Flavour::list);
    for (std::size_t i = 0; i < items.size(); ++i) {
        charge(1);
        const Val item = items.at(i);
        assign(stmt.target, item, frame);
        if (truthy(eval(*stmt.test, frame))) passed->items.push(arena_, item);
    }
    return make(passed);
}

void Interpreter::loop(const Stmt& stmt, Frame& frame, Frame* closure, const Val& iterated, std::int64_t depth) {
    const Val walked = stmt.test == nullptr ? iterated : filtered(stmt, frame, iterated);
    // Somebody may keep `loop` beyond the loop's end, so it lives as long as the rendering.
    const Items& items = *arena_.make<Items>(arena_, walked);
    Loop& state = *arena_.make<Loop>(&stmt, &frame, closure, context_, &items, std::size_t{0}, depth, nullptr);
    for (; state.index < items.size(); ++state.index) {
        if (++iterations_ > limits_.loop_iterations_max)
            beyond("has more loop iterations", limits_.loop_iterations_max);
        enter(stmt.loads, frame);
        if (stmt.has_loop) variable(stmt.loop_slot, frame) = {.kind = Kind::loop, .loop = &state};
        assign(stmt.target, items.at(state.index), frame);
        run(stmt.body, frame);
    }
    if (items.size() == 0 && !stmt.otherwise.empty()) {
        enter(stmt.other_loads, frame);
        run(stmt.otherwise, frame);
    }
}

Val Interpreter::call_loop(Loop& state, const Call& call) {
    if (!state.statement->recursive) fail("The loop must have the 'recursive' marker enabled.");
    if (call.args.size() != 1 || !call.named.empty()) fail("loop() takes what it is to walk");
    const Deeper deeper(*this);
    Capture capture(*this);
    context_ = state.context;
    program_ = context_->program;
    hints_ = context_->hints;
    loop(*state.statement, *make_frame(state.closure, state.statement->slots), state.closure, call.args[0],
         state.depth + 1);
    return capture.value();
}

Val Interpreter::loop_attribute(Loop& state, std::string_view name) {
    const std::size_t size = state.items->size();
    const std::size_t at = state.index;
    if (name == "index") return integer(at + 1);
    if (name == "index0") return integer(at);
    if (name == "first") return boolean(at == 0);
    if (name == "last") return boolean(at + 1 == size);
    if (name == "length") return integer(size);
    if (name == "revindex") return integer(size - at);
    if (name == "revindex0") return integer(size - at - 1);
    if (name == "depth") return integer(state.depth + 1);
    if (name == "depth0") return integer(state.depth);
    if (name == "previtem") return at == 0 ? undefined("there is no previous item") : state.items->at(at - 1);
    if (name == "nextitem") return at + 1 >= size ? undefined("there is no next item") : state.items->at(at + 1);
    if (name == "cycle" || name == "changed") {
        const Val self{.kind = Kind::loop, .loop = &state};
        return {.kind = Kind::method, .method = arena_.make<Method>(self, name)};
    }
    return undefined(name);
}

Val Interpreter::loop_method(Loop& state, std::string_view name, const Call& call) {
    if (!call.named.empty()) fail("loop." + std::string(name) + "() takes no keyword arguments");
    if (name == "cycle") {
        if (call.args.empty()) fail("no items for cycling given");
        return call.args[state.index % call.args.size()];
    }
    List* now = make_list(Flavour::tuple, call.args.size());
    for (const Val& value : call.args) now->items.push(arena_, value);
    const bool changed = state.changed == nullptr || !equal(*this, make(now), make(state.changed));
    state.changed = now;
    return boolean(changed);
}

}  // namespace belfry::text::jinja
