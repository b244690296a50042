#include <array>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "codec/event.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/notification_words.hpp"
#include "net/handlers/pace.hpp"
#include "net/handlers/report_answer.hpp"
#include "ports/commands/sessions.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
using model::JsonKind;
using ports::ToolCallStatus;
namespace limits = base::limits;

constexpr std::array<std::string_view, 4> status_names{"pending", "success", "failure", "timeout"};
constexpr std::size_t fingerprint_bytes = 8;

constexpr unsigned bit(ToolCallStatus status) {
    return 1U << static_cast<unsigned>(status);
}
constexpr unsigned pending = bit(ToolCallStatus::pending);
constexpr unsigned success = bit(ToolCallStatus::success);
constexpr unsigned failure = bit(ToolCallStatus::failure);
constexpr unsigned timeout = bit(ToolCallStatus::timeout);

// A member of the event's payload: of which kind, with which status it may be told, with which it must.
struct Detail {
    std::string_view name;
    std::optional<JsonKind> kind;  // nothing: any
    unsigned may;
    unsigned must;
};

constexpr std::size_t arguments_place = 0;
constexpr std::array<Detail, 7> details{{
    {"arguments", std::nullopt, pending | success | failure | timeout, 0},
    {"duration_ms", JsonKind::number, success | failure | timeout, success},
    {"result_summary", std::nullopt, success, 0},
    {"error_type", JsonKind::string, failure | timeout, failure},
    {"error_message", JsonKind::string, failure | timeout, failure},
    {"retry_count", JsonKind::number, success | failure | timeout, 0},
    {"timeout_ms", JsonKind::number, timeout, timeout},
}};

class CallReader {
public:
    CallReader(JsonReader& reader, ports::ReportToolCall& report) : reader_(reader), report_(report) {}

    base::Result<void> read(std::string_view name) {
        for (std::size_t i = 0; i < details.size(); ++i) {
            if (details[i].name == name) return read_detail(i);
        }
        if (name == "status") return read_status();
        if (name == "tool_name") {
            TRY_ASSIGN(report_.tool_name, read_text(reader_, 1, limits::tool_name_bytes_max));
        } else if (name == "call_id") {
            TRY_ASSIGN(report_.call_id, read_text(reader_, 1, limits::tool_call_id_bytes_max));
        } else if (name == "agent_id") {
            TRY_ASSIGN(report_.agent_id, read_scope_id(reader_));
        } else if (name == "source") {
            TRY_ASSIGN(report_.source, read_text(reader_, 1, limits::event_source_bytes_max));
        } else if (name == "handling") {
            TRY_ASSIGN(report_.handling, read_notification_key(reader_));
        } else if (name == "pull_id") {
            TRY_ASSIGN(report_.pull_id, read_uuid(reader_));
        } else if (name == "leases") {
            TRY(read_leases(reader_, report_.leases));
        } else if (name == "tokens_used") {
            TRY_ASSIGN(report_.tokens_used, read_integer(reader_, 0, limits::reported_count_max));
        } else {
            return unknown(reader_);
        }
        return {};
    }

    base::Result<void> finish() {
        if (!has_status_) return missing("status");
        if (report_.tool_name.empty()) return missing("tool_name");
        if (report_.call_id.empty()) return missing("call_id");
        const unsigned status = bit(report_.status);
        const std::string status_name(status_names[static_cast<std::size_t>(report_.status)]);
        for (std::size_t i = 0; i < details.size(); ++i) {
            const std::string name(details[i].name);
            if (values_[i] && (details[i].may & status) == 0) {
                return base::error(base::Code::invalid, "does not belong to status " + status_name, name);
            }
            if (!values_[i] && (details[i].must & status) != 0) {
                return base::error(base::Code::invalid, "must be given with status " + status_name, name);
            }
        }
        write_payload();
        return {};
    }

private:
    base::Result<void> read_status() {
        TRY_ASSIGN(const std::string_view text, reader_.read_string());
        for (std::size_t i = 0; i < status_names.size(); ++i) {
            if (status_names[i] != text) continue;
            report_.status = static_cast<ToolCallStatus>(i);
            has_status_ = true;
            return {};
        }
        return reader_.invalid("must be pending, success, failure or timeout");
    }

    base::Result<void> read_detail(std::size_t place) {
        const std::optional<JsonKind> kind = details[place].kind;
        TRY_ASSIGN(const JsonKind given, reader_.peek());
        if (given == JsonKind::null) return reader_.skip_value();
        if (kind == JsonKind::string && given != *kind) return reader_.invalid("must be a text");
        if (kind == JsonKind::number && given != *kind) return reader_.invalid("must be a number");
        TRY_ASSIGN(const codec::JsonSpan span, reader_.raw_value());
        if (kind == JsonKind::number && span.text.starts_with('-')) return reader_.invalid("must not be negative");
        values_[place] = span.compact();
        return {};
    }

    // Of a call that has ended the arguments only tell it from others: they were in the event of its beginning.
    void write_payload() {
        std::string payload;
        model::JsonWriter writer(payload);
        writer.begin_object().field("tool_name", report_.tool_name).field("call_id", report_.call_id);
        for (std::size_t i = 0; i < details.size(); ++i) {
            const bool shown = i != arguments_place || report_.status == ToolCallStatus::pending;
            if (values_[i] && shown) writer.name(details[i].name).raw(values_[i]->bytes());
        }
        writer.end_object();
        report_.payload = model::RawJson::trusted(std::move(payload));
        if (!values_[arguments_place]) return;
        const auto hash = base::fingerprint(values_[arguments_place]->bytes());
        report_.arguments_fingerprint = base::hex({reinterpret_cast<const char*>(hash.data()), fingerprint_bytes});
    }

    JsonReader& reader_;
    ports::ReportToolCall& report_;
    bool has_status_ = false;
    std::array<std::optional<model::RawJson>, details.size()> values_;
};

base::Result<std::unique_ptr<ports::ReportToolCall>> read_call(const Exchange& exchange) {
    auto report = std::make_unique<ports::ReportToolCall>();
    TRY_ASSIGN(report->session_id, scope_id_of_path(exchange, "session_id"));
    TRY(codec::check_event_size(exchange.request.body.size()));
    JsonReader reader(exchange.request.body);
    CallReader call(reader, *report);
    TRY(read_body(reader, [&](std::string_view name) { return call.read(name); }));
    TRY(call.finish());
    report->bytes = exchange.request.body.size();
    return report;
}

}  // namespace

void report_tool_call(const Exchange& exchange) {
    auto report = read_call(exchange);
    if (!report) return exchange.fail(report.error());
    if (is_too_fast(exchange, 1)) return;
    auto command = std::move(report).value();
    exchange.submit(std::move(command),
                    [](const Reply& to, const base::Result<ports::ReportReply>& result) { answer_report(to, result); });
}

}  // namespace belfry::net::handlers
