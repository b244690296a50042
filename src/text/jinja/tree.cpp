#include "text/jinja/tree.hpp"

#include "text/jinja/interpreter.hpp"

namespace belfry::text::jinja {

using model::Value;

Value to_tree(Interpreter& in, const Val& value, int depth) {
    if (depth > 200) fail("values nest too deep");
    in.charge(1);
    switch (value.kind) {
        case Kind::boolean: return Value::boolean(value.integer != 0);
        case Kind::integer: return Value::integer(value.integer);
        case Kind::real: return Value::real(value.real);
        case Kind::string: return Value::string(value.text());
        case Kind::array:
        case Kind::object:
        case Kind::whole: in.charge(value.is(Kind::whole) ? 0 : value.tree->size()); return *value.tree;
        case Kind::list:
        case Kind::range: {
            const Items items(in.arena(), value);
            Value made = Value::array();
            for (std::size_t i = 0; i < items.size(); ++i) made.push(to_tree(in, items.at(i), depth + 1));
            return made;
        }
        case Kind::dict: {
            Value made = Value::object();
            for (const DictEntry& entry : value.dict->entries) {
                in.charge(made.size() / 8);
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
