#include <algorithm>

#include "text/jinja/library.hpp"

namespace belfry::text::jinja {

Bound::Bound(const char* function, const Call& call, std::initializer_list<std::string_view> parameters,
             std::size_t required)
    : function_(function) {
    const auto refuse = [&](const std::string& what) { fail(std::string(function) + "() " + what); };
    const std::size_t count = parameters.size();
    if (call.args.size() > count) refuse("takes at most " + std::to_string(count) + " arguments");
    Val* const rest = std::copy(call.args.begin(), call.args.end(), values_);
    std::fill(rest, values_ + count, Val{.kind = Kind::missing, .integer = 0});
    for (const auto& [name, value] : call.named) {
        const auto found = std::find(parameters.begin(), parameters.end(), name);
        if (found == parameters.end()) refuse("got an unexpected keyword argument '" + std::string(name) + "'");
        Val& place = values_[found - parameters.begin()];
        if (!place.is(Kind::missing)) refuse("got multiple values for argument '" + std::string(name) + "'");
        place = value;
    }
    for (std::size_t i = 0; i < required; ++i) {
        if (!has(i)) refuse("is missing the argument '" + std::string(*(parameters.begin() + i)) + "'");
    }
}

std::int64_t Bound::integer(std::size_t i, std::int64_t otherwise) const {
    if (!has(i)) return otherwise;
    if (!values_[i].is_whole())
        fail(std::string(function_) + "() wants an integer, not " + std::string(type_name(values_[i])));
    return values_[i].integer;
}

}  // namespace belfry::text::jinja
