#include "store/agent_table.hpp"

#include "store/agent_row.hpp"
#include "store/memory_words.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_agent{BELFRY_AGENTS "WHERE a.agent_id = $1"};
constexpr Sql count_agents{"SELECT count(*) FROM agents WHERE user_id = $1 AND destroyed_at IS NULL"};
constexpr Sql upsert_agent{
    "INSERT INTO agents (agent_id, user_id, kind, display_name, lifecycle, mode, allowed_categories_json, "
    "capabilities_json, tool_policies_json, config_version, model_id, prompt_id, config_extension_json, workflow, "
    "workflow_json, state_id, "
    "created_at, updated_at, destroyed_at, memory_json) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, "
    "$13, $14, $15, "
    "$16, $17, $18, $19, $20) ON CONFLICT (agent_id) DO UPDATE SET user_id = excluded.user_id, kind = excluded.kind, "
    "display_name = excluded.display_name, lifecycle = excluded.lifecycle, mode = excluded.mode, "
    "allowed_categories_json = excluded.allowed_categories_json, capabilities_json = excluded.capabilities_json, "
    "tool_policies_json = excluded.tool_policies_json, "
    "config_version = excluded.config_version, model_id = excluded.model_id, prompt_id = excluded.prompt_id, "
    "config_extension_json = excluded.config_extension_json, workflow = excluded.workflow, "
    "workflow_json = excluded.workflow_json, state_id = excluded.state_id, created_at = excluded.created_at, "
    "updated_at = excluded.updated_at, destroyed_at = excluded.destroyed_at, memory_json = excluded.memory_json"};
constexpr Sql upsert_state{
    "INSERT INTO agent_states (agent_id, state_id, revision, updated_at, last_wake_at, next_wake_at, sleep_until, "
    "recent_head_message, latest_summary_message, processed_json, slots_json, wake_said_at, sleep_said_at) VALUES ($1, "
    "$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $4, $4) ON CONFLICT (agent_id) DO UPDATE SET state_id = "
    "excluded.state_id, revision = excluded.revision, "
    "updated_at = excluded.updated_at, last_wake_at = excluded.last_wake_at, next_wake_at = excluded.next_wake_at, "
    "sleep_until = excluded.sleep_until, recent_head_message = excluded.recent_head_message, "
    "latest_summary_message = excluded.latest_summary_message, processed_json = excluded.processed_json, "
    "slots_json = excluded.slots_json, "
    "wake_said_at = CASE WHEN coalesce(excluded.next_wake_at, -1) = coalesce(agent_states.next_wake_at, -1) "
    "THEN agent_states.wake_said_at ELSE excluded.updated_at END, "
    "sleep_said_at = CASE WHEN coalesce(excluded.sleep_until, -1) = coalesce(agent_states.sleep_until, -1) "
    "THEN agent_states.sleep_said_at ELSE excluded.updated_at END"};
constexpr Sql upsert_runtime{
    "INSERT INTO agent_runtime_states (agent_id, run_status, updated_at, active_run, active_session, "
    "last_run_started_at, failure_streak, hot_message_count) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
    "ON CONFLICT (agent_id) DO UPDATE SET run_status = excluded.run_status, updated_at = excluded.updated_at, "
    "active_run = excluded.active_run, active_session = excluded.active_session, "
    "last_run_started_at = excluded.last_run_started_at, failure_streak = excluded.failure_streak, "
    "hot_message_count = excluded.hot_message_count"};

#define BELFRY_SUBSCRIPTIONS "SELECT " BELFRY_SUBSCRIPTION_COLUMNS " FROM agent_subscriptions "
constexpr Sql select_subscriptions{BELFRY_SUBSCRIPTIONS "ORDER BY subscription_id"};
constexpr Sql select_subscription{BELFRY_SUBSCRIPTIONS "WHERE subscription_id = $1"};
constexpr Sql select_of_agent{BELFRY_SUBSCRIPTIONS "WHERE agent_id = $1 ORDER BY active, subscription_id"};
constexpr Sql upsert_subscription{
    "INSERT INTO agent_subscriptions (" BELFRY_SUBSCRIPTION_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (subscription_id) DO UPDATE SET active = excluded.active, "
    "rule_json = excluded.rule_json, updated_at = excluded.updated_at"};
