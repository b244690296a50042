#include "store/session_row.hpp"

#include <charconv>

namespace belfry::store {
namespace {

// One member of an object that is walked through; assigns where the name is the one that is meant.
struct Member {
    std::string_view name;
    model::JsonView value;

    [[nodiscard]] std::int64_t integer() const {
        std::int64_t number = 0;
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
        return number;
    }
    void into(std::string_view wanted, std::int64_t& field) const {
        if (name == wanted) field = integer();
    }
    void into(std::string_view wanted, std::optional<std::int64_t>& field) const {
        if (name == wanted) field = integer();
    }
    void into(std::string_view wanted, bool& field) const {
        if (name == wanted) field = value.text == "true";
    }
    void into(std::string_view wanted, std::string& field) const {
        if (name == wanted) field = value.as_text();
    }
    void into(std::string_view wanted, base::Duration& field) const {
        if (name == wanted) field = base::Duration{integer()};
    }
    void into(std::string_view wanted, std::optional<base::Uuid>& field) const {
        if (name == wanted) field = base::parse_uuid(value.as_text());
    }
    void into(std::string_view wanted, base::Timestamp& field) const {
        if (name == wanted) field = base::Timestamp{integer()};
    }
    void into(std::string_view wanted, std::optional<base::Timestamp>& field) const {
        if (name == wanted) field = base::Timestamp{integer()};
    }
};

template <class Take>
void walk(const model::JsonView& object, Take take) {
    model::JsonWalker members(object);
    Member member;
    while (const auto value = members.next(&member.name)) {
        member.value = *value;
        take(member);
    }
}

void write_time(model::JsonWriter& writer, std::string_view name, const std::optional<base::Timestamp>& time) {
    if (time) writer.field(name, static_cast<long long>(time->us));
}

void write_actions(model::JsonWriter& writer, const std::vector<model::Action>& actions) {
    writer.name("actions").begin_array();
    for (const model::Action& action : actions) {
        writer.begin_object();
        writer.field("name", action.name);
        writer.field("signature", action.signature);
        writer.field("call_id", action.call_id);
        write_time(writer, "at", action.at);
        writer.end_object();
    }
    writer.end_array();
}

void write_uuids(model::JsonWriter& writer, std::string_view name, const std::vector<base::Uuid>& ids) {
    if (ids.empty()) return;
    writer.name(name).begin_array();
    for (const base::Uuid& id : ids) writer.text(base::format_uuid(id));
    writer.end_array();
}

std::vector<base::Uuid> read_uuids(const model::JsonView& list) {
    std::vector<base::Uuid> ids;
    model::JsonWalker walker(list);
    while (const auto text = walker.next()) {
        if (const auto id = base::parse_uuid(text->as_text())) ids.push_back(*id);
    }
    return ids;
}

std::vector<std::string> read_texts(const model::JsonView& list) {
    std::vector<std::string> texts;
    model::JsonWalker walker(list);
    while (const auto text = walker.next()) texts.emplace_back(text->as_text());
    return texts;
}

void write_texts(model::JsonWriter& writer, std::string_view name, const std::vector<std::string>& all) {
    if (all.empty()) return;
    writer.name(name).begin_array();
    for (const std::string& one : all) writer.text(one);
    writer.end_array();
}

void write_pulls(model::JsonWriter& writer, const std::vector<model::PullLink>& pulls) {
    if (pulls.empty()) return;
    writer.name("pulls").begin_array();
    for (const model::PullLink& link : pulls) {
        writer.begin_object().field("pull", base::format_uuid(link.pull));
        if (link.chain != link.pull) writer.field("chain", base::format_uuid(link.chain));
        if (link.is_named) writer.name("is_named").boolean(true);
        if (link.is_empty) writer.name("is_empty").boolean(true);
        if (link.has_words) writer.name("has_words").boolean(true);
        if (!link.by.empty()) writer.field("by", link.by);
        if (link.is_guest) writer.name("is_guest").boolean(true);
        if (link.open_point) writer.field("open_point", static_cast<long long>(*link.open_point));
        write_texts(writer, "agents", link.agents);
        writer.end_object();
    }
    writer.end_array();
}

std::vector<model::PullLink> read_pulls(const model::JsonView& list) {
    std::vector<model::PullLink> pulls;
    model::JsonWalker walker(list);
    while (const auto object = walker.next()) {
        std::optional<base::Uuid> pull;
        std::optional<base::Uuid> chain;
        model::PullLink link;
        walk(*object, [&](const Member& member) {
            member.into("pull", pull);
            member.into("chain", chain);
            member.into("is_named", link.is_named);
            member.into("is_empty", link.is_empty);
            member.into("has_words", link.has_words);
            member.into("by", link.by);
            member.into("is_guest", link.is_guest);
            member.into("open_point", link.open_point);
            if (member.name == "agents") link.agents = read_texts(member.value);
        });
        if (!pull) continue;
        link.pull = *pull;
        link.chain = chain.value_or(*pull);
        link.has_words = link.has_words || link.by.empty();
        pulls.push_back(std::move(link));
    }
    return pulls;
}

void write_decided(model::JsonWriter& writer, const std::vector<model::Decided>& all) {
    if (all.empty()) return;
    writer.name("decided_by_guests").begin_array();
    for (const model::Decided& one : all) {
        writer.begin_object().field("by", one.by).field("id", base::format_uuid(one.id)).end_object();
    }
    writer.end_array();
}

std::vector<model::Decided> read_decided(const model::JsonView& list) {
    std::vector<model::Decided> all;
    model::JsonWalker walker(list);
    while (const auto object = walker.next()) {
        std::string by;
        std::optional<base::Uuid> id;
        walk(*object, [&](const Member& member) {
            member.into("by", by);
            member.into("id", id);
        });
        if (id) all.push_back({std::move(by), *id});
    }
    return all;
}

std::vector<model::Spoken> read_spoken(const model::JsonView& list) {
    std::vector<model::Spoken> spoken;
    model::JsonWalker walker(list);
    while (const auto object = walker.next()) {
        model::Spoken one;
        std::optional<base::Uuid> after;
        walk(*object, [&](const Member& member) {
            member.into("by", one.by);
            member.into("after", after);
            member.into("is_guest", one.is_guest);
        });
        if (!after) continue;
        one.after = *after;
        spoken.push_back(std::move(one));
    }
    return spoken;
}

std::vector<model::Action> read_actions(const model::JsonView& list) {
    std::vector<model::Action> actions;
    model::JsonWalker walker(list);
    while (const auto object = walker.next()) {
        model::Action& action = actions.emplace_back();
        walk(*object, [&](const Member& member) {
            member.into("name", action.name);
            member.into("signature", action.signature);
            member.into("call_id", action.call_id);
            member.into("at", action.at);
        });
    }
    return actions;
}

model::Budget read_budget(std::string_view json) {
    model::Budget budget;
    walk(model::JsonView{json}, [&](const Member& member) {
        member.into("tokens", budget.tokens);
        member.into("iterations", budget.iterations);
        member.into("timeout_s", budget.timeout_s);
        member.into("context_tokens", budget.context_tokens);
    });
    return budget;
}

model::Progress read_progress(std::string_view json) {
    model::Progress progress;
    std::string spoken_by;
    std::optional<base::Uuid> spoken_after;
    walk(model::JsonView{json}, [&](const Member& member) {
        member.into("turn", progress.turn);
        member.into("in_turn", progress.in_turn);
        member.into("turn_pulled", progress.turn_pulled);
        member.into("lease", progress.lease);
        member.into("tokens_used", progress.tokens_used);
        member.into("context_used", progress.context_used);
        member.into("counting_since", progress.counting_since);
        member.into("told_tokens_warning", progress.told_tokens_warning);
        member.into("told_tokens_exceeded", progress.told_tokens_exceeded);
        member.into("told_iterations_warning", progress.told_iterations_warning);
        member.into("told_iterations_exceeded", progress.told_iterations_exceeded);
        member.into("told_timeout", progress.told_timeout);
        member.into("told_context", progress.told_context);
        member.into("loop_pattern", progress.loop_pattern);
        member.into("loop_told_at", progress.loop_told_at);
        member.into("aware_pull", progress.aware_pull);
        member.into("fact_next", progress.aware_next);
        member.into("digest_next", progress.digest_next);
        member.into("digest_no", progress.digest_no);
        member.into("open_pull", progress.open_pull);
        member.into("open_point", progress.open_point);
        member.into("has_named", progress.has_named);
        member.into("heard_at", progress.heard_at);
        member.into("turn_asked", progress.turn_asked);
        member.into("output_node", progress.output_node);
        member.into("alert_next", progress.alert_next);
        member.into("alert_end", progress.alert_end);
        member.into("spoken_by", spoken_by);  // of a version that kept one principal
        member.into("spoken_after", spoken_after);
        if (member.name == "spoken") progress.spoken = read_spoken(member.value);
        member.into("answered_through", progress.answered_through);
        if (member.name == "effect_calls") progress.effect_calls = read_texts(member.value);
        if (member.name == "named_by_guests") progress.named_by_guests = read_texts(member.value);
        if (member.name == "unnamed") progress.unnamed = read_uuids(member.value);
        if (member.name == "decided") progress.decided = read_uuids(member.value);
        member.into("turn_by", progress.turn_by);
        if (member.name == "turn_agents") progress.turn_agents = read_texts(member.value);
        member.into("guest_agent", progress.guest_agent);
        if (member.name == "decided_by_guests") progress.decided_by_guests = read_decided(member.value);
        if (member.name == "pulls") progress.pulls = read_pulls(member.value);
        if (member.name == "actions") progress.actions = read_actions(member.value);
    });
    if (spoken_after) progress.spoken.push_back({spoken_by, *spoken_after});
    return progress;
}

}  // namespace

const Sql select_session{"SELECT " BELFRY_SESSION_COLUMNS " FROM sessions WHERE session_id = $1"};
const Sql select_node{"SELECT " BELFRY_NODE_COLUMNS " FROM context_nodes WHERE session_id = $1 AND node_id = $2"};

std::string write_budget(const model::Budget& budget) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    writer.field("tokens", static_cast<long long>(budget.tokens));
    writer.field("iterations", static_cast<long long>(budget.iterations));
    writer.field("timeout_s", static_cast<long long>(budget.timeout_s));
    writer.field("context_tokens", static_cast<long long>(budget.context_tokens));
    writer.end_object();
    return out;
}

