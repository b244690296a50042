#pragma once

#include <string>
#include <vector>

#include "model/journal.hpp"

namespace belfry::rules {

// A record that another one names.
struct JournalReference {
    std::string field;
    model::JournalKind kind = model::JournalKind::task;
    std::string id;

    bool operator==(const JournalReference&) const = default;
};

// All that a body names, in the order of its fields.
[[nodiscard]] std::vector<JournalReference> references_of(const model::JournalBody& body);

}  // namespace belfry::rules