constexpr Sql delete_subscription{"DELETE FROM agent_subscriptions WHERE subscription_id = $1"};

constexpr Sql select_lives{
    "SELECT a.agent_id, a.destroyed_at, s.updated_at FROM agents a JOIN agent_states s ON s.agent_id = a.agent_id "
    "WHERE "
    "a.agent_id > $1 ORDER BY a.agent_id LIMIT $2"};

// Of one agent, in this order: what hangs on a message goes before it, and the agent last of all.
#define BELFRY_DROPPED_MESSAGES(column) \
    "(SELECT " column " FROM agent_messages WHERE agent_id = $1 ORDER BY created_at DESC, position DESC LIMIT $2)"
constexpr Sql drop_words{"DELETE FROM memory_words WHERE rowid IN " BELFRY_DROPPED_MESSAGES("position")};
constexpr Sql drop_links{
    "DELETE FROM links WHERE user_id = (SELECT user_id FROM agents WHERE agent_id = $1) AND from_id "
    "IN " BELFRY_DROPPED_MESSAGES("message_id")};
constexpr Sql drop_payloads{
    "DELETE FROM agent_payloads WHERE entry_id IN " BELFRY_DROPPED_MESSAGES("content_entry_id")};
constexpr Sql drop_messages{"DELETE FROM agent_messages WHERE position IN " BELFRY_DROPPED_MESSAGES("position")};
constexpr Sql drop_plans{
    "DELETE FROM agent_plans WHERE (run_key, round) IN (SELECT run_key, round FROM agent_plans WHERE agent_id = $1 "
    "LIMIT $2)"};
constexpr Sql drop_subscriptions{
    "DELETE FROM agent_subscriptions WHERE subscription_id IN (SELECT subscription_id FROM agent_subscriptions WHERE "
    "agent_id = $1 LIMIT $2)"};
#define BELFRY_DROPPED_TIMERS "(SELECT timer_id FROM agent_timers WHERE agent_id = $1 ORDER BY timer_id LIMIT $2)"
constexpr Sql drop_spans{"DELETE FROM timer_spans WHERE timer_id IN " BELFRY_DROPPED_TIMERS};
constexpr Sql drop_timers{"DELETE FROM agent_timers WHERE timer_id IN " BELFRY_DROPPED_TIMERS};
constexpr Sql drop_moved{
    "DELETE FROM moved_wake_times WHERE agent_id IN (SELECT agent_id FROM moved_wake_times WHERE agent_id = $1 LIMIT "
    "$2)"};
constexpr Sql drop_jobs{
    "DELETE FROM fold_jobs WHERE job_id IN (SELECT job_id FROM fold_jobs WHERE agent_id = $1 LIMIT $2)"};
constexpr Sql drop_summaries{
    "DELETE FROM memory_summaries WHERE message_id IN (SELECT message_id FROM memory_summaries WHERE agent_id = $1 "
    "LIMIT $2)"};
constexpr Sql drop_threads{
    "DELETE FROM agent_threads WHERE thread_id IN (SELECT thread_id FROM agent_threads WHERE agent_id = $1 LIMIT $2)"};
#define BELFRY_DROPPED_AGENT                                                                                          \
    "WHERE agent_id IN (SELECT a.agent_id FROM agents a WHERE a.agent_id = $1 AND NOT EXISTS (SELECT 1 FROM wakes w " \
    "WHERE w.agent_id = a.agent_id) LIMIT $2)"
constexpr Sql drop_states{"DELETE FROM agent_states " BELFRY_DROPPED_AGENT};
constexpr Sql drop_runtime{"DELETE FROM agent_runtime_states " BELFRY_DROPPED_AGENT};
constexpr Sql drop_agent{"DELETE FROM agents " BELFRY_DROPPED_AGENT};

// Of an erasure, in this order: what hangs on an agent before the agent itself.
constexpr Sql erase_tool_calls{
    "DELETE FROM tool_calls WHERE call_id IN (SELECT call_id FROM tool_calls WHERE user_id = $1 ORDER BY call_id LIMIT "
    "$2)"};
