#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/value.hpp"
#include "text/jinja/arena.hpp"
#include "text/jinja/meter.hpp"

namespace belfry::text::jinja {

struct List;
struct Dict;
struct Range;
struct Loop;
struct Macro;
struct Method;
struct Space;
struct Cycler;
struct Joiner;

enum class Kind : std::uint8_t {
    missing,    // a variable that nobody set; never seen by an expression
    undefined,  // Jinja's Undefined; text is what it was to be called
    none,
    boolean,
    integer,
    real,
    whole,  // an integer beyond 64 bits, as its text: it can be printed and compared, not reckoned with
    string,
    array,   // of the variables: a list
    object,  // of the variables: a dict
    list,
    dict,
    range,
    loop,
    macro,
    method,
    function,
    space,
    cycler,
    joiner,
};

// What an expression has for a value: sixteen bytes that point into the variables, the program or the rendering's
// arena.
struct Val {
    Kind kind = Kind::undefined;
    bool markup = false;     // a string that counts as HTML already, as the filter tojson returns it
    std::uint32_t size = 0;  // of text
    union {
        std::int64_t integer = 0;
        double real;
        const char* chars;
        const model::Value* tree;
        List* list;
        Dict* dict;
        Range* range;
        Loop* loop;
        Macro* macro;
        Method* method;
        Space* space;
        Cycler* cycler;
        Joiner* joiner;
    };

    [[nodiscard]] std::string_view text() const { return {chars, size}; }
    [[nodiscard]] bool is(Kind k) const { return kind == k; }
    [[nodiscard]] bool is_string() const { return kind == Kind::string; }
    [[nodiscard]] bool is_undefined() const { return kind == Kind::undefined; }
    [[nodiscard]] bool is_list() const { return kind == Kind::array || kind == Kind::list; }
    [[nodiscard]] bool is_dict() const { return kind == Kind::object || kind == Kind::dict; }
    [[nodiscard]] bool is_whole() const { return kind == Kind::boolean || kind == Kind::integer; }
    [[nodiscard]] bool is_number() const { return is_whole() || kind == Kind::real; }
    [[nodiscard]] double as_real() const { return kind == Kind::real ? real : static_cast<double>(integer); }
};
static_assert(sizeof(Val) == 16);

inline Val none() {
    return {.kind = Kind::none, .integer = 0};
}
inline Val boolean(bool value) {
    return {.kind = Kind::boolean, .integer = value ? 1 : 0};
}
inline Val integer(std::int64_t value) {
    return {.kind = Kind::integer, .integer = value};
}
inline Val integer(std::size_t value) {
    return integer(static_cast<std::int64_t>(value));
}
inline Val real(double value) {
    return {.kind = Kind::real, .real = value};
}
// The text must live as long as the value.
inline Val string(std::string_view text) {
    return {.kind = Kind::string, .size = static_cast<std::uint32_t>(text.size()), .chars = text.data()};
}
inline Val undefined(std::string_view name) {
    return {.kind = Kind::undefined, .size = static_cast<std::uint32_t>(name.size()), .chars = name.data()};
}
// A view of a tree of the variables.
Val view_of_large(const model::Value& number);
inline Val view(const model::Value& tree) {
    using Tree = model::Value::Kind;
    switch (tree.kind()) {
        case Tree::string: return string(tree.text());
        case Tree::object: return {.kind = Kind::object, .tree = &tree};
        case Tree::array: return {.kind = Kind::array, .tree = &tree};
        case Tree::integer: return integer(tree.as_integer());
        case Tree::real: return real(tree.as_real());
        case Tree::boolean: return boolean(tree.as_boolean());
        case Tree::null: return none();
        case Tree::natural:
        case Tree::big: break;
    }
    return view_of_large(tree);
}

// Python's kinds of list, which differ in how they print and in what may be done with them.
enum class Flavour : std::uint8_t { list, tuple, group, keys, values, items, generator };

struct List {
    Flavour flavour = Flavour::list;
    std::size_t cursor = 0;  // of a generator: what was consumed
    ArenaList<Val> items;
};

struct DictEntry {
    Val key;
    Val value;
};
struct Dict {
    ArenaList<DictEntry> entries;
};
struct Range {
    std::int64_t start;
    std::int64_t stop;
    std::int64_t step;

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] Val at(std::size_t i) const { return integer(start + static_cast<std::int64_t>(i) * step); }
};
// namespace(…): the one thing whose parts a template may set.
struct Space {
    ArenaList<DictEntry> entries;
};
struct Cycler {
    List* items;
    std::size_t at;
};
struct Joiner {
    Val separator;
    bool used;
};
struct Method {
    Val self;
    std::string_view name;
};

inline Val make(List* list) {
    return {.kind = Kind::list, .list = list};
}
inline Val make(Dict* dict) {
    return {.kind = Kind::dict, .dict = dict};
}

bool truthy(const Val& value);
// The name that Python has for the type, for error texts.
std::string_view type_name(const Val& value);

// Python's str() and repr(), appended. Depth is bounded, size by the meter.
void append_str(Meter& meter, std::string& out, const Val& value);
void append_repr(Meter& meter, std::string& out, const Val& value, int depth = 0);
// The conversions `s`, `r` and `a` of format strings: str(), repr(), and ascii(), which is repr() without any character
// beyond ASCII.
void append_converted(Meter& meter, std::string& out, const Val& value, char conversion);
void append_real_repr(std::string& out, double value);

// == of any two values; < of those that Python can order, else it fails.
bool equal(Meter& meter, const Val& a, const Val& b, int depth = 0);
int order(Meter& meter, const Val& a, const Val& b, const char* sign, int depth = 0);
std::size_t hash(Meter& meter, const Val& value, int depth = 0);  // fails for lists and dicts, as in Python

// The members of a list, tuple, array, dict (keys), string (characters), range, generator (used up by it). Fails for
// what cannot be walked.
class Items {
public:
    Items(Arena& arena, const Val& value);
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Val at(std::size_t i) const {
        if (source_ == Source::trees) return view(static_cast<const model::Value*>(data_)[i]);
        if (source_ == Source::vals) return static_cast<const Val*>(data_)[i];
        return at_other(i);
    }

private:
    [[nodiscard]] Val at_other(std::size_t i) const;

    enum class Source : std::uint8_t { trees, members, vals, entries, range };
    Source source_ = Source::vals;
    std::size_t size_ = 0;
    const void* data_ = nullptr;
};
bool can_walk(const Val& value);

// The number of members, as len() gives it; false: it has none to give.
bool length(const Val& value, std::size_t& size);

// An entry of a dict by its key; null: there is none.
bool dict_get(Meter& meter, const Val& dict, const Val& key, Val& value);
void dict_set(Meter& meter, Arena& arena, ArenaList<DictEntry>& entries, const Val& key, const Val& value);

}  // namespace belfry::text::jinja
