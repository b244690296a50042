#pragma once

#include <string_view>

// The parts of schema version 12, a block per capability.
namespace belfry::store::schema_12 {

// Who spoke: the EXTERNAL tools that were used for a notification (a JSON array of names), and when a model acknowledged
// it without having told the user. The index finds what a token holds, in any session.
inline constexpr std::string_view speaking = R"sql(
ALTER TABLE notifications ADD COLUMN used_tools @bytes;
ALTER TABLE notifications ADD COLUMN answered_at @int;

CREATE INDEX notifications_holder ON notifications (holder, user_id, depth) WHERE state = 2;
)sql";

}  // namespace belfry::store::schema_12
