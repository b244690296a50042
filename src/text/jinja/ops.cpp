#include "text/jinja/ops.hpp"

#include <algorithm>
#include <cmath>

#include "text/jinja/interpreter.hpp"
#include "text/utf8.hpp"

namespace belfry::text::jinja {
namespace {

[[noreturn]] void unsupported(const char* sign, const Val& a, const Val& b) {
    for (const Val* value : {&a, &b}) {
        if (value->is_undefined()) fail("'" + std::string(value->text()) + "' is undefined");
    }
    if (a.is(Kind::whole) || b.is(Kind::whole)) fail("integers beyond 64 bits cannot be reckoned with");
    fail("unsupported operand type(s) for " + std::string(sign) + ": '" + std::string(type_name(a)) + "' and '" +
         std::string(type_name(b)) + "'");
}

[[noreturn]] void overflow() {
    fail("an integer beyond 64 bits");
}

bool both_whole(const Val& a, const Val& b) {
    return a.is_whole() && b.is_whole();
}
bool both_numbers(const Val& a, const Val& b) {
    return a.is_number() && b.is_number();
}

bool is_tuple(const Val& value) {
    return value.is(Kind::list) && (value.list->flavour == Flavour::tuple || value.list->flavour == Flavour::group);
}
bool is_plain_list(const Val& value) {
    return value.is(Kind::array) || (value.is(Kind::list) && value.list->flavour == Flavour::list);
}

void extend(Interpreter& in, List& list, const Val& more) {
    const Items items(in.arena(), more);
    in.charge(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) list.items.push(in.arena(), items.at(i));
}

Val joined_text(Interpreter& in, const Val& a, const Val& b) {
    std::string out;
    const bool markup = a.markup || b.markup;
    for (const Val* part : {&a, &b}) {
        if (markup && !part->markup) {
            append_escaped_html(out, part->text());
        } else {
            out += part->text();
        }
    }
    in.charge_bytes(out.size());
    Val made = in.text(out);
    made.markup = markup;
    return made;
}

Val repeated(Interpreter& in, const Val& value, std::int64_t times) {
    times = std::max<std::int64_t>(times, 0);
    if (value.is_string()) {
        const std::string_view text = value.text();
        if (!text.empty() && times > (std::int64_t{1} << 30) / static_cast<std::int64_t>(text.size()))
            fail("a text too large to repeat");
        in.charge_bytes(text.size() * static_cast<std::size_t>(times));
        char* at = static_cast<char*>(in.arena().allocate(text.size() * static_cast<std::size_t>(times) + 1));
        for (std::int64_t i = 0; i < times; ++i)
            std::copy(text.begin(), text.end(), at + i * static_cast<std::int64_t>(text.size()));
        Val made = string({at, text.size() * static_cast<std::size_t>(times)});
        made.markup = value.markup;
        return made;
    }
    List* list = in.make_list(is_tuple(value) ? Flavour::tuple : Flavour::list);
    if (truthy(value)) {
        for (std::int64_t i = 0; i < times; ++i) {
            in.charge(1);
            extend(in, *list, value);
        }
    }
    return make(list);
}

double floored_modulo(double a, double b) {
    double result = std::fmod(a, b);
    if (result != 0) {
        if ((b < 0) != (result < 0)) result += b;
    } else {
        result = std::copysign(0.0, b);
    }
    return result;
}

std::int64_t floored_quotient(std::int64_t a, std::int64_t b) {
    if (a == INT64_MIN && b == -1) overflow();
    std::int64_t quotient = a / b;
    if (a % b != 0 && (a < 0) != (b < 0)) --quotient;
    return quotient;
}

void no_zero(const Val& b, const char* what) {
    if (b.as_real() == 0) fail(what);
}

}  // namespace

Val add(Interpreter& in, const Val& a, const Val& b) {
    if (both_whole(a, b)) {
        std::int64_t sum = 0;
        if (__builtin_add_overflow(a.integer, b.integer, &sum)) overflow();
        return integer(sum);
    }
    if (both_numbers(a, b)) return real(a.as_real() + b.as_real());
    if (a.is_string() && b.is_string()) return joined_text(in, a, b);
    if ((is_plain_list(a) && is_plain_list(b)) || (is_tuple(a) && is_tuple(b))) {
        List* list = in.make_list(is_tuple(a) ? Flavour::tuple : Flavour::list);
        extend(in, *list, a);
        extend(in, *list, b);
        return make(list);
    }
    unsupported("+", a, b);
}

Val subtract(const Val& a, const Val& b) {
    if (both_whole(a, b)) {
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(a.integer, b.integer, &difference)) overflow();
        return integer(difference);
    }
    if (both_numbers(a, b)) return real(a.as_real() - b.as_real());
    unsupported("-", a, b);
}

