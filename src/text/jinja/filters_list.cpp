#include <algorithm>

#include "text/jinja/filters.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/ops.hpp"

namespace belfry::text::jinja {
namespace {

Val defaulted(Interpreter&, const Val& subject, const Call& call) {
    const Bound args("default", call, {"default_value", "boolean"}, 0);
    if (subject.is_undefined() || (args.flag(1) && !truthy(subject))) return args.value(0, string({}));
    return subject;
}

Val size_of(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("length", call, {}, 0);
    if (subject.is_string()) in.charge_bytes(subject.size);
    std::size_t size = 0;
    if (!length(subject, size)) fail("object of type '" + std::string(type_name(subject)) + "' has no len()");
    return integer(size);
}

Val first(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("first", call, {}, 0);
    if (subject.is(Kind::list) && subject.list->flavour == Flavour::generator) {
        // Only one is taken; the rest can still be walked.
        List& list = *subject.list;
        return list.cursor < list.items.size() ? list.items[list.cursor++] : undefined("the first item of nothing");
    }
    if (subject.is_string()) {
        return subject.size == 0 ? undefined("the first item of nothing") : in.item(subject, integer(std::int64_t{0}));
    }
    const Items items(in.arena(), subject);
    return items.size() == 0 ? undefined("the first item of nothing") : items.at(0);
}

Val last(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("last", call, {}, 0);
    if (subject.is(Kind::list) && subject.list->flavour == Flavour::generator)
        fail("'generator' object is not reversible");
    const Items items(in.arena(), subject);
    return items.size() == 0 ? undefined("the last item of nothing") : items.at(items.size() - 1);
}

Val join(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("join", call, {"d", "attribute"}, 0);
    const AttributeGetter get(in, args.value(1, none()));
    const std::string between = args.has(0) ? in.str(args[0]) : "";
    const Items items(in.arena(), subject);
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.will_grow(out, between.size());
        if (i > 0) out += between;
        append_str(in, out, get(items.at(i)));
    }
    return in.text(out);
}

Val to_list(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("list", call, {}, 0);
    const Items items(in.arena(), subject);
    List* list = in.make_list(Flavour::list, items.size());
    for (std::size_t i = 0; i < items.size(); ++i) list->items.push(in.arena(), items.at(i));
    return make(list);
}

Val reverse(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("reverse", call, {}, 0);
    if (subject.is_string()) return slice(in, subject, none(), none(), integer(std::int64_t{-1}));
    const bool generator = subject.is(Kind::list) && subject.list->flavour == Flavour::generator;
    const Items items(in.arena(), subject);
    List* list = in.make_list(generator ? Flavour::list : Flavour::generator, items.size());
    for (std::size_t i = items.size(); i > 0; --i) list->items.push(in.arena(), items.at(i - 1));
    return make(list);
}

Val map(Interpreter& in, const Val& subject, const Call& call) {
    List* list = in.make_list(Flavour::generator);
    if (!truthy(subject)) return make(list);
    const Items items(in.arena(), subject);
    const auto attribute =
        std::find_if(call.named.begin(), call.named.end(), [](const auto& n) { return n.first == "attribute"; });
    if (call.args.empty() && attribute != call.named.end()) {
        const Bound args("map", call, {"attribute", "default"}, 1);
        const AttributeGetter get(in, args[0], args.value(1, none()));
        for (std::size_t i = 0; i < items.size(); ++i) list->items.push(in.arena(), get(items.at(i)));
        return make(list);
    }
    if (call.args.empty()) fail("map requires a filter argument");
    const std::string name = in.str(call.args[0]);
    for (std::size_t i = 0; i < items.size(); ++i) {
        list->items.push(in.arena(), in.filter(name, items.at(i), {call.args.subspan(1), call.named}));
    }
    return make(list);
}

template <bool wanted, bool by_attribute>
Val select(Interpreter& in, const Val& subject, const Call& call) {
    List* list = in.make_list(Flavour::generator);
    if (!truthy(subject)) return make(list);
    std::span<const Val> args = call.args;
    Val attribute = none();
    if (by_attribute) {
        if (args.empty()) fail("Missing parameter for attribute name");
        attribute = args[0];
        args = args.subspan(1);
    }
    const AttributeGetter get(in, attribute);
    const std::string name = args.empty() ? "" : in.str(args[0]);
    const Items items(in.arena(), subject);
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.charge(1);
        const Val item = items.at(i);
        const Val tested = get(item);
        const bool passes = args.empty() ? truthy(tested) : in.test(name, tested, {args.subspan(1), call.named});
        if (passes == wanted) list->items.push(in.arena(), item);
    }
    return make(list);
}

Val batch(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("batch", call, {"linecount", "fill_with"}, 1);
    const std::int64_t size = args.integer(0, 1);
    const Val fill = args.value(1, none());
    const Items items(in.arena(), subject);
    List* batches = in.make_list(Flavour::generator);
    List* now = nullptr;
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.charge(1);
        if (now == nullptr || static_cast<std::int64_t>(now->items.size()) == size) {
            now = in.make_list(Flavour::list);
            batches->items.push(in.arena(), make(now));
        }
        now->items.push(in.arena(), items.at(i));
    }
    while (now != nullptr && !fill.is(Kind::none) && static_cast<std::int64_t>(now->items.size()) < size) {
        in.charge(1);
        now->items.push(in.arena(), fill);
    }
    return make(batches);
}

