#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "text/jinja/program.hpp"

namespace belfry::text::jinja {

// What a filter, test, method, function or macro is called with, besides its subject.
struct Call {
    std::span<const Val> args;
    std::span<const std::pair<std::string_view, Val>> named;
};

// The filters, tests and global functions by name; null: there is none.
FilterFunction find_filter(std::string_view name);
TestFunction find_test(std::string_view name);
bool is_function(std::string_view name);
Val call_function(Interpreter& in, std::string_view name, const Call& call);

// The methods of Python's str, list, tuple, dict and float that templates use.
bool has_method(const Val& self, std::string_view name);
bool is_dict_method(std::string_view name);
Val call_method(Interpreter& in, const Val& self, std::string_view name, const Call& call);
Val string_method(Interpreter& in, const Val& self, std::string_view name, const Call& call);

// Sorts arguments into the parameters of a function, as Python does; refuses what does not fit. `required` counts the
// parameters that have no default; the others are `missing` where they were not given.
class Bound {
public:
    Bound(const char* function, const Call& call, std::initializer_list<std::string_view> parameters,
          std::size_t required);
    [[nodiscard]] bool has(std::size_t i) const { return !values_[i].is(Kind::missing); }
    [[nodiscard]] const Val& operator[](std::size_t i) const { return values_[i]; }
    [[nodiscard]] Val value(std::size_t i, Val otherwise) const { return has(i) ? values_[i] : otherwise; }
    [[nodiscard]] bool flag(std::size_t i) const { return has(i) && truthy(values_[i]); }
    [[nodiscard]] std::int64_t integer(std::size_t i, std::int64_t otherwise) const;

private:
    union {
        Val values_[6];  // as many as there are parameters
    };
    const char* function_;
};

}  // namespace belfry::text::jinja
