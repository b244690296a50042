#include <algorithm>

#include "text/jinja/interpreter.hpp"

namespace belfry::text::jinja {
namespace {

constexpr std::string_view names[] = {"cycler", "dict", "joiner", "namespace", "range"};

Val range(Interpreter& in, const Call& call) {
    if (!call.named.empty()) fail("range() takes no keyword arguments");
    if (call.args.empty() || call.args.size() > 3) fail("range expected 1 to 3 arguments");
    for (const Val& value : call.args) {
        if (value.is_undefined()) fail("'" + std::string(value.text()) + "' is undefined");
        if (!value.is_whole())
            fail("'" + std::string(type_name(value)) + "' object cannot be interpreted as an integer");
    }
    Range made{0, call.args[0].integer, 1};
    if (call.args.size() > 1) made = {call.args[0].integer, call.args[1].integer, 1};
    if (call.args.size() > 2) made.step = call.args[2].integer;
    if (made.step == 0) fail("range() arg 3 must not be zero");
    // Far from the ends of 64 bits, so that no member overflows.
    for (const std::int64_t bound : {made.start, made.stop, made.step}) {
        if (bound > (std::int64_t{1} << 61) || bound < -(std::int64_t{1} << 61)) fail("range() beyond 61 bits");
    }
    return {.kind = Kind::range, .range = in.arena().make<Range>(made)};
}

// The entries of a dict, or of pairs, or of keyword arguments.
void fill(Interpreter& in, ArenaList<DictEntry>& entries, const Call& call, const char* function) {
    if (call.args.size() > 1) fail(std::string(function) + " expected at most 1 argument");
    if (!call.args.empty()) {
        const Val& source = call.args[0];
        const Items items(in.arena(), source);
        in.charge(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            in.charge(entries.size() / 8);
            if (source.is_dict()) {
                Val value;
                dict_get(in, source, items.at(i), value);
                dict_set(in, in.arena(), entries, items.at(i), value);
                continue;
            }
            const Items pair(in.arena(), items.at(i));
            if (pair.size() != 2) fail("dictionary update sequence element has a length other than 2");
            dict_set(in, in.arena(), entries, pair.at(0), pair.at(1));
        }
    }
    for (const auto& [name, value] : call.named) dict_set(in, in.arena(), entries, string(name), value);
}

}  // namespace

bool is_function(std::string_view name) {
    return std::binary_search(std::begin(names), std::end(names), name);
}

Val call_function(Interpreter& in, std::string_view name, const Call& call) {
    if (name == "range") return range(in, call);
    if (name == "dict") {
        Dict* dict = in.arena().make<Dict>();
        fill(in, dict->entries, call, "dict");
        return make(dict);
    }
    if (name == "namespace") {
        Space* space = in.arena().make<Space>();
        fill(in, space->entries, call, "namespace");
        return {.kind = Kind::space, .space = space};
    }
    if (name == "joiner") {
        const Bound args("joiner", call, {"sep"}, 0);
        return {.kind = Kind::joiner, .joiner = in.arena().make<Joiner>(args.value(0, string(", ")), false)};
    }
    if (call.args.empty() || !call.named.empty()) fail("at least one item has to be provided");
    List* items = in.make_list(Flavour::list, call.args.size());
    for (const Val& value : call.args) items->items.push(in.arena(), value);
    return {.kind = Kind::cycler, .cycler = in.arena().make<Cycler>(items, std::size_t{0})};
}

}  // namespace belfry::text::jinja