constexpr Sql erase_signals{
    "DELETE FROM wake_signals WHERE wake_id IN (SELECT wake_id FROM wakes WHERE user_id = $1 ORDER BY wake_id LIMIT "
    "$2)"};
constexpr Sql erase_carried{
    "DELETE FROM wake_changes WHERE wake_id IN (SELECT wake_id FROM wakes WHERE user_id = $1 ORDER BY wake_id LIMIT "
    "$2)"};
constexpr Sql erase_wakes{
    "DELETE FROM wakes WHERE wake_id IN (SELECT wake_id FROM wakes WHERE user_id = $1 ORDER BY wake_id LIMIT $2)"};
// Of one agent after the other, always the same ones first: what hangs on a message goes before it.
#define BELFRY_ERASED_MESSAGES(column)                                                                        \
    "(SELECT " column                                                                                         \
    " FROM agent_messages WHERE agent_id = (SELECT a.agent_id FROM agents a WHERE a.user_id = $1 AND EXISTS " \
    "(SELECT 1 FROM agent_messages m WHERE m.agent_id = a.agent_id) ORDER BY a.agent_id LIMIT 1) ORDER BY "   \
    "created_at DESC, position DESC LIMIT $2)"
constexpr Sql erase_words{"DELETE FROM memory_words WHERE rowid IN " BELFRY_ERASED_MESSAGES("position")};
constexpr Sql erase_links{"DELETE FROM links WHERE user_id = $1 AND from_id IN " BELFRY_ERASED_MESSAGES("message_id")};
constexpr Sql erase_payloads{
    "DELETE FROM agent_payloads WHERE entry_id IN " BELFRY_ERASED_MESSAGES("content_entry_id")};
constexpr Sql erase_messages{"DELETE FROM agent_messages WHERE position IN " BELFRY_ERASED_MESSAGES("position")};
constexpr Sql erase_jobs{
    "DELETE FROM fold_jobs WHERE job_id IN (SELECT job_id FROM fold_jobs WHERE user_id = $1 LIMIT $2)"};
constexpr Sql erase_summaries{
    "DELETE FROM memory_summaries WHERE message_id IN (SELECT message_id FROM memory_summaries WHERE agent_id IN "
    "(SELECT agent_id FROM agents WHERE user_id = $1) LIMIT $2)"};
constexpr Sql erase_threads{
    "DELETE FROM agent_threads WHERE thread_id IN (SELECT thread_id FROM agent_threads WHERE agent_id IN (SELECT "
    "agent_id FROM agents WHERE user_id = $1) LIMIT $2)"};
constexpr Sql erase_plans{
    "DELETE FROM agent_plans WHERE agent_id IN (SELECT agent_id FROM agents WHERE user_id = $1 ORDER BY agent_id "
    "LIMIT $2)"};
constexpr Sql erase_subscriptions{
    "DELETE FROM agent_subscriptions WHERE subscription_id IN (SELECT subscription_id FROM agent_subscriptions WHERE "
    "agent_id IN (SELECT agent_id FROM agents WHERE user_id = $1) LIMIT $2)"};
constexpr Sql erase_moved{
    "DELETE FROM moved_wake_times WHERE agent_id IN (SELECT agent_id FROM moved_wake_times WHERE user_id = $1 LIMIT "
    "$2)"};
constexpr Sql erase_states{
    "DELETE FROM agent_states WHERE agent_id IN (SELECT agent_id FROM agents WHERE user_id = $1 ORDER BY agent_id "
    "LIMIT $2)"};
constexpr Sql erase_runtime{
    "DELETE FROM agent_runtime_states WHERE agent_id IN (SELECT agent_id FROM agents WHERE user_id = $1 ORDER BY "
    "agent_id LIMIT $2)"};
constexpr Sql erase_agents{
    "DELETE FROM agents WHERE agent_id IN (SELECT agent_id FROM agents WHERE user_id = $1 ORDER BY agent_id LIMIT $2)"};

ports::AgentLife read_life(RowReader& row) {
    ports::AgentLife life;
    life.id = row.text();
    life.destroyed_at = row.maybe_time();
    life.updated_at = row.time();
    return life;
}

