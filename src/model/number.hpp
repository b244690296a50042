#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belfry::model {

// The canonical decimal text of numbers, the same in JSON and in TOON: no exponent from a millionth up to 10^21, digits
// without needless zeros, `-0` as `0`; outside of that range one digit, the fraction and an exponent with its sign
// (1e+21, 2.5e-7).
void append_integer(std::string& out, long long value);
void append_natural(std::string& out, unsigned long long value);
void append_real(std::string& out, double finite);

// The same into a buffer with room for so many characters; returns the end of what was written. Null, and nothing
// written: the number has too many digits for the quick way, which is append_real's to write.
inline constexpr std::size_t quick_number_chars_max = 24;
char* write_integer(char* to, long long value);
char* write_quick_real(char* to, double finite);

// The canonical text of a token of the number grammar `-?digits[.digits][e[+-]digits]`, whatever its size. An exponent
// beyond 18 digits stays as it is written, in lower case.
std::string canonical_number(std::string_view token);

// Whether a canonical text stands for an integer of at most a thousand digits; and the digits of one that does.
bool is_integral(std::string_view canonical);
std::string integral_digits(std::string_view canonical);

double nearest_double(std::string_view token);

}  // namespace belfry::model
