#pragma once

#include <string_view>

// The parts of schema version 5.
namespace belfry::store::schema_5 {

// When an obligation has to be looked at: it is due, or its claim runs out, whichever is later. The statements of the
// outbox say it in the same words.
#define BELFRY_OUTBOX_WAKE "(CASE WHEN claimed_until > due_at THEN claimed_until ELSE due_at END)"

inline constexpr std::string_view what_is_due = "CREATE INDEX outbox_wake ON outbox (" BELFRY_OUTBOX_WAKE
                                                ") WHERE finished_at IS NULL;\n"
                                                "DROP INDEX outbox_open;\n";

}  // namespace belfry::store::schema_5
