#include <algorithm>
#include <cmath>

#include "text/jinja/interpreter.hpp"
#include "text/jinja/string_methods.hpp"

namespace belfry::text::jinja {
namespace {

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void would_change(std::string_view name) {
    fail(std::string(name) + "() would change a value, which templates cannot do");
}

Val dict_view(Interpreter& in, const Val& dict, Flavour flavour) {
    const Items keys(in.arena(), dict);
    List* list = in.make_list(flavour, keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Val key = keys.at(i);
        const Val value = dict.is(Kind::object) ? view(dict.tree->members()[i].value) : dict.dict->entries[i].value;
        if (flavour == Flavour::items) {
            List* pair = in.make_list(Flavour::tuple, 2);
            pair->items.push(in.arena(), key);
            pair->items.push(in.arena(), value);
            list->items.push(in.arena(), make(pair));
        } else {
            list->items.push(in.arena(), flavour == Flavour::keys ? key : value);
        }
    }
    return make(list);
}

Val dict_method(Interpreter& in, const Val& self, std::string_view name, const Call& call) {
    if (name == "get") {
        const Bound args("get", call, {"key", "default"}, 1);
        hash(in, args[0]);
        Val value;
        std::size_t size = 0;
        length(self, size);
        in.charge(size / 8);
        return dict_get(in, self, args[0], value) ? value : args.value(1, none());
    }
    const bool known = is_any(name, {"items", "keys", "values", "copy"});
    if (!known) would_change(name);
    const Bound args("this method", call, {}, 0);
    if (name == "items") return dict_view(in, self, Flavour::items);
    if (name == "keys") return dict_view(in, self, Flavour::keys);
    if (name == "values") return dict_view(in, self, Flavour::values);
    return self;
}

Val list_index(Interpreter& in, const Items& items, const Call& call) {
    const Bound args("index", call, {"value", "start", "stop"}, 1);
    const auto size = static_cast<std::int64_t>(items.size());
    const auto bound = [&](std::size_t i, std::int64_t otherwise) {
        const std::int64_t given = args.integer(i, otherwise);
        return std::clamp<std::int64_t>(given < 0 ? given + size : given, 0, size);
    };
    const std::int64_t to = bound(2, size);
    for (std::int64_t i = bound(1, 0); i < to; ++i) {
        if (equal(in, items.at(static_cast<std::size_t>(i)), args[0])) return integer(i);
    }
    fail("the value is not in the list");
}

Val list_method(Interpreter& in, const Val& self, std::string_view name, const Call& call) {
    if (name == "copy") {
        const Bound args("copy", call, {}, 0);
        return self;
    }
    if (name != "count" && name != "index") would_change(name);
    const Items items(in.arena(), self);
    in.charge(items.size());
    if (name == "index") return list_index(in, items, call);
    const Bound args("count", call, {"value"}, 1);
    std::size_t count = 0;
    for (std::size_t i = 0; i < items.size(); ++i) count += equal(in, items.at(i), args[0]) ? 1 : 0;
    return integer(count);
}

}  // namespace

// Asked for every attribute of a dict, so it looks at the length first.
bool is_dict_method(std::string_view name) {
    switch (name.size()) {
        case 3: return name == "get" || name == "pop";
        case 4: return name == "keys" || name == "copy";
        case 5: return name == "items" || name == "clear";
        case 6: return name == "values" || name == "update";
        case 7: return name == "popitem";
        case 8: return name == "fromkeys";
        case 10: return name == "setdefault";
        default: return false;
    }
}

bool has_method(const Val& self, std::string_view name) {
    switch (self.kind) {
        case Kind::object:
        case Kind::dict: return is_dict_method(name);
        case Kind::string: return has_string_method(name);
        case Kind::list:
            if (self.list->flavour > Flavour::group) return false;
            if (self.list->flavour != Flavour::list) return name == "count" || name == "index";
            [[fallthrough]];
        case Kind::array:
            return is_any(name, {"append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove",
                                 "reverse", "sort"});
        case Kind::range: return name == "count" || name == "index";
        case Kind::real: return name == "is_integer";
        case Kind::cycler: return name == "next" || name == "reset";
        default: return false;
    }
}

Val call_method(Interpreter& in, const Val& self, std::string_view name, const Call& call) {
    in.charge(1);
    switch (self.kind) {
        case Kind::string: return string_method(in, self, name, call);
        case Kind::object:
        case Kind::dict: return dict_method(in, self, name, call);
        case Kind::real: return boolean(std::isfinite(self.real) && std::trunc(self.real) == self.real);
        case Kind::cycler: {
            Cycler& cycler = *self.cycler;
            const Val current = cycler.items->items[cycler.at];
            cycler.at = name == "reset" ? 0 : (cycler.at + 1) % cycler.items->items.size();
            return name == "reset" ? none() : current;
        }
        default: return list_method(in, self, name, call);
    }
}

}  // namespace belfry::text::jinja