Param maybe_text(const std::string& text) {
    return text.empty() ? Param{} : bytes(text);
}
Param maybe_id(const std::optional<base::Uuid>& id) {
    return id ? bytes(*id) : Param{};
}

// The JSON of a record's parts, which must live as long as the parameters that point into it.
struct Parts {
    std::string categories;
    std::string capabilities;
    std::string policies;
    std::string processed;
    std::string slots;
    std::string memory;  // empty: as an agent has it that was told nothing
};

Parts parts_of(const model::AgentRecord& record) {
    Parts parts;
    model::JsonWriter categories(parts.categories);
    model::append_text_list(categories, record.agent.allowed_category_ids);
    model::JsonWriter capabilities(parts.capabilities);
    model::append_text_list(capabilities, record.agent.capabilities);
    model::JsonWriter policies(parts.policies);
    model::append_tool_policies(policies, record.agent.tool_policies);
    model::JsonWriter processed(parts.processed);
    model::append_counters(processed, record.state.processed_counter_by_host);
    model::JsonWriter slots(parts.slots);
    model::append_agent_slots(slots, record.state.slots);
    if (record.agent.memory == model::MemorySettings{}) return parts;
    model::JsonWriter memory(parts.memory);
    model::append_memory_settings(memory, record.agent.memory);
    return parts;
}

std::vector<Param> agent_params(const model::Agent& agent, const Parts& parts) {
    return {bytes(agent.id),
            bytes(agent.user_id),
            bytes(agent.kind),
            bytes(agent.display_name),
            choice(agent.lifecycle),
            choice(agent.mode),
            bytes(parts.categories),
            bytes(parts.capabilities),
            bytes(parts.policies),
            number(agent.config.schema_version),
            maybe_text(agent.config.model_id),
            maybe_text(agent.config.prompt_id),
            bytes(agent.config.extension.bytes()),
            choice(agent.workflow),
            bytes(agent.workflow_settings.bytes()),
            bytes(agent.state_id),
            number(agent.created_at),
            number(agent.updated_at),
            maybe(agent.destroyed_at),
            maybe_text(parts.memory)};
}

std::vector<Param> state_params(const model::AgentState& state, const Parts& parts) {
    return {bytes(state.agent_id),
            bytes(state.id),
            number(state.revision),
            number(state.updated_at),
            maybe(state.last_wake_at),
            maybe(state.next_wake_at),
            maybe(state.sleep_until),
            maybe_id(state.recent_head_message_id),
            maybe_id(state.latest_summary_message_id),
            bytes(parts.processed),
            bytes(parts.slots)};
}

std::vector<Param> runtime_params(const model::AgentRuntimeState& runtime) {
    return {bytes(runtime.agent_id),
            choice(runtime.run_status),
            number(runtime.updated_at),
            number(runtime.active_run_id),
            maybe_text(runtime.active_session_id),
            maybe(runtime.last_run_started_at),
            number(runtime.failure_streak),
            number(runtime.hot_message_count)};
}

}  // namespace

base::Result<std::vector<model::AgentRecord>> SqlAgentTable::find(std::span<const std::string> ids) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const std::string& id : ids) sets.push_back({bytes(id)});
    return select_many(database_, "agents", select_agent, sets, read_agent);
}

base::Result<void> SqlAgentTable::put(std::span<const model::AgentRecord> records) {
    std::vector<Parts> parts;
    std::vector<std::vector<Param>> agents;
    std::vector<std::vector<Param>> states;
    std::vector<std::vector<Param>> runtimes;
    parts.reserve(records.size());
    for (const model::AgentRecord& record : records) {
        parts.push_back(parts_of(record));
        agents.push_back(agent_params(record.agent, parts.back()));
        states.push_back(state_params(record.state, parts.back()));
        runtimes.push_back(runtime_params(record.runtime));
    }
    TRY(database_.run_many(upsert_agent, agents, {}));
    TRY(database_.run_many(upsert_state, states, {}));
    return database_.run_many(upsert_runtime, runtimes, {});
}