std::string write_progress(const model::Progress& progress) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    writer.field("turn", static_cast<long long>(progress.turn));
    writer.name("in_turn").boolean(progress.in_turn);
    writer.name("turn_pulled").boolean(progress.turn_pulled);
    writer.field("lease", static_cast<long long>(progress.lease.us));
    writer.field("tokens_used", static_cast<long long>(progress.tokens_used));
    writer.field("context_used", static_cast<long long>(progress.context_used));
    write_time(writer, "counting_since", progress.counting_since);
    writer.name("told_tokens_warning").boolean(progress.told_tokens_warning);
    writer.name("told_tokens_exceeded").boolean(progress.told_tokens_exceeded);
    writer.name("told_iterations_warning").boolean(progress.told_iterations_warning);
    writer.name("told_iterations_exceeded").boolean(progress.told_iterations_exceeded);
    writer.name("told_timeout").boolean(progress.told_timeout);
    writer.name("told_context").boolean(progress.told_context);
    writer.field("loop_pattern", progress.loop_pattern);
    write_time(writer, "loop_told_at", progress.loop_told_at);
    if (progress.aware_pull) writer.field("aware_pull", base::format_uuid(*progress.aware_pull));
    // Before schema version 12 `aware_next` was a time.
    if (progress.aware_next) writer.field("fact_next", static_cast<long long>(*progress.aware_next));
    if (progress.digest_next) writer.field("digest_next", static_cast<long long>(*progress.digest_next));
    if (progress.digest_no > 0) writer.field("digest_no", static_cast<long long>(progress.digest_no));
    if (progress.open_pull) {
        writer.field("open_pull", base::format_uuid(*progress.open_pull));
        writer.field("open_point", static_cast<long long>(progress.open_point));
    }
    if (progress.has_named) writer.name("has_named").boolean(true);
    write_uuids(writer, "unnamed", progress.unnamed);
    if (!progress.spoken.empty()) {
        writer.name("spoken").begin_array();
        for (const model::Spoken& one : progress.spoken) {
            writer.begin_object().field("by", one.by).field("after", base::format_uuid(one.after));
            if (one.is_guest) writer.name("is_guest").boolean(true);
            writer.end_object();
        }
        writer.end_array();
    }
    if (progress.answered_through > 0) {
        writer.field("answered_through", static_cast<long long>(progress.answered_through));
    }
    write_texts(writer, "effect_calls", progress.effect_calls);
    write_texts(writer, "named_by_guests", progress.named_by_guests);
    write_uuids(writer, "decided", progress.decided);
    write_decided(writer, progress.decided_by_guests);
    if (!progress.turn_by.empty()) writer.field("turn_by", progress.turn_by);
    write_texts(writer, "turn_agents", progress.turn_agents);
    if (!progress.guest_agent.empty()) writer.field("guest_agent", progress.guest_agent);
    write_pulls(writer, progress.pulls);
    write_time(writer, "heard_at", progress.heard_at);
    if (progress.turn_asked) writer.name("turn_asked").boolean(true);
    if (progress.output_node) {
        writer.field("output_node", base::format_uuid(*progress.output_node));
        writer.field("alert_next", static_cast<long long>(progress.alert_next));
        writer.field("alert_end", static_cast<long long>(progress.alert_end));
    }
    write_actions(writer, progress.actions);
    writer.end_object();
    return out;
}

