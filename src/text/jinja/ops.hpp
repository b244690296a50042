#pragma once

#include "text/jinja/library.hpp"

namespace belfry::text::jinja {

// Python's operators. They fail where Python raises, and where an integer would leave 64 bits.
Val add(Interpreter& in, const Val& a, const Val& b);
Val subtract(const Val& a, const Val& b);
Val multiply(Interpreter& in, const Val& a, const Val& b);
Val divide(const Val& a, const Val& b);
Val floor_divide(const Val& a, const Val& b);
Val modulo(Interpreter& in, const Val& a, const Val& b);
Val power(const Val& a, const Val& b);
Val negate(const Val& a);
Val affirm(const Val& a);
bool contains(Interpreter& in, const Val& container, const Val& wanted);
bool compare(Interpreter& in, Comparison comparison, const Val& a, const Val& b);

// value[start:stop:step]; `missing` where one is left out.
Val slice(Interpreter& in, const Val& value, const Val& start, const Val& stop, const Val& step);

// "…" % values, and str.format.
void append_percent(Interpreter& in, std::string& out, std::string_view format, const Val& values);
void append_format(Interpreter& in, std::string& out, std::string_view format, const Call& call);
// One value by a format specification such as `>10.2f`.
void append_formatted(Meter& meter, std::string& out, const Val& value, std::string_view spec);

// HTML's five characters, as escaped text.
void append_escaped_html(std::string& out, std::string_view text);

}  // namespace belfry::text::jinja
