#include <algorithm>

#include "text/jinja/scopes.hpp"

namespace belfry::text::jinja {

void Interpreter::out_of_room() const {
    fail("the output is larger than its limit allows: " + std::to_string(limits_.output_bytes_max));
}

std::string Interpreter::render(const Program& program, const model::Value& variables) {
    std::string out;
    out.reserve(program.source.size() + 256);
    out_ = &out;
    Context context;
    context.variables = &variables;
    context.program = &program;
    context.hints = make_hints(program);
    include(program, context);
    return out;
}

void Interpreter::include(const Program& program, const Context& context) {
    program_ = &program;
    context_ = &context;
    hints_ = context.hints;
    Frame* frame = make_frame(nullptr, program.slots);
    enter(program.loads, *frame);
    run(program.body, *frame);
}

std::uint32_t* Interpreter::make_hints(const Program& program) {
    auto* hints = static_cast<std::uint32_t*>(arena_.allocate(program.hints * sizeof(std::uint32_t)));
    std::fill_n(hints, program.hints, 0U);
    return hints;
}

Frame* Interpreter::make_frame(Frame* outer, std::size_t slots) {
    Frame* frame = arena_.make<Frame>(outer, nullptr);
    frame->slots = static_cast<Val*>(arena_.allocate(slots * sizeof(Val)));
    for (std::size_t i = 0; i < slots; ++i) frame->slots[i] = {.kind = Kind::missing, .integer = 0};
    return frame;
}

void Interpreter::enter(const std::vector<Load>& loads, Frame& frame) {
    charge(loads.size());
    for (const Load& load : loads) {
        Val& slot = frame.slots[load.place];
        switch (load.kind) {
            case LoadKind::missing: slot = {.kind = Kind::missing, .integer = 0}; break;
            case LoadKind::resolve: slot = resolve(load.name); break;
            case LoadKind::alias: slot = variable(load.from, frame); break;
        }
    }
}

void Interpreter::run(const Body& body, Frame& frame) {
    for (const Stmt* stmt : body) run(*stmt, frame);
}

void Interpreter::run(const Stmt& stmt, Frame& frame) {
    charge(1);
    switch (stmt.kind) {
        case StmtKind::text:
            will_grow(*out_, stmt.text.size());
            out_->append(stmt.text);
            check_output();
            return;
        case StmtKind::output:
            place_ = stmt.place;
            if (const Val value = eval(*stmt.expr, frame); value.is_string()) {
                will_grow(*out_, value.size);
                out_->append(value.chars, value.size);
            } else {
                append_str(*this, *out_, value);
            }
            check_output();
            return;
        case StmtKind::if_: run_if(stmt, frame); return;
        case StmtKind::for_: run_for(stmt, frame); return;
        case StmtKind::set: {
            const Val value = eval(*stmt.expr, frame);
            place_ = stmt.place;
            assign(stmt.target, value, frame);
            return;
        }
        case StmtKind::set_block: run_set_block(stmt, frame); return;
        case StmtKind::macro: {
            Macro* macro = arena_.make<Macro>(&stmt, &frame, context_);
            variable(stmt.name_slot, frame) = {.kind = Kind::macro, .macro = macro};
            return;
        }
        case StmtKind::include: run_include(stmt, frame); return;
        case StmtKind::with: run_with(stmt, frame); return;
        case StmtKind::call_block: run_call_block(stmt, frame); return;
        case StmtKind::filter_block: run_filter_block(stmt, frame); return;
    }
}

void Interpreter::run_filter_block(const Stmt& stmt, Frame& frame) {
    enter(stmt.loads, frame);
    Val body;
    {
        Capture capture(*this);
        run(stmt.body, frame);
        body = capture.value();
    }
    pending_ = &body;
    append_str(*this, *out_, eval(*stmt.expr, frame));
    pending_ = nullptr;
    check_output();
}

void Interpreter::run_if(const Stmt& stmt, Frame& frame) {
    for (const auto& [test, body] : stmt.branches) {
        if (test != nullptr && !truthy(eval(*test, frame))) continue;
        run(body, frame);
        return;
    }
}

void Interpreter::run_set_block(const Stmt& stmt, Frame& frame) {
    enter(stmt.loads, frame);
    Val body;
    {
        Capture capture(*this);
        run(stmt.body, frame);
        body = capture.value();
    }
    if (stmt.expr != nullptr) {
        pending_ = &body;
        body = eval(*stmt.expr, frame);
        pending_ = nullptr;
    }
    place_ = stmt.place;
    assign(stmt.target, body, frame);
}

void Interpreter::run_with(const Stmt& stmt, Frame& frame) {
    // The values are of the outside: all of them come before the first target.
    std::vector<Val> values;
    values.reserve(stmt.values.size());
    for (const Expr* value : stmt.values) values.push_back(eval(*value, frame));
    enter(stmt.loads, frame);
    for (std::size_t i = 0; i < values.size(); ++i) assign(stmt.targets[i], values[i], frame);
    run(stmt.body, frame);
}

void Interpreter::run_call_block(const Stmt& stmt, Frame& frame) {
    const Val caller{.kind = Kind::macro, .macro = arena_.make<Macro>(&stmt, &frame, context_)};
    pending_ = &caller;
    append_str(*this, *out_, eval(*stmt.expr, frame));
    pending_ = nullptr;
    check_output();
}

void Interpreter::assign(const Target& target, const Val& value, Frame& frame) {
    if (!target.attribute.empty()) {
        const Val space = variable(target.slot, frame);
        if (!space.is(Kind::space)) fail("cannot assign attribute on non-namespace object", target.place);
        dict_set(*this, arena_, space.space->entries, string(target.attribute), value);
        return;
    }
    if (target.parts.empty() && !target.name.empty()) {
        variable(target.slot, frame) = value;
        return;
    }
    const Items items(arena_, value);
    if (items.size() != target.parts.size()) {
        const bool few = items.size() < target.parts.size();
        fail(std::string(few ? "not enough" : "too many") + " values to unpack (expected " +
                 std::to_string(target.parts.size()) + ")",
             target.place);
    }
    for (std::size_t i = 0; i < items.size(); ++i) assign(target.parts[i], items.at(i), frame);
}

void Interpreter::run_include(const Stmt& stmt, Frame& frame) {
    const Val wanted = eval(*stmt.expr, frame);
    place_ = stmt.place;
    const Template* found = nullptr;
    const auto look = [&](const Val& name) {
        if (name.is_undefined()) fail("'" + std::string(name.text()) + "' is undefined");
        if (!name.is_string()) fail("the name of a template to include must be a string");
        if (found == nullptr && resolver_ != nullptr) found = resolver_->find(name.text());
    };
    if (wanted.is_list()) {
        const Items names(arena_, wanted);
        for (std::size_t i = 0; i < names.size() && found == nullptr; ++i) look(names.at(i));
    } else {
        look(wanted);
    }
    if (found == nullptr) {
        if (stmt.ignore_missing) return;
        fail("there is no template '" + str(wanted) + "'");
    }
    const Deeper deeper(*this);
    Context* context = arena_.make<Context>();
    context->program = &found->program();
    context->hints = make_hints(found->program());
    if (stmt.with_context) {
        context->outer = context_;
        for (const auto& [name, slot] : stmt.visible) {
            const Val& value = variable(slot, frame);
            if (!value.is(Kind::missing)) context->locals.push(arena_, {name, value});
        }
    }
    include(found->program(), *context);
}

Val Interpreter::call_macro(const Macro& macro, const Call& call) {
    const Stmt& definition = *macro.definition;
    const Deeper deeper(*this);
    const std::size_t count = definition.parameters.size();
    Frame* frame = make_frame(macro.closure, definition.slots);
    bool* used = static_cast<bool*>(arena_.allocate(call.named.size()));
    std::fill_n(used, call.named.size(), false);
    const auto take_named = [&](std::string_view name, Val& value) {
        for (std::size_t i = 0; i < call.named.size(); ++i) {
            if (used[i] || call.named[i].first != name) continue;
            used[i] = true;
            value = call.named[i].second;
            return;
        }
    };
    charge(count * call.named.size() / 8);
    Val* given = static_cast<Val*>(arena_.allocate(count * sizeof(Val)));
    std::fill_n(given, count, Val{.kind = Kind::missing, .integer = 0});
    for (std::size_t i = 0; i < count; ++i) {
        if (i < call.args.size()) {
            given[i] = call.args[i];
        } else {
            take_named(definition.parameters[i], given[i]);
        }
    }
    Val caller = undefined("caller");
    if (definition.wants_caller) take_named("caller", caller);
    Dict* rest = definition.wants_named ? arena_.make<Dict>() : nullptr;
    for (std::size_t i = 0; i < call.named.size(); ++i) {
        if (used[i]) continue;
        const std::string_view name = call.named[i].first;
        if (rest == nullptr)
            fail("macro '" + std::string(definition.name) + "' takes no keyword argument '" + std::string(name) + "'");
        rest->entries.push(arena_, {string(name), call.named[i].second});
    }
    if (call.args.size() > count && !definition.wants_more) {
        fail("macro '" + std::string(definition.name) + "' takes not more than " + std::to_string(count) +
             " argument(s)");
    }
    context_ = macro.context;
    program_ = context_->program;
    hints_ = context_->hints;
    enter(definition.loads, *frame);
    for (std::size_t i = 0; i < count; ++i) frame->slots[definition.parameter_places[i]] = given[i];
    if (definition.wants_caller) frame->slots[definition.caller_place] = caller;
    if (rest != nullptr) frame->slots[definition.named_place] = make(rest);
    if (definition.wants_more) {
        List* more = make_list(Flavour::tuple);
        for (std::size_t i = count; i < call.args.size(); ++i) more->items.push(arena_, call.args[i]);
        frame->slots[definition.more_place] = make(more);
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!given[i].is(Kind::missing)) continue;
        const std::size_t without = count - definition.defaults.size();
        Val value = undefined(definition.parameters[i]);
        if (i >= without) value = eval(*definition.defaults[i - without], *frame);
        frame->slots[definition.parameter_places[i]] = value;
    }
    Capture capture(*this);
    run(definition.body, *frame);
    return capture.value();
}

}  // namespace belfry::text::jinja
