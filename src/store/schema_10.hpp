#pragma once

#include <string_view>

// The parts of schema version 10, a block a capability.
namespace belfry::store::schema_10 {

// How memory is folded. Of a thread one job is not done at a time (state 2 is done); `due_at` is when somebody has to
// look after one that waits or runs. `quiet_since` is when a thread was spoken in last, and 0 where it is closed. The
// messages of before are all hot, and their words are looked for later, up to `index_until`; `clean_pages` is how much
// of the index is gone through next to be rid of the words of what was removed, 0: there are none.
inline constexpr std::string_view memory = R"sql(
ALTER TABLE agents ADD COLUMN memory_json @bytes;

CREATE INDEX agent_messages_raw ON agent_messages (thread_id, position) WHERE kind <> 5;
CREATE INDEX agent_messages_kind ON agent_messages (kind, created_at);

CREATE TABLE agent_threads (
    thread_id @bytes PRIMARY KEY,
    agent_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    messages @int NOT NULL,
    folded_through @int NOT NULL,
    hot_messages @int NOT NULL,
    hot_tokens @int NOT NULL,
    last_at @int NOT NULL,
    closed @int NOT NULL,
    quiet_since @int NOT NULL
) @keyed;

INSERT INTO agent_threads (thread_id, agent_id, user_id, messages, folded_through, hot_messages, hot_tokens, last_at,
    closed, quiet_since)
SELECT g.thread_id, m.agent_id, a.user_id, g.messages, 0, g.messages, g.tokens, g.last_at, 0, g.last_at
FROM (SELECT thread_id, count(*) AS messages, CAST(sum(tokens_approx) AS @int) AS tokens, max(created_at) AS last_at,
    max(position) AS newest FROM agent_messages WHERE kind <> 5 GROUP BY thread_id) g
JOIN agent_messages m ON m.position = g.newest JOIN agents a ON a.agent_id = m.agent_id;

CREATE INDEX agent_threads_agent ON agent_threads (agent_id, last_at, thread_id);
CREATE INDEX agent_threads_hot ON agent_threads (quiet_since) WHERE hot_messages > 0;

CREATE TABLE memory_summaries (
    message_id @bytes PRIMARY KEY,
    position @int NOT NULL,
    agent_id @bytes NOT NULL,
    thread_id @bytes NOT NULL,
    depth @int NOT NULL,
    start_position @int NOT NULL,
    end_position @int NOT NULL,
    tokens @int NOT NULL,
    folded_into @bytes
) @keyed;

CREATE INDEX memory_summaries_open ON memory_summaries (agent_id, depth, position) WHERE folded_into IS NULL;
CREATE INDEX memory_summaries_into ON memory_summaries (folded_into, position) WHERE folded_into IS NOT NULL;
CREATE INDEX memory_summaries_span ON memory_summaries (thread_id, end_position) WHERE depth = 1;
CREATE INDEX memory_summaries_agent ON memory_summaries (agent_id);

CREATE TABLE fold_jobs (
    job_id @bytes PRIMARY KEY,
    agent_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    thread_id @bytes NOT NULL,
    depth @int NOT NULL,
    start_message_id @bytes NOT NULL,
    end_message_id @bytes NOT NULL,
    start_position @int NOT NULL,
    end_position @int NOT NULL,
    messages @int NOT NULL,
    state @int NOT NULL,
    attempts @int NOT NULL,
    next_attempt_at @int NOT NULL,
    lease_until @int,
    summarizer @int NOT NULL,
    last_error @bytes NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    summary_id @bytes,
    due_at @int
) @keyed;

CREATE UNIQUE INDEX fold_jobs_open ON fold_jobs (thread_id) WHERE state <> 2;
CREATE INDEX fold_jobs_due ON fold_jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX fold_jobs_done ON fold_jobs (updated_at) WHERE state = 2;
CREATE INDEX fold_jobs_created ON fold_jobs (created_at, job_id);
CREATE INDEX fold_jobs_user ON fold_jobs (user_id, created_at, job_id);
CREATE INDEX fold_jobs_agent ON fold_jobs (agent_id, created_at, job_id);

@words;

CREATE TABLE memory_index (
    id @int PRIMARY KEY CHECK (id = 1),
    indexed_to @int NOT NULL,
    index_until @int NOT NULL,
    clean_pages @int NOT NULL
) @table;

INSERT INTO memory_index (id, indexed_to, index_until, clean_pages)
SELECT 1, 0, coalesce(max(position), 0), 0 FROM agent_messages;
)sql";

}  // namespace belfry::store::schema_10
