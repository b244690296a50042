#include "text/jinja/tree.hpp"

#include "text/jinja/interpreter.hpp"

namespace belfry::text::jinja {

using model::Value;

namespace {

// What a copy of the tree costs.
void pay_for(Interpreter& in, const Value& tree) {
    in.charge_bytes(tree.text().size());
    in.arena().lend(tree.text().size());
    if (tree.is_array()) in.arena().lend(tree.size() * sizeof(Value));
    if (tree.is_object()) in.arena().lend(tree.size() * sizeof(model::Member));
    for (const Value& item : tree.items()) pay_for(in, item);
    for (const model::Member& member : tree.members()) {
        pay_for(in, member.name);
        pay_for(in, member.value);
    }
}

}  // namespace

Value to_tree(Interpreter& in, const Val& value, int depth) {
    if (depth > 200) fail("values nest too deep");
    in.charge(1);
    switch (value.kind) {
        case Kind::boolean: return Value::boolean(value.integer != 0);
        case Kind::integer: return Value::integer(value.integer);
        case Kind::real: return Value::real(value.real);
        case Kind::string:
            in.charge_bytes(value.size);
            in.arena().lend(value.size);
            return Value::string(value.text());
        case Kind::array:
        case Kind::object:
        case Kind::whole: pay_for(in, *value.tree); return *value.tree;
        case Kind::list:
        case Kind::range: {
            const Items items(in.arena(), value);
            Value made = Value::array();
            in.charge(items.size());
            in.arena().lend(items.size() * sizeof(Value));
            for (std::size_t i = 0; i < items.size(); ++i) made.push(to_tree(in, items.at(i), depth + 1));
            return made;
        }
        case Kind::dict: {
            Value made = Value::object();
            for (const DictEntry& entry : value.dict->entries) {
                in.charge(made.size() / 8);
                in.arena().lend(sizeof(model::Member));
                made.set(in.str(entry.key), to_tree(in, entry.value, depth + 1));
            }
            return made;
        }
        case Kind::missing:
        case Kind::undefined:
        case Kind::none: return {};
        default: return Value::string(in.str(value));
    }
}

}  // namespace belfry::text::jinja
