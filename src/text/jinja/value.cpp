#include "text/jinja/value.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "model/number.hpp"
#include "text/jinja/failure.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

constexpr int depth_max = 200;

void check_depth(int depth) {
    if (depth > depth_max) fail("values nest too deep");
}

int sign_of(bool less, bool greater) {
    return less ? -1 : greater ? 1 : 0;
}

// Exactly, also where a double cannot hold the integer.
int order_mixed(std::int64_t integer, double real) {
    if (real >= 0x1p63) return -1;
    if (real < -0x1p63) return 1;
    const auto whole = static_cast<std::int64_t>(real);
    if (integer != whole) return integer < whole ? -1 : 1;
    const double rest = real - static_cast<double>(whole);
    return sign_of(rest > 0, rest < 0);
}

// Without loss; 2: one of them is no number.
int order_numbers(const Val& a, const Val& b) {
    if (a.is_whole() && b.is_whole()) return sign_of(a.integer<b.integer, a.integer> b.integer);
    if (!a.is_whole() && !b.is_whole()) return a.real == b.real ? 0 : a.real < b.real ? -1 : a.real > b.real ? 1 : 2;
    if (std::isnan(a.is_whole() ? b.real : a.real)) return 2;
    return a.is_whole() ? order_mixed(a.integer, b.real) : -order_mixed(b.integer, a.real);
}

// Of integers by their decimal text.
int order_digits(const std::string& a, const std::string& b) {
    const bool minus = a.front() == '-';
    if (minus != (b.front() == '-')) return minus ? -1 : 1;
    const bool less = a.size() != b.size() ? a.size() < b.size() : a < b;
    return a == b ? 0 : less != minus ? -1 : 1;
}

bool is_any_integer(const Val& value) {
    return value.is_whole() || value.is(Kind::whole);
}

bool numbers_equal(const Val& a, const Val& b) {
    return order_numbers(a, b) == 0;
}

bool is_tuple(const Val& value) {
    return value.is(Kind::list) && (value.list->flavour == Flavour::tuple || value.list->flavour == Flavour::group);
}
bool is_plain_list(const Val& value) {
    return value.is(Kind::array) || (value.is(Kind::list) && value.list->flavour == Flavour::list);
}

Val member(const Val& list, std::size_t i) {
    return list.is(Kind::array) ? view(list.tree->items()[i]) : list.list->items[i];
}

bool lists_equal(Meter& meter, const Val& a, const Val& b, int depth) {
    std::size_t n = 0;
    std::size_t m = 0;
    length(a, n);
    length(b, m);
    if (n != m) return false;
    for (std::size_t i = 0; i < n; ++i) {
        if (!equal(meter, member(a, i), member(b, i), depth + 1)) return false;
    }
    return true;
}

bool dicts_equal(Meter& meter, const Val& a, const Val& b, int depth) {
    std::size_t n = 0;
    std::size_t m = 0;
    length(a, n);
    length(b, m);
    if (n != m) return false;
    for (std::size_t i = 0; i < n; ++i) {
        meter.charge(n / 16);
        const Val key = a.is(Kind::object) ? string(a.tree->members()[i].key()) : a.dict->entries[i].key;
        const Val value = a.is(Kind::object) ? view(a.tree->members()[i].value) : a.dict->entries[i].value;
        Val other;
        if (!dict_get(meter, b, key, other) || !equal(meter, value, other, depth + 1)) return false;
    }
    return true;
}

[[noreturn]] void cannot_order(const Val& a, const Val& b, const char* sign) {
    fail("'" + std::string(sign) + "' not supported between instances of '" + std::string(type_name(a)) + "' and '" +
         std::string(type_name(b)) + "'");
}

}  // namespace

Val view_of_large(const model::Value& tree) {
    const bool integral = tree.kind() == model::Value::Kind::natural || model::is_integral(tree.text());
    if (integral) return {.kind = Kind::whole, .size = 0, .tree = &tree};
    return real(tree.to_real());
}

std::size_t Range::size() const {
    if (step > 0 ? start >= stop : start <= stop) return 0;
    const auto distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                   : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
    const auto stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    return static_cast<std::size_t>((distance - 1) / stride + 1);
}

