#include "store/notification_row.hpp"

#include <charconv>

namespace belfry::store {
namespace {

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

}  // namespace

const Sql select_notification{"SELECT " BELFRY_NOTIFICATION_COLUMNS " FROM notifications WHERE notification_id = $1"};
const Sql select_handle{"SELECT " BELFRY_NOTIFICATION_COLUMNS
                        " FROM notifications WHERE handed_to = $1 AND handle = $2 AND handle > 0"};

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
    n.events = read_events(row);
    n.content = row.text();
    n.text = row.text();
    n.directive = row.text();
    return n;
}

std::string queue_of(const model::Scope& scope) {
    return scope.session_id.empty() ? "u" + scope.user_id : "s" + scope.session_id;
}

}  // namespace belfry::store
