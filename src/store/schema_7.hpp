#pragma once

#include <string_view>

// The parts of schema version 7, a block a capability.
namespace belfry::store::schema_7 {

// The journal. Each kind of record has a table of its own under the record's number; the directory knows of every id
// what it is and where. Under each term of a person stand the numbers of those of his records that have it.
inline constexpr std::string_view journal = R"sql(
CREATE TABLE journal_directory (
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    kind @int NOT NULL,
    number @int NOT NULL,
    category_id @bytes NOT NULL,
    deleted @int NOT NULL,
    PRIMARY KEY (user_id, id)
) @keyed;

CREATE INDEX journal_directory_number ON journal_directory (user_id, number, kind, category_id);

CREATE TABLE journal_categories (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    name @bytes NOT NULL,
    color @bytes NOT NULL
) @table;

CREATE TABLE journal_labels (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    name @bytes NOT NULL,
    color @bytes NOT NULL
) @table;

CREATE TABLE journal_entries (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    type @int NOT NULL,
    text @bytes NOT NULL,
    started_at @int,
    ended_at @int,
    audio_uri @bytes NOT NULL,
    duration_s @int,
    workout_type @bytes NOT NULL,
    energy_kcal @int,
    distance_m @int,
    model_id @bytes NOT NULL,
    prompt @bytes NOT NULL
) @table;

CREATE TABLE journal_tasks (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    title @bytes NOT NULL,
    text @bytes NOT NULL,
    status @int NOT NULL,
    priority @int NOT NULL,
    due_date @bytes NOT NULL,
    estimate_min @int,
    language @bytes NOT NULL,
    label_ids_json @bytes NOT NULL
) @table;

CREATE TABLE journal_checklists (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    task_id @bytes NOT NULL,
    title @bytes NOT NULL,
    position @int NOT NULL
) @table;

CREATE TABLE journal_checklist_items (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    checklist_id @bytes NOT NULL,
    title @bytes NOT NULL,
    checked @int NOT NULL,
    position @int NOT NULL
) @table;

CREATE TABLE journal_time_entries (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    task_id @bytes NOT NULL,
    note @bytes NOT NULL,
    started_at @int NOT NULL,
    ended_at @int,
    source_entry_id @bytes NOT NULL
) @table;

CREATE TABLE journal_day_plans (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    plan_date @bytes NOT NULL,
    note @bytes NOT NULL,
    blocks_json @bytes NOT NULL,
    pinned_task_ids_json @bytes NOT NULL
) @table;

CREATE TABLE journal_ratings (
    number @int PRIMARY KEY,
    user_id @bytes NOT NULL,
    id @bytes NOT NULL,
    category_id @bytes NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    extension_json @bytes NOT NULL,
    target @int NOT NULL,
    target_id @bytes NOT NULL,
    score @int NOT NULL,
    note @bytes NOT NULL
) @table;

CREATE TABLE journal_terms (
    user_id @bytes NOT NULL,
    term @bytes NOT NULL,
    number @int NOT NULL,
    kind @int NOT NULL,
    category_id @bytes NOT NULL,
    PRIMARY KEY (user_id, term, number)
) @keyed;
)sql";

// All edges: those between records of the journal, and those of what agents remember, whose relations were numbers and
// which had no user. They are found from either end, of one relation by age, of all by name.
inline constexpr std::string_view links = R"sql(
CREATE TABLE links (
    user_id @bytes NOT NULL,
    from_id @bytes NOT NULL,
    relation @bytes NOT NULL,
    to_id @bytes NOT NULL,
    metadata_json @bytes NOT NULL,
    hidden @int NOT NULL,
    revision @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    deleted_at @int,
    PRIMARY KEY (user_id, from_id, relation, to_id)
) @keyed;

INSERT INTO links (user_id, from_id, relation, to_id, metadata_json, hidden, revision, created_at, updated_at)
SELECT a.user_id, l.from_id,
    CASE l.relation
        WHEN 0 THEN CAST('message_prev' AS @bytes)
        WHEN 1 THEN CAST('message_payload' AS @bytes)
        WHEN 2 THEN CAST('summary_start' AS @bytes)
        WHEN 3 THEN CAST('summary_end' AS @bytes)
        ELSE CAST('tool_effect' AS @bytes)
    END,
    l.to_id, CAST('{}' AS @bytes), l.hidden, 1, l.created_at, l.created_at
FROM agent_links l JOIN agent_messages m ON m.message_id = l.from_id JOIN agents a ON a.agent_id = m.agent_id;

DELETE FROM agent_links;

CREATE INDEX links_from ON links (user_id, relation, from_id, hidden, created_at DESC);
CREATE INDEX links_to ON links (user_id, relation, to_id, hidden, created_at DESC);
CREATE INDEX links_end ON links (user_id, to_id, relation, from_id);
)sql";

}  // namespace belfry::store::schema_7