base::Result<std::int64_t> SqlAgentTable::count(std::string_view user_id) {
    std::int64_t count = 0;
    TRY(database_.run(count_agents, {bytes(user_id)}, [&](const Row& row) { count = row.number(0); }));
    return count;
}

base::Result<std::vector<model::WakeSubscription>> SqlAgentTable::load_subscriptions() {
    return select(database_, "agent_subscriptions", select_subscriptions, {}, read_subscription);
}

base::Result<std::optional<model::WakeSubscription>> SqlAgentTable::find_subscription(const model::SubscriptionId& id) {
    return select_one(database_, "agent_subscriptions", select_subscription, {bytes(id.uuid)}, read_subscription);
}

base::Result<std::vector<model::WakeSubscription>> SqlAgentTable::subscriptions_of(std::string_view agent_id) {
    return select(database_, "agent_subscriptions", select_of_agent, {bytes(agent_id)}, read_subscription);
}

base::Result<void> SqlAgentTable::put_subscription(const model::WakeSubscription& subscription) {
    std::string rule;
    model::JsonWriter writer(rule);
    model::append_wake_rule(writer, subscription);
    TRY(database_.run(upsert_subscription,
                      {bytes(subscription.id.uuid), bytes(subscription.agent_id), choice(subscription.active),
                       bytes(rule), number(subscription.created_at), number(subscription.updated_at)}));
    return {};
}

base::Result<bool> SqlAgentTable::remove_subscription(const model::SubscriptionId& id) {
    TRY_ASSIGN(const std::int64_t gone, database_.run(delete_subscription, {bytes(id.uuid)}));
    return gone > 0;
}

base::Result<std::vector<ports::AgentLife>> SqlAgentTable::lives(std::string_view after, std::size_t limit) {
    return select(database_, "agents", select_lives, {bytes(after), number(std::uint64_t{limit})}, read_life);
}

base::Result<std::uint64_t> SqlAgentTable::drop(std::string_view agent_id, std::size_t limit) {
    std::uint64_t gone = 0;
    for (std::uint64_t some = 1; some > 0 && gone < limit; gone += some) {
        TRY_ASSIGN(some, erase_rows(database_, {&drop_words, &drop_links, &drop_payloads, &drop_messages}, agent_id,
                                    limit - gone));
    }
    if (gone > 0) TRY(note_removed_words(database_));
    if (gone >= limit) return gone;
    // Its rows are in three tables, and go together.
    TRY_ASSIGN(const std::uint64_t rest, erase_rows(database_,
                                                    {&drop_plans, &drop_subscriptions, &drop_spans, &drop_timers,
                                                     &drop_moved, &drop_jobs, &drop_summaries, &drop_threads},
                                                    agent_id, limit - gone));
    gone += rest;
    if (gone >= limit) return gone;
    TRY_ASSIGN(const std::uint64_t last,
               erase_rows(database_, {&drop_states, &drop_runtime, &drop_agent}, agent_id, 3));
    return gone + last;
}

base::Result<std::uint64_t> SqlAgentTable::erase_user(std::string_view user_id, std::size_t limit) {
    std::uint64_t gone = 0;
    // Until none is left: an agent that went before its messages would leave them behind.
    for (std::uint64_t some = 1; some > 0 && gone < limit; gone += some) {
        TRY_ASSIGN(some, erase_rows(database_, {&erase_words, &erase_links, &erase_payloads, &erase_messages}, user_id,
                                    limit - gone));
    }
    if (gone > 0) TRY(note_removed_words(database_));
    if (gone >= limit) return gone;
    TRY_ASSIGN(const std::uint64_t rest,
               erase_rows(database_,
                          {&erase_tool_calls, &erase_signals, &erase_carried, &erase_wakes, &erase_jobs,
                           &erase_summaries, &erase_threads, &erase_plans, &erase_subscriptions, &erase_moved,
                           &erase_states, &erase_runtime, &erase_agents},
                          user_id, limit - gone));
    if (gone + rest > 0) return gone + rest;
    // Not at its end before nothing of what was said can be read in the index any more.
    TRY_ASSIGN(const bool has_cleaned, clean_words(database_));
    return std::uint64_t{has_cleaned ? 1U : 0U};
}

}  // namespace belfry::store
