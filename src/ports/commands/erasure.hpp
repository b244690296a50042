#pragma once

#include <string>

#include "base/uuid.hpp"
#include "model/log.hpp"
#include "ports/commands/command.hpp"

namespace belfry::ports {

struct ErasureReply {
    base::Uuid obligation;  // the promise under which it is carried out
};

// Remove a person's data. The reply means that it is recorded as owed; it is then carried out in slices and survives a
// crash. `GET /v1/erasures/{id}` tells how far it is.
struct EraseUser final : CommandOf<ErasureReply> {
    std::string user_id;
};

struct EraseProgress {
    bool finished = false;
    model::Position next = 0;
    std::uint64_t erased = 0;
};

// One slice of an owed erasure, sent by whoever performs obligations and fenced by his claim.
struct EraseSlice final : CommandOf<EraseProgress> {
    base::Uuid obligation;
    std::int64_t fence = 0;
};

}  // namespace belfry::ports
