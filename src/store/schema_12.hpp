#pragma once

#include <string_view>

// The parts of schema version 12, a block per capability.
namespace belfry::store::schema_12 {

// Who spoke: the EXTERNAL tools that were used for a notification (a JSON array of names), and when a model
// acknowledged it without having told the user. The index finds what a token holds, in any session.
inline constexpr std::string_view speaking = R"sql(
ALTER TABLE notifications ADD COLUMN used_tools @bytes;
ALTER TABLE notifications ADD COLUMN answered_at @int;

CREATE INDEX notifications_holder ON notifications (holder, user_id, depth) WHERE state = 2;
)sql";

// Facts that agents are told are numbered (`aware_no`), and each session has the number of the last one told.
// `aware_fact` is the version that the user was shown * 4 + the status. The facts of before are numbered in the order
// of their times, as acknowledged, and each session begins after the last one that it was told: nothing old is told
// again.
inline constexpr std::string_view awareness = R"sql(
ALTER TABLE notifications ADD COLUMN aware_no @int;
ALTER TABLE notifications ADD COLUMN aware_fact @int;

UPDATE notifications SET aware_no = facts.aware_no, aware_fact = version * 4 + 3
FROM (SELECT ordinal AS of_row, row_number() OVER (ORDER BY shown_at, ordinal) AS aware_no FROM notifications
    WHERE shown_at IS NOT NULL) AS facts
WHERE notifications.ordinal = facts.of_row;

UPDATE sessions SET aware_until = coalesce((SELECT n.aware_no FROM notifications n WHERE n.user_id = sessions.user_id
    AND n.shown_at IS NOT NULL AND n.shown_at <= coalesce(sessions.aware_until, sessions.created_at)
    ORDER BY n.shown_at DESC, n.ordinal DESC LIMIT 1), 0);
ALTER TABLE sessions RENAME COLUMN aware_until TO aware_no;

CREATE INDEX notifications_facts ON notifications (user_id, aware_no) WHERE aware_no IS NOT NULL;
)sql";

}  // namespace belfry::store::schema_12
