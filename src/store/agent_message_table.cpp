#include "store/agent_message_table.hpp"

#include <algorithm>
#include <limits>

#include "store/agent_message_row.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_last{"SELECT coalesce(max(position), 0) FROM agent_messages"};
constexpr Sql select_message{BELFRY_WHOLE_MESSAGES "WHERE m.message_id = $1"};
constexpr Sql select_action{BELFRY_WHOLE_MESSAGES "WHERE m.agent_id = $1 AND m.operation_id = $2 AND m.kind = 3"};
constexpr Sql select_result{BELFRY_WHOLE_MESSAGES "WHERE m.action_ref_id = $1 AND m.kind = 4"};
constexpr Sql select_newest{BELFRY_LISTED_MESSAGES "WHERE m.thread_id = $1 ORDER BY m.position DESC LIMIT $2"};
constexpr Sql insert_message{
    "INSERT INTO agent_messages (position, message_id, agent_id, thread_id, kind, created_at, prev_message_id, "
    "content_entry_id, trigger_source_id, summary_start_message_id, summary_end_message_id, summary_depth, "
    "tokens_approx, action_ref_id, operation_id, status, error_code, error_message, extension_json, envelope_json, "
    "content_json) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, "
    "$21)"};
constexpr Sql insert_payload{"INSERT INTO agent_payloads (entry_id, content_json) VALUES ($1, $2)"};
constexpr Sql insert_link{
    "INSERT INTO links (user_id, from_id, relation, to_id, metadata_json, hidden, revision, created_at, updated_at) "
    "VALUES ($1, $2, $3, $4, $5, 0, 1, $6, $6)"};

constexpr Sql select_plans{
    "SELECT run_key, round, agent_id, wake_id, created_at, actions_json, given FROM agent_plans WHERE run_key = $1 "
    "ORDER BY round"};
constexpr Sql insert_plan{
    "INSERT INTO agent_plans (run_key, round, agent_id, wake_id, created_at, actions_json, given) VALUES ($1, $2, $3, "
    "$4, "
    "$5, $6, $7)"};

constexpr Sql list_of_agent{BELFRY_LISTED_MESSAGES
                            "WHERE m.agent_id = $1 AND (m.created_at, m.position) < ($2, $3) "
                            "ORDER BY m.created_at DESC, m.position DESC LIMIT $4"};
constexpr Sql list_of_thread{BELFRY_LISTED_MESSAGES
                             "WHERE m.thread_id = $1 AND m.position < $2 AND m.agent_id = $3 ORDER BY m.position DESC "
                             "LIMIT $4"};
// Which messages there are is told by the links of tools' effects, in the order of their making.
constexpr Sql list_changes{
    "SELECT " BELFRY_AGENT_MESSAGE_FIELDS
    "m.content_json FROM links l JOIN agent_messages m ON m.message_id = l.from_id WHERE l.user_id = (SELECT user_id "
    "FROM agents WHERE agent_id = $2) AND l.relation = $8 AND l.to_id = $1 AND l.hidden = 0 AND m.agent_id = $2 AND "
    "($3 = $4 OR m.thread_id = $3) AND l.created_at <= $5 AND (l.created_at, m.position) < ($5, $6) ORDER BY "
    "l.created_at DESC, m.position DESC LIMIT $7"};

std::string bytes_of(const std::vector<base::Uuid>& ids) {
    std::string bytes;
    for (const base::Uuid& id : ids) bytes.append(id.bytes.begin(), id.bytes.end());
    return bytes;
}

std::vector<base::Uuid> ids_of(std::string_view bytes) {
    std::vector<base::Uuid> ids;
    for (; bytes.size() >= sizeof(base::Uuid::bytes); bytes.remove_prefix(sizeof(base::Uuid::bytes))) {
        std::copy_n(bytes.begin(), sizeof(base::Uuid::bytes), ids.emplace_back().bytes.begin());
    }
    return ids;
}

model::AgentPlan read_plan(RowReader& row) {
    model::AgentPlan plan;
    plan.run_key = row.text();
    plan.round = row.number();
    plan.agent_id = row.text();
    plan.wake_id = row.number();
    plan.created_at = row.time();
    plan.actions = model::planned_actions_of({row.bytes()});
    plan.given = ids_of(row.maybe_text().value_or(std::string()));
    return plan;
}

Param maybe_text(const std::string& text) {
    return text.empty() ? Param{} : bytes(text);
}
Param maybe_id(const std::optional<base::Uuid>& id) {
    return id ? bytes(*id) : Param{};
}

std::vector<Param> params_of(const model::AgentMessage& message, std::string_view envelope) {
    const model::AgentMessageMetadata& metadata = message.metadata;
    return {number(message.position),
            bytes(message.id),
            bytes(message.agent_id),
            bytes(message.thread_id),
            choice(message.kind),
            number(message.created_at),
            maybe_id(message.prev_message_id),
            maybe_id(message.content_entry_id),
            maybe_text(message.trigger_source_id),
            maybe_id(message.summary_start_message_id),
            maybe_id(message.summary_end_message_id),
            number(message.summary_depth),
            number(message.tokens_approx),
            maybe_id(metadata.action_ref_id),
            maybe_text(metadata.operation_id),
            metadata.status ? choice(*metadata.status) : Param{},
            maybe_text(metadata.error_code),
            maybe_text(metadata.error_message),
            bytes(metadata.extension.bytes()),
            bytes(envelope),
            message.content_entry_id ? bytes("{}") : bytes(message.content.bytes())};
}

}  // namespace

