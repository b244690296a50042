#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "codec/session_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/notification_words.hpp"
#include "net/handlers/pace.hpp"
#include "net/handlers/report_answer.hpp"
#include "ports/commands/sessions.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

base::Result<void> read_turn_member(JsonReader& reader, std::string_view name, ports::ReportTurn& report,
                                    bool& has_edge) {
    if (name == "event") {
        TRY_ASSIGN(const std::string_view edge, reader.read_string());
        if (edge != "start" && edge != "end") return reader.invalid("must be start or end");
        report.edge = edge == "start" ? ports::TurnEdge::start : ports::TurnEdge::end;
        has_edge = true;
    } else if (name == "turn_number") {
        TRY_ASSIGN(report.turn_number, read_integer(reader, 1, limits::reported_count_max));
    } else if (name == "agent_id") {
        TRY_ASSIGN(report.agent_id, read_scope_id(reader));
    } else if (name == "reason") {
        TRY_ASSIGN(report.reason, read_text(reader, 0, limits::turn_reason_bytes_max));
    } else if (name == "tool_calls") {
        TRY_ASSIGN(report.tool_calls, read_integer(reader, 0, limits::reported_count_max));
    } else if (name == "tokens_used") {
        TRY_ASSIGN(report.tokens_used, read_integer(reader, 0, limits::reported_count_max));
    } else if (name == "context_tokens") {
        TRY_ASSIGN(report.context_tokens, read_integer(reader, 0, limits::reported_count_max));
    } else if (name == "acknowledged") {
        TRY(read_named(reader, report.acknowledged));
    } else if (name == "leases") {
        TRY(read_leases(reader, report.leases));
    } else if (name == "lease_s") {
        TRY_ASSIGN(report.lease, read_lease_s(reader));
    } else if (name == "pull_id") {
        TRY_ASSIGN(report.pull_id, read_uuid(reader));
    } else if (name == "only_named") {
        TRY_ASSIGN(report.only_named, reader.read_bool());
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<std::unique_ptr<ports::ReportTurn>> read_turn(const Exchange& exchange) {
    auto report = std::make_unique<ports::ReportTurn>();
    TRY_ASSIGN(report->session_id, scope_id_of_path(exchange, "session_id"));
    bool has_edge = false;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) { return read_turn_member(reader, name, *report, has_edge); }));
    if (!has_edge) return missing("event");
    if (report->edge == ports::TurnEdge::start && report->only_named) {
        return base::error(base::Code::invalid, "belongs to the end of a turn", "only_named");
    }
    if (report->edge == ports::TurnEdge::start && !report->acknowledged.empty()) {
        return base::error(base::Code::invalid, "belongs to the end of a turn", "acknowledged");
    }
    report->bytes = exchange.request.body.size();
    return report;
}

base::Result<double> read_share(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_number_text());
    double share = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), share);
    if (ec != std::errc{} || end != text.data() + text.size() || !(share > 0 && share <= 1)) {
        return reader.invalid("must be a share above 0 and at most 1, such as 0.8");
    }
    return share;
}

base::Result<void> read_condition(JsonReader& reader, ports::NotifySelf& note) {
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name != "context_above") return unknown(reader);
        TRY_ASSIGN(note.context_above, read_share(reader));
        return {};
    }));
    if (note.context_above == 0) return missing("when.context_above");
    return {};
}

base::Result<void> read_note_member(JsonReader& reader, std::string_view name, ports::NotifySelf& note) {
    if (name == "message") {
        TRY_ASSIGN(note.message, read_text(reader, 1, limits::self_message_bytes_max));
    } else if (name == "agent_id") {
        TRY_ASSIGN(note.agent_id, read_scope_id(reader));
    } else if (name == "priority") {
        TRY_ASSIGN(note.priority, reader.read_string());
        if (!model::parse_priority(note.priority)) return reader.invalid("must be critical, high, normal or low");
    } else if (name == "category") {
        TRY_ASSIGN(note.category, read_text(reader, 0, limits::self_category_bytes_max));
    } else if (name == "deliver_at") {
        TRY_ASSIGN(note.deliver_at, reader.read_string());
        if (note.deliver_at != "immediate" && note.deliver_at != "next_turn" && note.deliver_at != "after_tool") {
            return reader.invalid("must be immediate, next_turn or after_tool");
        }
    } else if (name == "after_turns") {
        TRY_ASSIGN(note.after_turns, read_integer(reader, 1, limits::reminder_turns_max));
    } else if (name == "when") {
        TRY(read_condition(reader, note));
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<std::unique_ptr<ports::NotifySelf>> read_note(const Exchange& exchange) {
    auto note = std::make_unique<ports::NotifySelf>();
    TRY_ASSIGN(note->session_id, scope_id_of_path(exchange, "session_id"));
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) { return read_note_member(reader, name, *note); }));
    if (note->message.empty()) return missing("message");
    note->bytes = exchange.request.body.size();
    return note;
}

}  // namespace

void answer_report(const Reply& to, const base::Result<ports::ReportReply>& result) {
    if (!result) return to.fail(result.error());
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("events").begin_array();
    for (const ports::Admitted& event : result->events) {
        writer.begin_object().field("id", base::format_uuid(event.id.uuid));
        writer.field("sequence", static_cast<long long>(event.sequence)).end_object();
    }
    writer.end_array();
    codec::append_progress(writer, "progress", result->progress);
    codec::append_budget(writer, "budget", result->budget);
    writer.name("unknown").begin_array();
    for (const std::string& key : result->unknown) writer.text(key);
    writer.end_array().name("stale").begin_array();
    for (const std::string& handle : result->stale) writer.text(handle);
    writer.end_array();
    writer.end_object();
    to.respond({201, "application/json", body, {}});
}

void report_turn(const Exchange& exchange) {
    auto report = read_turn(exchange);
    if (!report) return exchange.fail(report.error());
    if (is_too_fast(exchange, 1)) return;
    auto command = std::move(report).value();
    exchange.submit(std::move(command),
                    [](const Reply& to, const base::Result<ports::ReportReply>& result) { answer_report(to, result); });
}

void notify_self(const Exchange& exchange) {
    auto note = read_note(exchange);
    if (!note) return exchange.fail(note.error());
    if (is_too_fast(exchange, 1)) return;
    auto command = std::move(note).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::SelfReply>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        model::JsonWriter writer(body);
        writer.begin_object().name("event_id");
        result->event ? writer.text(base::format_uuid(result->event->id.uuid)) : writer.null();
        writer.name("reminder_id");
        result->reminder ? writer.text(base::format_uuid(*result->reminder)) : writer.null();
        writer.end_object();
        to.respond({201, "application/json", body, {}});
    });
}

}  // namespace belfry::net::handlers
