#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/principal.hpp"
#include "model/run.hpp"
#include "ports/streams.hpp"

namespace belfry::net {

// What somebody wants of a run, whichever way he came.
struct RunWish {
    std::optional<model::Sequence> after;  // the last one that he has; nothing: from the beginning, or
    bool live = false;                     // only what comes from now on
    bool tree = false;                     // of all the runs of its tree
    std::string agent_id;                  // only what this agent says
};

enum class RunReading : std::uint8_t {
    page,    // what there is after his place
    onward,  // and what comes. One who has the last one is to be told that it was the last: it is looked at again
    whole,   // everything is looked at, because what he gets depends on what was before
};

struct OpenedRun {
    std::unique_ptr<ports::Cursor> cursor;
    model::Sequence had = 0;  // entries up to here may come again and are not for him
    bool ends_here = false;   // nothing will come after the head: it has ended, and all of it is there or gone
};

// A place in the stream of a run that `who` was found to see. A token that is bound to sessions gets of a tree what
// happens in the session of the run that it named.
base::Result<OpenedRun> open_run(ports::Streams& streams, const model::Principal& who, const model::Run& run,
                                 const RunWish& wish, RunReading reading);

}  // namespace belfry::net
