#pragma once

#include <string_view>

// The part of schema version 14 that belongs to runs.
namespace belfry::store::schema_14 {

// The team of agents that carries out a run, by the id that the caller has for it.
inline constexpr std::string_view hierarchies = R"sql(
ALTER TABLE runs ADD COLUMN hierarchy_id @bytes;
)sql";

}  // namespace belfry::store::schema_14