Val multiply(Interpreter& in, const Val& a, const Val& b) {
    if (both_whole(a, b)) {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(a.integer, b.integer, &product)) overflow();
        return integer(product);
    }
    if (both_numbers(a, b)) return real(a.as_real() * b.as_real());
    const auto repeats = [](const Val& value) { return value.is_string() || is_plain_list(value) || is_tuple(value); };
    if (repeats(a) && b.is_whole()) return repeated(in, a, b.integer);
    if (repeats(b) && a.is_whole()) return repeated(in, b, a.integer);
    unsupported("*", a, b);
}

Val divide(const Val& a, const Val& b) {
    if (!both_numbers(a, b)) unsupported("/", a, b);
    no_zero(b, "division by zero");
    return real(a.as_real() / b.as_real());
}

Val floor_divide(const Val& a, const Val& b) {
    if (!both_numbers(a, b)) unsupported("//", a, b);
    no_zero(b, "integer division or modulo by zero");
    if (both_whole(a, b)) return integer(floored_quotient(a.integer, b.integer));
    const double x = a.as_real();
    const double y = b.as_real();
    // As Python does it: the quotient belongs to the floored remainder, and is rounded to the integer next to it.
    const double quotient = (x - floored_modulo(x, y)) / y;
    if (quotient == 0) return real(std::copysign(0.0, x / y));
    double floored = std::floor(quotient);
    if (quotient - floored > 0.5) floored += 1.0;
    return real(floored);
}

Val modulo(Interpreter& in, const Val& a, const Val& b) {
    if (a.is_string()) {
        std::string out;
        append_percent(in, out, a.text(), b);
        in.charge_bytes(out.size());
        return in.text(out);
    }
    if (!both_numbers(a, b)) unsupported("%", a, b);
    no_zero(b, "integer modulo by zero");
    if (!both_whole(a, b)) return real(floored_modulo(a.as_real(), b.as_real()));
    if (b.integer == -1) return integer(std::int64_t{0});
    const std::int64_t rest = a.integer % b.integer;
    return integer(rest != 0 && (rest < 0) != (b.integer < 0) ? rest + b.integer : rest);
}

Val power(const Val& a, const Val& b) {
    if (!both_numbers(a, b)) unsupported("** or pow()", a, b);
    if (both_whole(a, b) && b.integer >= 0) {
        std::int64_t result = 1;
        std::int64_t base = a.integer;
        for (std::int64_t exponent = b.integer; exponent > 0;) {
            if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) overflow();
            exponent >>= 1;
            if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) overflow();
        }
        return integer(result);
    }
    const double x = a.as_real();
    const double y = b.as_real();
    if (x == 0 && y < 0) fail("0.0 cannot be raised to a negative power");
    if (x < 0 && std::trunc(y) != y) fail("a negative number to a broken power is complex");
    const double result = std::pow(x, y);
    if (std::isinf(result) && !std::isinf(x) && !std::isinf(y)) fail("(34, 'Numerical result out of range')");
    return real(result);
}

Val negate(const Val& a) {
    if (a.is_whole()) {
        if (a.integer == INT64_MIN) overflow();
        return integer(-a.integer);
    }
    if (a.is(Kind::real)) return real(-a.real);
    if (a.is_undefined()) fail("'" + std::string(a.text()) + "' is undefined");
    fail("bad operand type for unary -: '" + std::string(type_name(a)) + "'");
}

Val affirm(const Val& a) {
    if (a.is_whole()) return integer(a.integer);
    if (a.is(Kind::real)) return a;
    if (a.is_undefined()) fail("'" + std::string(a.text()) + "' is undefined");
    fail("bad operand type for unary +: '" + std::string(type_name(a)) + "'");
}

bool contains(Interpreter& in, const Val& container, const Val& wanted) {
    if (container.is_string()) {
        if (!wanted.is_string())
            fail("'in <string>' requires string as left operand, not " + std::string(type_name(wanted)));
        in.charge_search(container.size, wanted.size);
        return container.text().find(wanted.text()) != std::string_view::npos;
    }
    if (container.is_dict()) {
        hash(in, wanted);
        std::size_t size = 0;
        length(container, size);
        in.charge(size / 8);
        Val ignored;
        return dict_get(in, container, wanted, ignored);
    }
    if (!can_walk(container)) fail("argument of type '" + std::string(type_name(container)) + "' is not iterable");
    const Items items(in.arena(), container);
    in.charge(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (equal(in, items.at(i), wanted)) return true;
    }
    return false;
}

