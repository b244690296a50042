#include "store/notification_row.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace belfry::store {
namespace {

void read_routing(model::Transition& step) {
    constexpr std::string_view birth = "emitted ";
    if (!step.reason.starts_with(birth)) return;
    std::istringstream words(step.reason.substr(birth.size()));
    std::string address;
    std::string target;
    std::string handler;
    words >> address >> target >> handler;
    step.reason.resize(birth.size() - 1);
    const auto where = model::parse_address(address);
    const auto whom = model::parse_target(target);
    const auto who = model::parse_handler(handler);
    if (where && whom && who) step.routing = {*where, *whom, *who};
}

std::int64_t integer_of(const model::JsonView& value) {
    std::int64_t number = 0;
    std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    return number;
}

std::optional<model::NotifiedEvent> read_event(const model::JsonView& object) {
    model::NotifiedEvent event;
    model::JsonWalker members(object);
    std::string_view name;
    std::optional<base::Uuid> id;
    while (const auto value = members.next(&name)) {
        if (name == "id") id = base::parse_uuid(value->as_text());
        else if (name == "sequence") event.sequence = static_cast<model::Sequence>(integer_of(*value));
        else if (name == "count") event.count = integer_of(*value);
        else if (name == "dedupe_key") event.dedupe_key = value->as_text();
    }
    if (!id) return std::nullopt;
    event.id.uuid = *id;
    return event;
}

std::optional<model::NotificationId> maybe_notification(RowReader& row) {
    const auto id = row.maybe_uuid();
    return id ? std::optional(model::NotificationId{*id}) : std::nullopt;
}

Param maybe_id(const std::optional<base::Uuid>& id) {
    return id ? bytes(*id) : Param{};
}
Param maybe_id(const std::optional<model::NotificationId>& id) {
    return id ? bytes(id->uuid) : Param{};
}
Param maybe_text(std::string_view text) {
    return text.empty() ? Param{} : bytes(text);
}

std::string write_texts(const std::vector<std::string>& texts) {
    std::string out;
    if (texts.empty()) return out;
    model::JsonWriter writer(out);
    writer.begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
    return out;
}

std::vector<std::string> read_texts(std::string_view json) {
    std::vector<std::string> texts;
    if (json.empty()) return texts;
    model::JsonWalker walker(model::JsonView{json});
    while (const auto text = walker.next()) texts.emplace_back(text->as_text());
    return texts;
}

constexpr std::int64_t statuses = 4;
static_assert(static_cast<std::int64_t>(model::FactStatus::seen) == statuses - 1);

void read_fact(RowReader& row, model::Fact& fact) {
    const auto at = row.maybe_time();
    const auto number = row.maybe_number();
    const auto code = row.maybe_number();
    if (!number) return;
    if (*number < 1 || !at || !code || *code < statuses) {
        row.note_damage();
        return;
    }
    fact = {*number, *code / statuses, static_cast<model::FactStatus>(*code % statuses), *at};
}

}  // namespace

const Sql select_notification{BELFRY_NOTIFICATIONS "WHERE notification_id = $1"};
const Sql select_handle{BELFRY_NOTIFICATIONS "WHERE handed_to = $1 AND handle = $2 AND handle > 0"};

std::string write_events(const std::vector<model::NotifiedEvent>& events) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_array();
    for (const model::NotifiedEvent& event : events) {
        writer.begin_object();
        writer.field("id", base::format_uuid(event.id.uuid));
        writer.field("sequence", static_cast<long long>(event.sequence));
        writer.field("count", static_cast<long long>(event.count));
        writer.field("dedupe_key", event.dedupe_key);
        writer.end_object();
    }
    writer.end_array();
    return out;
}

std::vector<model::NotifiedEvent> read_events(RowReader& row) {
    std::vector<model::NotifiedEvent> events;
    model::JsonWalker walker(model::JsonView{row.bytes()});
    while (const auto object = walker.next()) {
        if (auto event = read_event(*object)) events.push_back(std::move(*event));
        else row.note_damage();
    }
    return events;
}

void read_due_class(RowReader& row, model::Notification& into) {
    const std::int64_t due_class = row.number();
    if (due_class < 0 || due_class > 15) row.note_damage();
    into.priority = static_cast<model::Priority>(due_class / 4 % 4);
    into.inject_at = static_cast<model::InjectAt>(due_class % 4);
}

