#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/value.hpp"

// The documents that the benchmarks of TOON measure with; the same for everybody, from one seed.
namespace belfry::bench {

struct Document {
    std::string name;
    model::Value value;
};

model::Value uniform_table(std::size_t rows);   // one table of tool calls, seven columns
model::Value mixed_events(std::size_t events);  // events of many kinds, as the log has them
model::Value nested_settings(std::size_t groups);
model::Value number_lists(std::size_t lists);

// All of them, each about so many bytes of JSON.
std::vector<Document> documents(std::size_t json_bytes);

}  // namespace belfry::bench