bool truthy(const Val& value) {
    switch (value.kind) {
        case Kind::missing:
        case Kind::undefined:
        case Kind::none: return false;
        case Kind::boolean:
        case Kind::integer: return value.integer != 0;
        case Kind::real: return value.real != 0;
        case Kind::string: return value.size > 0;
        case Kind::array:
        case Kind::object: return value.tree->size() > 0;
        case Kind::list: return value.list->flavour == Flavour::generator || !value.list->items.empty();
        case Kind::dict: return !value.dict->entries.empty();
        case Kind::range: return value.range->size() > 0;
        default: return true;
    }
}

std::string_view type_name(const Val& value) {
    switch (value.kind) {
        case Kind::missing:
        case Kind::undefined: return "Undefined";
        case Kind::none: return "NoneType";
        case Kind::boolean: return "bool";
        case Kind::integer:
        case Kind::whole: return "int";
        case Kind::real: return "float";
        case Kind::string: return value.markup ? "Markup" : "str";
        case Kind::array: return "list";
        case Kind::object:
        case Kind::dict: return "dict";
        case Kind::list: break;
        case Kind::range: return "range";
        case Kind::loop: return "LoopContext";
        case Kind::macro: return "Macro";
        case Kind::method: return "builtin_function_or_method";
        case Kind::function: return "function";
        case Kind::space: return "Namespace";
        case Kind::cycler: return "Cycler";
        case Kind::joiner: return "Joiner";
    }
    switch (value.list->flavour) {
        case Flavour::list: return "list";
        case Flavour::tuple: return "tuple";
        case Flavour::group: return "_GroupTuple";
        case Flavour::keys: return "dict_keys";
        case Flavour::values: return "dict_values";
        case Flavour::items: return "dict_items";
        case Flavour::generator: return "generator";
    }
    return "object";
}

bool equal(Meter& meter, const Val& a, const Val& b, int depth) {
    check_depth(depth);
    meter.charge(1);
    if (a.is_number() && b.is_number()) return numbers_equal(a, b);
    if (a.is_string() || b.is_string()) {
        if (a.kind != b.kind || a.size != b.size) return false;
        meter.charge(a.size / 64);
        return a.text() == b.text();
    }
    if (a.is_list() && b.is_list()) {
        if (is_plain_list(a) && is_plain_list(b)) return lists_equal(meter, a, b, depth);
        if (is_tuple(a) && is_tuple(b)) return lists_equal(meter, a, b, depth);
        return a.kind == b.kind && a.list == b.list;
    }
    if (a.is_dict() && b.is_dict()) return dicts_equal(meter, a, b, depth);
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case Kind::undefined:
        case Kind::none: return true;
        case Kind::whole: return *a.tree == *b.tree;
        case Kind::range: {
            const std::size_t n = a.range->size();
            if (n != b.range->size()) return false;
            return n == 0 || (a.range->start == b.range->start && (n == 1 || a.range->step == b.range->step));
        }
        default: return a.list == b.list;  // the same thing, whatever it is
    }
}

int order(Meter& meter, const Val& a, const Val& b, const char* sign, int depth) {
    check_depth(depth);
    meter.charge(1);
    if (a.is_number() && b.is_number()) return order_numbers(a, b);
    if (a.is_string() && b.is_string()) {
        meter.charge(std::min(a.size, b.size) / 64);
        // Bytes of UTF-8 sort as the characters do.
        const int result = a.text().compare(b.text());
        return result < 0 ? -1 : result > 0 ? 1 : 0;
    }
    if ((is_plain_list(a) && is_plain_list(b)) || (is_tuple(a) && is_tuple(b))) {
        std::size_t n = 0;
        std::size_t m = 0;
        length(a, n);
        length(b, m);
        for (std::size_t i = 0; i < n && i < m; ++i) {
            if (!equal(meter, member(a, i), member(b, i), depth + 1))
                return order(meter, member(a, i), member(b, i), sign, depth + 1);
        }
        return n < m ? -1 : n > m ? 1 : 0;
    }
    if (is_any_integer(a) && is_any_integer(b)) {
        std::string x;
        std::string y;
        append_repr(meter, x, a.is(Kind::boolean) ? integer(a.integer) : a);
        append_repr(meter, y, b.is(Kind::boolean) ? integer(b.integer) : b);
        return order_digits(x, y);
    }
    if ((a.is(Kind::whole) || a.is_number()) && (b.is(Kind::whole) || b.is_number())) {
        const double x = a.is(Kind::whole) ? a.tree->to_real() : a.as_real();
        const double y = b.is(Kind::whole) ? b.tree->to_real() : b.as_real();
        return x < y ? -1 : x > y ? 1 : 0;
    }
    if (a.is_undefined() || b.is_undefined()) {
        fail("'" + std::string((a.is_undefined() ? a : b).text()) + "' is undefined");
    }
    cannot_order(a, b, sign);
}

