#include <algorithm>
#include <array>

#include "text/jinja/interpreter.hpp"
#include "text/jinja/ops.hpp"
#include "text/jinja/string_methods.hpp"

namespace belfry::text::jinja {
namespace {

template <bool (*holds)(const Val&)>
bool plain(Interpreter&, const Val& subject, const Call& call) {
    const Bound args("this test", call, {}, 0);
    return holds(subject);
}

bool is_defined(const Val& v) {
    return !v.is_undefined();
}
bool is_undefined(const Val& v) {
    return v.is_undefined();
}
bool is_none(const Val& v) {
    return v.is(Kind::none);
}
bool is_boolean(const Val& v) {
    return v.is(Kind::boolean);
}
bool is_true(const Val& v) {
    return v.is(Kind::boolean) && v.integer != 0;
}
bool is_false(const Val& v) {
    return v.is(Kind::boolean) && v.integer == 0;
}
bool is_integer(const Val& v) {
    return v.is(Kind::integer) || v.is(Kind::whole);
}
bool is_float(const Val& v) {
    return v.is(Kind::real);
}
bool is_number(const Val& v) {
    return v.is_number() || v.is(Kind::whole);
}
bool is_string(const Val& v) {
    return v.is_string();
}
bool is_mapping(const Val& v) {
    return v.is_dict();
}
bool is_escaped(const Val& v) {
    return v.is_string() && v.markup;
}
bool is_sequence(const Val& v) {
    if (v.is(Kind::list)) return v.list->flavour <= Flavour::group;
    return v.is_undefined() || v.is(Kind::array) || v.is_dict() || v.is_string() || v.is(Kind::range);
}
bool is_callable(const Val& v) {
    return v.is_undefined() || v.is(Kind::macro) || v.is(Kind::method) || v.is(Kind::function) || v.is(Kind::joiner) ||
           v.is(Kind::loop);
}

template <bool upper>
bool cased(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("this test", call, {}, 0);
    return is_all_cased(in.str(subject), upper);
}

bool remainder_is(Interpreter& in, const Val& subject, std::int64_t divisor, std::int64_t rest) {
    return equal(in, modulo(in, subject, integer(divisor)), integer(rest));
}

bool odd(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("odd", call, {}, 0);
    return remainder_is(in, subject, 2, 1);
}

bool even(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("even", call, {}, 0);
    return remainder_is(in, subject, 2, 0);
}

bool divisible_by(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("divisibleby", call, {"num"}, 1);
    return equal(in, modulo(in, subject, args[0]), integer(std::int64_t{0}));
}

template <Comparison comparison>
bool compared(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("this test", call, {"other"}, 1);
    return compare(in, comparison, subject, args[0]);
}

bool same_as(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("sameas", call, {"other"}, 1);
    const Val& other = args[0];
    if (subject.kind != other.kind) return false;
    if (subject.is_string()) return equal(in, subject, other);
    if (subject.is(Kind::none) || subject.is_undefined()) return true;
    return subject.integer == other.integer;
}

bool has_filter(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("filter", call, {}, 0);
    return find_filter(in.str(subject)) != nullptr;
}

bool has_test(Interpreter& in, const Val& subject, const Call& call) {
    const Bound args("test", call, {}, 0);
    return find_test(in.str(subject)) != nullptr;
}

struct Entry {
    std::string_view name;
    TestFunction function;
};

constexpr auto table = std::to_array<Entry>({
    {"!=", compared<Comparison::ne>},
    {"<", compared<Comparison::lt>},
    {"<=", compared<Comparison::le>},
    {"==", compared<Comparison::eq>},
    {">", compared<Comparison::gt>},
    {">=", compared<Comparison::ge>},
    {"boolean", plain<is_boolean>},
    {"callable", plain<is_callable>},
    {"defined", plain<is_defined>},
    {"divisibleby", divisible_by},
    {"eq", compared<Comparison::eq>},
    {"equalto", compared<Comparison::eq>},
    {"escaped", plain<is_escaped>},
    {"even", even},
    {"false", plain<is_false>},
    {"filter", has_filter},
    {"float", plain<is_float>},
    {"ge", compared<Comparison::ge>},
    {"greaterthan", compared<Comparison::gt>},
    {"gt", compared<Comparison::gt>},
    {"in", compared<Comparison::in>},
    {"integer", plain<is_integer>},
    {"iterable", plain<can_walk>},
    {"le", compared<Comparison::le>},
    {"lessthan", compared<Comparison::lt>},
    {"lower", cased<false>},
    {"lt", compared<Comparison::lt>},
    {"mapping", plain<is_mapping>},
    {"ne", compared<Comparison::ne>},
    {"none", plain<is_none>},
    {"number", plain<is_number>},
    {"odd", odd},
    {"sameas", same_as},
    {"sequence", plain<is_sequence>},
    {"string", plain<is_string>},
    {"test", has_test},
    {"true", plain<is_true>},
    {"undefined", plain<is_undefined>},
    {"upper", cased<true>},
});

}  // namespace

TestFunction find_test(std::string_view name) {
    const auto found = std::lower_bound(table.begin(), table.end(), name,
                                        [](const Entry& entry, std::string_view n) { return entry.name < n; });
    return found == table.end() || found->name != name ? nullptr : found->function;
}

}  // namespace belfry::text::jinja
