#include <algorithm>
#include <unordered_set>

#include "text/jinja/filters.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/sorting.hpp"

namespace belfry::text::jinja {
namespace {

// Whether keys are compared by themselves, or as lists, which look for the first difference before they order.
enum class Keys { alone, lists };

// Room for the keys of all items and for sorting them, in the arena. It is paid for before it is there: a range may be
// of any size.
struct SortRoom {
    std::span<Val> keys;
    std::span<std::uint32_t> places;
    std::span<std::uint32_t> spare;

    SortRoom(Interpreter& in, std::size_t items, std::size_t width) {
        in.charge(items);
        keys = room<Val>(in, items * width);
        places = room<std::uint32_t>(in, items);
        spare = room<std::uint32_t>(in, items);
    }

private:
    template <class T>
    static std::span<T> room(Interpreter& in, std::size_t count) {
        return {static_cast<T*>(in.arena().allocate(count * sizeof(T))), count};
    }
};

// Sorts by keys, of which an item may have several; Python keeps the order of equals, also where it sorts backwards.
std::span<const std::uint32_t> sort_places(Interpreter& in, const SortRoom& room, Keys kind, bool backwards) {
    const std::size_t size = room.places.size();
    const std::size_t width = size == 0 ? 1 : room.keys.size() / size;
    const auto less = [&](std::size_t a, std::size_t b) {
        for (std::size_t i = 0; i < width; ++i) {
            const Val& x = room.keys[a * width + i];
            const Val& y = room.keys[b * width + i];
            // Numbers and texts are equal where neither comes first.
            const bool plain = (x.is_number() && y.is_number()) || (x.is_string() && y.is_string());
            if (kind == Keys::lists && !plain && equal(in, x, y)) continue;
            const int result = order(in, x, y, "<");
            if (kind == Keys::lists && plain && result == 0) continue;
            return result == -1;
        }
        return false;
    };
    if (!backwards) return sorted_places(room.places, room.spare, less);
    const auto places = sorted_places(room.places, room.spare,
                                      [&](std::size_t a, std::size_t b) { return less(size - 1 - a, size - 1 - b); });
    std::reverse(places.begin(), places.end());
    for (std::uint32_t& place : places) place = static_cast<std::uint32_t>(size - 1 - place);
    return places;
}

Val key_of(Interpreter& in, const Val& value, bool case_sensitive) {
    return case_sensitive ? value : ignore_case(in, value);
}

Val sort(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("sort", call, {"reverse", "case_sensitive", "attribute"}, 0);
    std::vector<AttributeGetter> getters;
    const Val attribute = args.value(2, none());
    if (attribute.is_string()) {
        std::string_view rest = attribute.text();
        for (std::size_t comma = 0; comma != std::string_view::npos;
             rest.remove_prefix(std::min(comma, rest.size() - 1) + 1)) {
            comma = rest.find(',');
            getters.emplace_back(in, string(rest.substr(0, comma)));
            if (comma == std::string_view::npos) break;
        }
    } else {
        getters.emplace_back(in, attribute);
    }
    const Items items(in.arena(), subject);
    const SortRoom room(in, items.size(), getters.size());
    Val* key = room.keys.data();
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.charge(1);
        for (const AttributeGetter& get : getters) *key++ = key_of(in, get(items.at(i)), args.flag(1));
    }
    List* list = in.make_list(Flavour::list, items.size());
    for (const std::uint32_t place : sort_places(in, room, Keys::lists, args.flag(0)))
        list->items.push(in.arena(), items.at(place));
    return make(list);
}

Val dictsort(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("dictsort", call, {"case_sensitive", "by", "reverse"}, 0);
    const std::string by = args.has(1) ? in.str(args[1]) : "key";
    if (by != "key" && by != "value") fail("You can only sort by either \"key\" or \"value\"");
    if (!subject.is_dict()) fail("'" + std::string(type_name(subject)) + "' object has no attribute 'items'");
    const Val pairs = call_method(in, subject, "items", {});
    const auto& items = pairs.list->items;
    const SortRoom room(in, items.size(), 1);
    for (std::size_t i = 0; i < items.size(); ++i)
        room.keys[i] = key_of(in, items[i].list->items[by == "key" ? 0 : 1], args.flag(0));
    List* list = in.make_list(Flavour::list, items.size());
    for (const std::uint32_t place : sort_places(in, room, Keys::alone, args.flag(2)))
        list->items.push(in.arena(), items[place]);
    return make(list);
}

Val groupby(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("groupby", call, {"attribute", "default", "case_sensitive"}, 1);
    const AttributeGetter get(in, args[0], args.value(1, none()));
    const Items items(in.arena(), subject);
    const SortRoom room(in, items.size(), 1);
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.charge(1);
        room.keys[i] = key_of(in, get(items.at(i)), args.flag(2));
    }
    List* groups = in.make_list(Flavour::list);
    List* members = nullptr;
    Val key;
    for (const std::uint32_t place : sort_places(in, room, Keys::alone, false)) {
        if (members == nullptr || !equal(in, room.keys[place], key)) {
            key = room.keys[place];
            members = in.make_list(Flavour::list);
            List* group = in.make_list(Flavour::group, 2);
            group->items.push(in.arena(), args.flag(2) ? key : get(items.at(place)));
            group->items.push(in.arena(), make(members));
            groups->items.push(in.arena(), make(group));
        }
        members->items.push(in.arena(), items.at(place));
    }
    return make(groups);
}

struct HashOfVal {
    Meter& meter;
    std::size_t operator()(const Val& value) const { return hash(meter, value); }
};
struct EqualVals {
    Meter& meter;
    bool operator()(const Val& a, const Val& b) const { return equal(meter, a, b); }
};

Val unique(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("unique", call, {"case_sensitive", "attribute"}, 0);
    const AttributeGetter get(in, args.value(1, none()));
    const Items items(in.arena(), subject);
    std::unordered_set<Val, HashOfVal, EqualVals> seen(16, HashOfVal{in}, EqualVals{in});
    List* list = in.make_list(Flavour::generator);
    for (std::size_t i = 0; i < items.size(); ++i) {
        in.charge(4);
        const Val item = items.at(i);
        if (seen.insert(key_of(in, get(item), args.flag(0))).second) list->items.push(in.arena(), item);
    }
    return make(list);
}

template <bool largest>
Val extreme(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args(largest ? "max" : "min", call, {"case_sensitive", "attribute"}, 0);
    const AttributeGetter get(in, args.value(1, none()));
    const Items items(in.arena(), subject);
    if (items.size() == 0) return undefined("the extreme of nothing");
    std::size_t best = 0;
    Val best_key = key_of(in, get(items.at(0)), args.flag(0));
    for (std::size_t i = 1; i < items.size(); ++i) {
        in.charge(1);
        const Val key = key_of(in, get(items.at(i)), args.flag(0));
        if (order(in, key, best_key, largest ? ">" : "<") != (largest ? 1 : -1)) continue;
        best = i;
        best_key = key;
    }
    return items.at(best);
}

}  // namespace

std::vector<FilterEntry> order_filters() {
    return {{"sort", sort},     {"dictsort", dictsort},  {"groupby", groupby},
            {"unique", unique}, {"min", extreme<false>}, {"max", extreme<true>}};
}

}  // namespace belfry::text::jinja