std::size_t hash(Meter& meter, const Val& value, int depth) {
    check_depth(depth);
    meter.charge(1);
    switch (value.kind) {
        case Kind::boolean:
        case Kind::integer: return std::hash<double>{}(static_cast<double>(value.integer));
        case Kind::real: return std::hash<double>{}(value.real);
        case Kind::string: meter.charge(value.size / 64); return std::hash<std::string_view>{}(value.text());
        case Kind::none:
        case Kind::undefined: return 0;
        case Kind::whole: return std::hash<double>{}(value.tree->to_real());
        case Kind::list:
            if (is_tuple(value)) {
                std::size_t sum = 7;
                for (const Val& item : value.list->items) sum = sum * 31 + hash(meter, item, depth + 1);
                return sum;
            }
            [[fallthrough]];
        case Kind::array:
        case Kind::object:
        case Kind::dict: fail("unhashable type: '" + std::string(type_name(value)) + "'");
        default: return std::hash<const void*>{}(value.list);
    }
}

Items::Items(Arena& arena, const Val& value) {
    switch (value.kind) {
        case Kind::undefined: return;
        case Kind::array:
            source_ = Source::trees;
            data_ = value.tree->items().data();
            size_ = value.tree->size();
            return;
        case Kind::object:
            source_ = Source::members;
            data_ = value.tree->members().data();
            size_ = value.tree->size();
            return;
        case Kind::list: {
            List& list = *value.list;
            data_ = list.items.begin() + list.cursor;
            size_ = list.items.size() - list.cursor;
            if (list.flavour == Flavour::generator) list.cursor = list.items.size();
            return;
        }
        case Kind::dict:
            source_ = Source::entries;
            data_ = value.dict->entries.begin();
            size_ = value.dict->entries.size();
            return;
        case Kind::range:
            source_ = Source::range;
            data_ = value.range;
            size_ = value.range->size();
            return;
        case Kind::string: {
            ArenaList<Val> characters;
            const std::string_view text = value.text();
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t from = at;
                utf8_next(text, at);
                characters.push(arena, string(text.substr(from, at - from)));
            }
            data_ = characters.begin();
            size_ = characters.size();
            return;
        }
        default: fail("'" + std::string(type_name(value)) + "' object is not iterable");
    }
}

Val Items::at_other(std::size_t i) const {
    switch (source_) {
        case Source::members: return string(static_cast<const model::Member*>(data_)[i].key());
        case Source::entries: return static_cast<const DictEntry*>(data_)[i].key;
        case Source::range: return static_cast<const Range*>(data_)->at(i);
        default: return none();
    }
}

bool can_walk(const Val& value) {
    return value.is_undefined() || value.is_list() || value.is_dict() || value.is_string() || value.is(Kind::range);
}

bool length(const Val& value, std::size_t& size) {
    switch (value.kind) {
        case Kind::undefined: size = 0; return true;
        case Kind::string: size = utf8_length(value.text()); return true;
        case Kind::array:
        case Kind::object: size = value.tree->size(); return true;
        case Kind::list: size = value.list->items.size(); return value.list->flavour != Flavour::generator;
        case Kind::dict: size = value.dict->entries.size(); return true;
        case Kind::range: size = value.range->size(); return true;
        default: return false;
    }
}

bool dict_get(Meter& meter, const Val& dict, const Val& key, Val& value) {
    if (dict.is(Kind::object)) {
        if (!key.is_string()) return false;
        const model::Value* found = dict.tree->find(key.text());
        if (found != nullptr) value = view(*found);
        return found != nullptr;
    }
    for (const DictEntry& entry : dict.dict->entries) {
        if (!equal(meter, entry.key, key)) continue;
        value = entry.value;
        return true;
    }
    return false;
}

void dict_set(Meter& meter, Arena& arena, ArenaList<DictEntry>& entries, const Val& key, const Val& value) {
    hash(meter, key);  // fails where Python would
    for (DictEntry& entry : entries) {
        if (!equal(meter, entry.key, key)) continue;
        entry.value = value;
        return;
    }
    entries.push(arena, {key, value});
}

}  // namespace belfry::text::jinja
