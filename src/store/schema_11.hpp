#pragma once

#include <string_view>

// The parts of schema version 11, a block a capability.
namespace belfry::store::schema_11 {

// What devices know of each other. What is known of a record stands beside its clock: of agents, their states, rules
// and timers of before there is none yet, but each has its row, so that a walk over them finds all. Nobody was told
// what the log of before holds, and it does not hold all: whoever is told begins with the whole (`floor`). Of notes the
// last number outlives them all.
inline constexpr std::string_view devices = R"sql(
ALTER TABLE record_clocks ADD COLUMN knowledge_json @bytes;

INSERT INTO record_clocks (kind, record_id, user_id, clock_json)
SELECT CAST('agent' AS @bytes), agent_id, user_id, CAST('{}' AS @bytes) FROM agents WHERE true
ON CONFLICT (kind, record_id) DO NOTHING;

INSERT INTO record_clocks (kind, record_id, user_id, clock_json)
SELECT CAST('agent_state' AS @bytes), agent_id, user_id, CAST('{}' AS @bytes) FROM agents WHERE true
ON CONFLICT (kind, record_id) DO NOTHING;

INSERT INTO record_clocks (kind, record_id, user_id, clock_json)
SELECT CAST('agent_subscription' AS @bytes), @uuid(s.subscription_id), a.user_id, CAST('{}' AS @bytes)
FROM agent_subscriptions s JOIN agents a ON a.agent_id = s.agent_id WHERE true
ON CONFLICT (kind, record_id) DO NOTHING;

INSERT INTO record_clocks (kind, record_id, user_id, clock_json)
SELECT CAST('agent_timer' AS @bytes), @uuid(timer_id), user_id, CAST('{}' AS @bytes) FROM agent_timers WHERE true
ON CONFLICT (kind, record_id) DO NOTHING;

ALTER TABLE change_hosts ADD COLUMN floor @int NOT NULL DEFAULT 0;
ALTER TABLE change_hosts ADD COLUMN seal_key @bytes;
ALTER TABLE change_hosts ADD COLUMN seal_signature @bytes;

INSERT INTO change_hosts (host, settled, floor) SELECT DISTINCT host, 0, 1 FROM changes WHERE true
ON CONFLICT (host) DO NOTHING;
UPDATE change_hosts SET floor = settled WHERE settled > 0;

ALTER TABLE agent_timers ADD COLUMN begun_at @int NOT NULL DEFAULT 0;
UPDATE agent_timers SET begun_at = counted_from;

CREATE TABLE sync_missing (
    host @bytes NOT NULL,
    counter @int NOT NULL,
    peer_id @bytes NOT NULL,
    since @int NOT NULL,
    PRIMARY KEY (host, counter)
) @keyed;

CREATE TABLE forgotten_messages (
    message_id @bytes PRIMARY KEY,
    agent_id @bytes NOT NULL,
    user_id @bytes NOT NULL
) @keyed;

CREATE INDEX forgotten_messages_user ON forgotten_messages (user_id);

CREATE TABLE sync_plain (
    kind @bytes NOT NULL,
    record_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    body_json @bytes NOT NULL,
    updated_at @int NOT NULL,
    PRIMARY KEY (kind, record_id)
) @keyed;

CREATE INDEX sync_plain_old ON sync_plain (kind, updated_at);
CREATE INDEX sync_plain_user ON sync_plain (user_id);

CREATE TABLE merge_notes (
    note_no @int PRIMARY KEY,
    noted_at @int NOT NULL,
    kind @bytes NOT NULL,
    record_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    field @bytes NOT NULL,
    rule @bytes NOT NULL,
    kept_version @int NOT NULL,
    kept_host @bytes NOT NULL,
    kept_counter @int NOT NULL,
    lost_version @int NOT NULL,
    lost_host @bytes NOT NULL,
    lost_counter @int NOT NULL,
    kept_value @bytes NOT NULL,
    lost_value @bytes NOT NULL
) @table;

CREATE INDEX merge_notes_user ON merge_notes (user_id);

CREATE TABLE merge_count (
    id @int PRIMARY KEY CHECK (id = 1),
    last_note @int NOT NULL
) @table;

INSERT INTO merge_count (id, last_note) VALUES (1, 0);

CREATE TABLE peers (
    peer_id @bytes PRIMARY KEY,
    name @bytes NOT NULL,
    address @bytes NOT NULL,
    public_key @bytes NOT NULL,
    host @bytes NOT NULL,
    added_at @int NOT NULL,
    revoked_at @int,
    last_seen_at @int,
    has_json @bytes NOT NULL,
    last_error @bytes NOT NULL,
    whole_cursor @bytes NOT NULL
) @keyed;
)sql";

}  // namespace belfry::store::schema_11
