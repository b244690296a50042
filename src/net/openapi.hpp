#pragma once

#include <string>

namespace belfry::net {

// The interface as OpenAPI 3.1: the table of routes with the schemas of `openapi_schemas.cpp`.
const std::string& openapi_document();

// components/schemas, an object of JSON.
std::string_view openapi_schemas();

}  // namespace belfry::net