Val slices(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("slice", call, {"slices", "fill_with"}, 1);
    const std::int64_t count = args.integer(0, 1);
    const Val fill = args.value(1, none());
    const Items items(in.arena(), subject);
    List* made = in.make_list(Flavour::generator);
    if (count == 0) fail("integer division or modulo by zero");
    const std::size_t columns = count < 0 ? 0 : static_cast<std::size_t>(count);
    std::size_t at = 0;
    for (std::size_t i = 0; i < columns; ++i) {
        in.charge(1);
        const bool extra = i < items.size() % columns;
        List* column = in.make_list(Flavour::list);
        for (std::size_t n = items.size() / columns + (extra ? 1 : 0); n > 0; --n)
            column->items.push(in.arena(), items.at(at++));
        if (!fill.is(Kind::none) && !extra) column->items.push(in.arena(), fill);
        made->items.push(in.arena(), make(column));
    }
    return make(made);
}

Val items_of(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("items", call, {}, 0);
    if (subject.is_undefined()) return make(in.make_list(Flavour::generator));
    if (!subject.is_dict()) fail("Can only get item pairs from a mapping.");
    const Val pairs = call_method(in, subject, "items", {});
    pairs.list->flavour = Flavour::generator;
    return pairs;
}

Val attribute_of(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("attr", call, {"name"}, 1);
    const std::string_view name = in.arena().copy(in.str(args[0]));
    // Attributes only: the keys of a dict are none.
    if (subject.is_dict() && !has_method(subject, name)) return undefined(name);
    if (subject.is_undefined()) return undefined(name);
    return in.attribute(subject, name);
}

Val sum(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("sum", call, {"attribute", "start"}, 0);
    const AttributeGetter get(in, args.value(0, none()));
    Val total = args.value(1, integer(std::int64_t{0}));
    if (total.is_string()) fail("sum() can't sum strings [use ''.join(seq) instead]");
    const Items items(in.arena(), subject);
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.charge(1);
        total = add(in, total, get(items.at(i)));
    }
    return total;
}

}  // namespace

AttributeGetter::AttributeGetter(Interpreter& in, const Val& attribute, const Val& otherwise)
    : in_(in), otherwise_(otherwise) {
    if (attribute.is(Kind::none)) return;
    if (!attribute.is_string()) {
        parts_.push_back({attribute, {}, 0});
        return;
    }
    std::string_view rest = attribute.text();
    parts_.reserve(1 + static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '.')));
    while (true) {
        const std::size_t dot = rest.find('.');
        const std::string_view part = rest.substr(0, dot);
        if (!part.empty() && part.size() < 18 && part.find_first_not_of("0123456789") == std::string_view::npos) {
            std::int64_t index = 0;
            for (const char c : part) index = index * 10 + (c - '0');
            parts_.push_back({integer(index), {}, 0});
        } else {
            parts_.push_back({string(part), model::Value::string(part), 0});
        }
        if (dot == std::string_view::npos) break;
        rest.remove_prefix(dot + 1);
    }
}

// As attribute_of does it: a key is looked for where it was found last.
Val AttributeGetter::operator()(const Val& item) const {
    if (parts_.empty()) return item;
    Val value = step(item, parts_.front());
    for (std::size_t i = 1; i < parts_.size(); ++i) value = step(value, parts_[i]);
    return value;
}

Val AttributeGetter::step(const Val& value, const Part& part) const {
    in_.charge(1);
    if (value.is(Kind::object) && part.name.is_flat()) {
        const auto members = value.tree->members();
        if (part.hint < members.size() && members[part.hint].name.same_text(part.name)) [[likely]]
            return view(members[part.hint].value);
    }
    return search(value, part);
}

[[gnu::noinline]] Val AttributeGetter::search(const Val& value, const Part& part) const {
    if (value.is(Kind::object) && part.key.is_string()) {
        const auto members = value.tree->members();
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (!members[i].name.same_text(part.name)) continue;
            part.hint = i;
            in_.charge(i / 16);
            return view(members[i].value);
        }
    }
    const Val found = in_.item(value, part.key);
    return found.is_undefined() && !otherwise_.is(Kind::none) ? otherwise_ : found;
}

std::vector<FilterEntry> list_filters() {
    return {
        {"default", defaulted},
        {"d", defaulted},
        {"length", size_of},
        {"count", size_of},
        {"first", first},
        {"last", last},
        {"join", join},
        {"list", to_list},
        {"reverse", reverse},
        {"map", map},
        {"select", select<true, false>},
        {"reject", select<false, false>},
        {"selectattr", select<true, true>},
        {"rejectattr", select<false, true>},
        {"batch", batch},
        {"slice", slices},
        {"items", items_of},
        {"attr", attribute_of},
        {"sum", sum},
    };
}

}  // namespace belfry::text::jinja
