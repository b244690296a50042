#pragma once

#include "cli/command.hpp"
#include "client/client.hpp"

namespace belfry::cli {

// `belfry emit --file`: sends the lines of a file or of standard input in batches. A batch leaves when it is full, and
// from a pipe also when nothing more came for a moment, so that a slow producer's events are not held back. With an
// idempotency key each batch has that key and its number, and batches are cut by size alone, so that a repeat of the
// whole file cuts the same ones. That nobody reads the output any more does not end it: the events are what counts.
Exit emit_file(Context& context, const Arguments& arguments, client::Client& client);

}  // namespace belfry::cli
