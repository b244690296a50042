#include "text/jinja/interpreter.hpp"
#include "text/jinja/ops.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

[[noreturn]] void fail_undefined(const Val& value) {
    fail(value.size == 0 ? std::string("the value is undefined") : "'" + std::string(value.text()) + "' is undefined");
}

Val space_attribute(const Space& space, std::string_view name) {
    for (const DictEntry& entry : space.entries) {
        if (entry.key.text() == name) return entry.value;
    }
    return undefined(name);
}

Val cycler_attribute(Interpreter& in, const Val& object, std::string_view name) {
    const Cycler& cycler = *object.cycler;
    if (name == "current") return cycler.items->items[cycler.at];
    if (name == "next" || name == "reset")
        return {.kind = Kind::method, .method = in.arena().make<Method>(object, name)};
    return undefined(name);
}

// The element at a Python index, from the end where it is negative.
bool pick(std::int64_t index, std::size_t size, std::size_t& at) {
    if (index < 0) index += static_cast<std::int64_t>(size);
    at = static_cast<std::size_t>(index);
    return index >= 0 && at < size;
}

}  // namespace

Val Interpreter::macro_attribute(const Macro& macro, std::string_view name) {
    const Stmt& definition = *macro.definition;
    if (name == "name") return string(definition.name);
    if (name == "catch_kwargs") return boolean(definition.wants_named);
    if (name == "catch_varargs") return boolean(definition.wants_more);
    if (name == "caller") return boolean(definition.wants_caller);
    if (name != "arguments") return undefined(name);
    List* names = make_list(Flavour::tuple, definition.parameters.size());
    for (const std::string_view parameter : definition.parameters) names->items.push(arena_, string(parameter));
    return make(names);
}

List* Interpreter::make_list(Flavour flavour, std::size_t capacity) {
    List* list = arena_.make<List>();
    list->flavour = flavour;
    charge(capacity / 4);
    list->items.reserve(arena_, capacity);
    return list;
}

Val Interpreter::attribute(const Val& object, std::string_view name) {
    switch (object.kind) {
        case Kind::object: {
            if (has_method(object, name)) break;
            const auto members = object.tree->members();
            for (std::size_t i = 0; i < members.size(); ++i) {
                if (members[i].key() != name) continue;
                charge(i / 16);
                return view(members[i].value);
            }
            charge(members.size() / 16);
            return undefined(name);
        }
        case Kind::undefined: fail_undefined(object);
        case Kind::loop: return loop_attribute(*object.loop, name);
        case Kind::space: return space_attribute(*object.space, name);
        case Kind::cycler: return cycler_attribute(*this, object, name);
        case Kind::macro: return macro_attribute(*object.macro, name);
        default: break;
    }
    if (has_method(object, name)) return {.kind = Kind::method, .method = arena_.make<Method>(object, name)};
    if (object.is(Kind::dict)) {
        Val value;
        charge(object.dict->entries.size() / 8);
        if (dict_get(*this, object, string(name), value)) return value;
    }
    if (object.is(Kind::list) && object.list->flavour == Flavour::group) {
        if (name == "grouper") return object.list->items[0];
        if (name == "list") return object.list->items[1];
    }
    return undefined(name);
}

Val Interpreter::item(const Val& object, const Val& key) {
    if (object.is_undefined()) fail_undefined(object);
    const bool indexed = key.is_whole();
    std::size_t at = 0;
    switch (object.kind) {
        case Kind::object:
            charge(object.tree->size() / 16);
            if (key.is_string()) {
                if (const model::Value* found = object.tree->find(key.text())) return view(*found);
            }
            break;
        case Kind::dict: {
            charge(object.dict->entries.size() / 8);
            Val value;
            if (dict_get(*this, object, key, value)) return value;
            break;
        }
        case Kind::array:
            if (indexed && pick(key.integer, object.tree->size(), at)) return view(object.tree->items()[at]);
            break;
        case Kind::list:
            if (object.list->flavour > Flavour::group) break;
            if (indexed && pick(key.integer, object.list->items.size(), at)) return object.list->items[at];
            break;
        case Kind::range:
            if (indexed && pick(key.integer, object.range->size(), at)) return object.range->at(at);
            break;
        case Kind::string: {
            if (!indexed) break;
            const std::string_view text = object.text();
            charge_bytes(text.size());
            if (!pick(key.integer, utf8_length(text), at)) break;
            const std::size_t from = utf8_offset(text, at);
            std::size_t to = from;
            utf8_next(text, to);
            return string(text.substr(from, to - from));
        }
        default: break;
    }
    if (!key.is_string()) return undefined({});
    // Jinja falls back to attributes, which for a dict are its methods only.
    if (object.is_dict()) {
        if (!has_method(object, key.text())) return undefined(key.text());
        return {.kind = Kind::method, .method = arena_.make<Method>(object, key.text())};
    }
    return attribute(object, key.text());
}

Val Interpreter::call(const Val& callee, const Call& arguments) {
    switch (callee.kind) {
        case Kind::macro: return call_macro(*callee.macro, arguments);
        case Kind::method: {
            const Method& method = *callee.method;
            if (method.self.is(Kind::loop)) return loop_method(*method.self.loop, method.name, arguments);
            return call_method(*this, method.self, method.name, arguments);
        }
        case Kind::function: return call_function(*this, callee.text(), arguments);
        case Kind::loop: return call_loop(*callee.loop, arguments);
        case Kind::joiner: {
            Joiner& joiner = *callee.joiner;
            if (joiner.used) return joiner.separator;
            joiner.used = true;
            return string({});
        }
        case Kind::undefined: fail_undefined(callee);
        default: fail("'" + std::string(type_name(callee)) + "' object is not callable");
    }
}

Val Interpreter::filter(std::string_view name, const Val& subject, const Call& call) {
    charge(1);
    const FilterFunction function = find_filter(name);
    if (function == nullptr) fail("No filter named '" + std::string(name) + "'.");
    return function(*this, subject, call);
}

bool Interpreter::test(std::string_view name, const Val& subject, const Call& call) {
    charge(1);
    const TestFunction function = find_test(name);
    if (function == nullptr) fail("No test named '" + std::string(name) + "'.");
    return function(*this, subject, call);
}

Val Interpreter::resolve(std::string_view name) const {
    for (const Context* context = context_; context != nullptr; context = context->outer) {
        for (const auto& [local, value] : context->locals) {
            if (local == name) return value;
        }
        if (context->variables == nullptr) continue;
        if (const model::Value* found = context->variables->find(name)) return view(*found);
    }
    if (is_function(name))
        return {.kind = Kind::function, .size = static_cast<std::uint32_t>(name.size()), .chars = name.data()};
    return {.kind = Kind::missing, .integer = 0};
}

}  // namespace belfry::text::jinja