model::Notification read_notification(RowReader& row) {
    model::Notification n;
    n.ordinal = row.number();
    n.id.uuid = row.uuid();
    n.scope.user_id = row.text();
    n.scope.session_id = row.text();
    n.scope.agent_id = row.text();
    n.subscriber_id = row.text();
    read_due_class(row, n);
    n.severity = row.choice(model::Severity::critical);
    n.address = row.choice(model::Address::user);
    n.target = row.choice(model::Target::agent);
    n.handler = row.choice(model::Handler::agent);
    n.follow_up = row.flag();
    n.model_tokens = row.number();
    n.version = row.number();
    n.created_at = row.time();
    n.state = row.choice(model::DeliveryState::failed);
    n.outcome = row.text();
    n.ended_at = row.maybe_time();
    n.handed_to = row.text();
    n.handle = row.number();
    n.lease = row.number();
    n.holder = row.text();
    n.lease_until = row.maybe_time();
    n.pull_id = row.maybe_uuid();
    n.passed_over = row.number();
    n.emitter = row.text();
    n.deduplication_key = row.text();
    n.tone_hint = row.text();
    if (std::string metadata = row.text(); !metadata.empty()) n.metadata = model::RawJson::trusted(std::move(metadata));
    n.ttl = base::Duration{row.number()};
    n.deadline = row.maybe_time();
    n.deadline_max = row.maybe_time();
    n.depth = row.number();
    n.caused_by = maybe_notification(row);
    n.follows = maybe_notification(row);
    n.retry_of = maybe_notification(row);
    n.narration = row.text();
    n.seen_at = row.maybe_time();
    n.acted_at = row.maybe_time();
    n.dismissed_at = row.maybe_time();
    n.used_tools = read_texts(row.bytes());
    n.answered_at = row.maybe_time();
    n.events = read_events(row);
    n.content = row.text();
    n.text = row.text();
    n.directive = row.text();
    read_fact(row, n.fact);
    return n;
}

std::int64_t fact_code(const model::Fact& fact) {
    return fact.version * statuses + static_cast<std::int64_t>(fact.status);
}

std::string birth_text(const model::Transition& step) {
    std::string text = step.reason;
    for (const std::string_view axis :
         {model::address_name(step.routing->address), model::target_name(step.routing->target),
          model::handler_name(step.routing->handler)}) {
        text.append(1, ' ').append(axis);
    }
    return text;
}

model::Transition read_step(RowReader& row) {
    model::Transition step;
    step.notification.uuid = row.uuid();
    step.ordinal = row.number();
    step.at = row.time();
    step.from = row.choice(model::DeliveryState::failed);
    step.to = row.choice(model::DeliveryState::failed);
    step.lease = row.number();
    step.holder = row.text();
    step.reason = row.text();
    read_routing(step);
    return step;
}

bool is_for_agent(const model::Notification& n) {
    if (!n.narration.empty()) return false;
    return n.target == model::Target::agent || n.handler == model::Handler::agent;
}

Derived::Derived(const model::Notification& n)
    : events(write_events(n.events)), used_tools(write_texts(n.used_tools)), queue(model::queue_of(n.scope)) {
    const bool is_escalated = n.state == model::DeliveryState::escalated;
    is_in_queue = is_for_agent(n) && !is_escalated && !model::is_terminal(n.state);
    if (n.fact.number > 0) shown_at = n.fact.at;
    if (is_for_agent(n) && !is_escalated) return;
    inbox = n.seen_at || n.acted_at || n.dismissed_at ? 0 : 1;
}

std::vector<Param> birth_of(const model::Notification& n) {
    return {bytes(n.id.uuid),     number(n.ordinal),     bytes(n.scope.user_id), bytes(n.subscriber_id),
            number(n.created_at), maybe_text(n.emitter), number(n.depth),        maybe_id(n.caused_by),
            maybe_id(n.follows),  maybe_id(n.retry_of)};
}

std::vector<Param> way_of(const model::Notification& n, const Derived& derived) {
    return {derived.inbox ? number(*derived.inbox) : Param{},
            maybe(derived.shown_at),
            choice(n.state),
            bytes(n.outcome),
            maybe(n.ended_at),
            bytes(n.handed_to),
            number(n.handle),
            number(n.lease),
            bytes(n.holder),
            maybe(n.lease_until),
            maybe_id(n.pull_id),
            number(n.passed_over),
            maybe(n.deadline),
            maybe_text(n.narration),
            maybe(n.seen_at),
            maybe(n.acted_at),
            maybe(n.dismissed_at),
            maybe_text(derived.used_tools),
            maybe(n.answered_at)};
}

std::vector<Param> matter_of(const model::Notification& n, const Derived& derived) {
    const auto due_class = static_cast<std::int64_t>(n.priority) * 4 + static_cast<std::int64_t>(n.inject_at);
    const std::string& metadata = n.metadata.bytes();
    return {derived.is_in_queue ? bytes(derived.queue) : Param{},
            choice(n.priority),
            number(model::rows_of(n)),
            bytes(n.scope.session_id),
            bytes(n.scope.agent_id),
            number(due_class),
            choice(n.severity),
            choice(n.address),
            choice(n.target),
            choice(n.handler),
            choice(n.follow_up),
            number(n.model_tokens),
            number(n.version),
            bytes(derived.events),
            bytes(n.content),
            bytes(n.text),
            bytes(n.directive),
            maybe_text(n.deduplication_key),
            maybe_text(n.tone_hint),
            metadata == "{}" ? Param{} : bytes(metadata),
            number(n.ttl.us),
            maybe(n.deadline_max)};
}

}  // namespace belfry::store