bool compare(Interpreter& in, Comparison comparison, const Val& a, const Val& b) {
    switch (comparison) {
        case Comparison::eq: return equal(in, a, b);
        case Comparison::ne: return !equal(in, a, b);
        case Comparison::lt: return order(in, a, b, "<") == -1;
        case Comparison::le: {
            const int result = order(in, a, b, "<=");
            return result == -1 || result == 0;
        }
        case Comparison::gt: return order(in, a, b, ">") == 1;
        case Comparison::ge: {
            const int result = order(in, a, b, ">=");
            return result == 1 || result == 0;
        }
        case Comparison::in: return contains(in, b, a);
        case Comparison::not_in: return !contains(in, b, a);
    }
    return false;
}

// A part of a range is a range. Its members lie within 62 bits (`range` sees to it), so where the step would leave them
// there is one at most, and no step matters; a step of one leaves room for parts of that part.
static Val slice_of_range(Interpreter& in, const Range& range, std::int64_t from, std::int64_t to,
                          std::int64_t stride) {
    constexpr std::int64_t step_max = std::int64_t{1} << 62;
    std::int64_t step = 0;
    const bool is_beyond = __builtin_mul_overflow(range.step, stride, &step) || step > step_max || step < -step_max;
    const std::int64_t first = range.start + from * range.step;
    const bool has_member = stride < 0 ? from > to : from < to;
    const Range made =
        is_beyond ? Range{first, first + (has_member ? 1 : 0), 1} : Range{first, range.start + to * range.step, step};
    return {.kind = Kind::range, .range = in.arena().make<Range>(made)};
}

Val slice(Interpreter& in, const Val& value, const Val& start, const Val& stop, const Val& step) {
    if (value.is_undefined()) fail("'" + std::string(value.text()) + "' is undefined");
    std::size_t length_of = 0;
    const bool sliceable = value.is_string() || is_plain_list(value) || is_tuple(value) || value.is(Kind::range);
    for (const Val* part : {&start, &stop, &step}) {
        if (!part->is(Kind::none) && !part->is_whole()) fail("slice indices must be integers or None");
    }
    if (!sliceable) fail("'" + std::string(type_name(value)) + "' object is not subscriptable by a slice");
    length(value, length_of);
    const auto size = static_cast<std::int64_t>(length_of);
    // Far from the ends of 64 bits, and still beyond any size.
    constexpr std::int64_t stride_max = std::int64_t{1} << 61;
    const std::int64_t stride = step.is(Kind::none) ? 1 : std::clamp(step.integer, -stride_max, stride_max);
    if (stride == 0) fail("slice step cannot be zero");
    const auto clip = [&](const Val& bound, std::int64_t otherwise) {
        if (bound.is(Kind::none)) return otherwise;
        std::int64_t at = bound.integer < 0 ? std::max(bound.integer, -size - 1) + size : std::min(bound.integer, size);
        const std::int64_t lowest = stride < 0 ? -1 : 0;
        const std::int64_t highest = stride < 0 ? size - 1 : size;
        return std::clamp(at, lowest, std::max(highest, lowest));
    };
    const std::int64_t from = clip(start, stride < 0 ? size - 1 : 0);
    const std::int64_t to = clip(stop, stride < 0 ? -1 : size);
    if (value.is_string() && stride == 1) {
        in.charge_bytes(value.size);
        if (from >= to) return string({});
        const std::string_view text = value.text();
        const std::size_t first = utf8_offset(text, static_cast<std::size_t>(from));
        const std::size_t count = utf8_offset(text.substr(first), static_cast<std::size_t>(to - from));
        Val made = string(text.substr(first, count));
        made.markup = value.markup;
        return made;
    }
    if (value.is(Kind::range)) return slice_of_range(in, *value.range, from, to, stride);
    const Items items(in.arena(), value);
    in.charge(items.size() / 4);
    std::string text;
    List* list = value.is_string() ? nullptr : in.make_list(is_tuple(value) ? Flavour::tuple : Flavour::list);
    const auto distance = stride > 0 ? to - from : from - to;
    const auto pace = stride > 0 ? stride : -stride;
    if (distance > 0) {
        for (std::int64_t i = 0, at = from; i < (distance - 1) / pace + 1; ++i, at += stride) {
            const Val item = items.at(static_cast<std::size_t>(at));
            if (list == nullptr) {
                text += item.text();
            } else {
                list->items.push(in.arena(), item);
            }
        }
    }
    return list == nullptr ? in.text(text) : make(list);
}

void append_escaped_html(std::string& out, std::string_view text) {
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '\'': out += "&#39;"; break;
            case '"': out += "&#34;"; break;
            default: out += c;
        }
    }
}

}  // namespace belfry::text::jinja
