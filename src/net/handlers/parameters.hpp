#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"
#include "net/exchange.hpp"

// How the handlers read the query of a request.
namespace belfry::net::handlers {

base::Error unknown_parameter(const std::string& name);

// `limit`: from 1 to limits::page_entries_max.
base::Result<std::size_t> parse_limit(const std::string& text);
// `user`, `session` and others by which a list is narrowed: any UTF-8 text, up to what an id may have.
base::Result<std::string> parse_filter(std::string_view name, const std::string& text);

// Reads the parameters in their order with `take(name, value)`, which refuses those that it does not know with
// `unknown_parameter`: a filter that is misspelt would silently let everything through.
template <class Take>
base::Result<void> read_parameters(const wire::Request& request, Take&& take) {
    const auto parameters = wire::parse_query(request.query);
    if (!parameters) return base::error(base::Code::malformed, "the query is not properly encoded");
    for (const auto& [name, value] : *parameters) TRY(take(name, value));
    return {};
}

}  // namespace belfry::net::handlers