base::Result<std::int64_t> SqlAgentMessageTable::last_position() {
    std::int64_t last = 0;
    TRY(database_.run(select_last, {}, [&](const Row& row) { last = row.number(0); }));
    return last;
}

base::Result<void> SqlAgentMessageTable::add(std::span<const model::AgentMessage> messages) {
    std::vector<std::string> envelopes;
    std::vector<std::vector<Param>> rows;
    std::vector<std::vector<Param>> payloads;
    envelopes.reserve(messages.size());
    for (const model::AgentMessage& message : messages) {
        model::JsonWriter writer(envelopes.emplace_back());
        model::append_envelope(writer, message);
        rows.push_back(params_of(message, envelopes.back()));
        if (!message.content_entry_id) continue;
        payloads.push_back({bytes(*message.content_entry_id), bytes(message.content.bytes())});
    }
    if (!payloads.empty()) TRY(database_.run_many(insert_payload, payloads, {}));
    return database_.run_many(insert_message, rows, {});
}

base::Result<void> SqlAgentMessageTable::link(std::span<const model::AgentLink> links) {
    std::vector<std::vector<Param>> rows;
    rows.reserve(links.size());
    for (const model::AgentLink& one : links) {
        rows.push_back({bytes(one.user_id), bytes(one.from), bytes(model::agent_relation_name(one.relation)),
                        bytes(one.to), bytes("{}"), number(one.created_at)});
    }
    if (rows.empty()) return {};
    return database_.run_many(insert_link, rows, {});
}

base::Result<std::vector<model::AgentMessage>> SqlAgentMessageTable::find(std::span<const base::Uuid> ids) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const base::Uuid& id : ids) sets.push_back({bytes(id)});
    if (sets.empty()) return std::vector<model::AgentMessage>{};
    return select_many(database_, "agent_messages", select_message, sets, read_agent_message);
}

base::Result<std::optional<model::AgentMessage>> SqlAgentMessageTable::find_action(std::string_view agent_id,
                                                                                   std::string_view operation_id) {
    return select_one(database_, "agent_messages", select_action, {bytes(agent_id), bytes(operation_id)},
                      read_agent_message);
}

base::Result<std::optional<model::AgentMessage>> SqlAgentMessageTable::result_of(const base::Uuid& action_id) {
    return select_one(database_, "agent_messages", select_result, {bytes(action_id)}, read_agent_message);
}

base::Result<std::vector<model::AgentMessage>> SqlAgentMessageTable::newest(std::string_view thread_id,
                                                                            std::size_t limit) {
    return select(database_, "agent_messages", select_newest, {bytes(thread_id), number(std::uint64_t{limit})},
                  read_agent_message);
}

base::Result<std::vector<model::AgentPlan>> SqlAgentMessageTable::plans(std::string_view run_key) {
    return select(database_, "agent_plans", select_plans, {bytes(run_key)}, read_plan);
}

base::Result<void> SqlAgentMessageTable::add_plan(const model::AgentPlan& plan) {
    std::string actions;
    model::JsonWriter writer(actions);
    model::append_planned_actions(writer, plan.actions);
    const std::string given = bytes_of(plan.given);
    TRY(database_.run(insert_plan, {bytes(plan.run_key), number(plan.round), bytes(plan.agent_id), number(plan.wake_id),
                                    number(plan.created_at), bytes(actions), maybe_text(given)}));
    return {};
}

base::Result<std::optional<model::AgentMessage>> SqlAgentMessageReading::find(const base::Uuid& id) {
    return select_one(database_, "agent_messages", select_message, {bytes(id)}, read_agent_message);
}

base::Result<std::vector<model::AgentMessage>> SqlAgentMessageReading::list(const ports::AgentMessageFilter& filter) {
    base::Timestamp before_time{std::numeric_limits<std::int64_t>::max()};
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    if (filter.after) {
        TRY_ASSIGN(const auto last, find(*filter.after));
        if (!last) return std::vector<model::AgentMessage>{};
        before_time = last->created_at;
        before = last->position;
    }
    const Param limit = number(std::uint64_t{filter.limit});
    const Param agent = bytes(filter.agent_id);
    const Param thread = bytes(filter.thread_id);
    if (!filter.changed_entity_id.empty()) {
        return select(database_, "agent_messages", list_changes,
                      {bytes(filter.changed_entity_id), agent, thread, bytes(""), number(before_time), number(before),
                       limit, bytes(model::agent_relation_name(model::AgentRelation::tool_effect))},
                      read_agent_message);
    }
    if (!filter.thread_id.empty()) {
        return select(database_, "agent_messages", list_of_thread, {thread, number(before), agent, limit},
                      read_agent_message);
    }
    return select(database_, "agent_messages", list_of_agent, {agent, number(before_time), number(before), limit},
                  read_agent_message);
}

base::Result<std::vector<model::PlanNow>> SqlAgentMessageReading::plans(std::string_view run_key) {
    SqlAgentMessageTable table(database_);
    TRY_ASSIGN(std::vector<model::AgentPlan> rounds, table.plans(run_key));
    std::vector<model::PlanNow> found;
    for (model::AgentPlan& round : rounds) {
        model::PlanNow now{std::move(round), {}};
        for (const model::PlannedAction& action : now.plan.actions) {
            model::PlanNow::Progress progress;
            TRY_ASSIGN(progress.action, table.find_action(now.plan.agent_id, action.operation_id));
            if (progress.action) {
                TRY_ASSIGN(progress.result, table.result_of(progress.action->id));
            }
            now.progress.push_back(std::move(progress));
        }
        found.push_back(std::move(now));
    }
    return found;
}

}  // namespace belfry::store
