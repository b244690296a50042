#pragma once

#include "cli/journal_action.hpp"

namespace belfry::cli {

// `belfry journal import FILE`.
Exit import_file(JournalCall& call);

}  // namespace belfry::cli