model::Session read_session(RowReader& row) {
    model::Session session;
    session.id = row.text();
    session.user_id = row.text();
    session.user_is_default = row.flag();
    session.agent_id = row.text();
    session.title = row.text();
    session.metadata = row.json();
    session.budget = read_budget(row.bytes());
    session.progress = read_progress(row.bytes());
    session.head.uuid = row.uuid();
    session.head_system_messages = row.number();
    session.next_handle = row.number();
    session.next_message = row.number();
    session.turns_started = row.number();
    session.last_turn_started_at = row.maybe_time();
    session.last_turn_ended_at = row.maybe_time();
    session.aware_no = row.maybe_number();
    session.deleted_at = row.maybe_time();
    session.timeout_due_at = row.maybe_time();
    session.created_at = row.time();
    session.updated_at = row.time();
    return session;
}

model::ContextNode read_node(RowReader& row) {
    model::ContextNode node;
    node.id.uuid = row.uuid();
    node.session_id = row.text();
    if (const auto parent = row.maybe_uuid()) node.parent = model::NodeId{*parent};
    node.created_at = row.time();
    node.system_messages = row.json();
    return node;
}

model::SessionMessage read_message(RowReader& row) {
    model::SessionMessage message;
    message.id.uuid = row.uuid();
    message.node.uuid = row.uuid();
    message.session_id = row.text();
    message.ordinal = row.number();
    message.role = row.choice(model::MessageRole::system);
    message.created_at = row.time();
    message.metadata = row.json();
    message.content = row.text();
    return message;
}

}  // namespace belfry::store
