#include "codec/run_event_bodies.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/iso_time.hpp"
#include "base/limits.hpp"
#include "codec/media_type.hpp"

namespace belfry::codec {
namespace {

using base::Code;
using base::Result;
namespace limits = base::limits;

base::Error too_many() {
    return base::error(Code::too_large,
                       "a request has at most " + std::to_string(limits::run_event_batch_max) + " events");
}

base::Error too_long() {
    return base::error(Code::too_large,
                       "an event of a run has at most " + std::to_string(limits::run_event_bytes_max) + " bytes");
}

class DraftReader {
public:
    DraftReader(JsonReader& reader, model::RunEvents& out) : reader_(reader), text_(out.text) {}

    Result<model::RunEventDraft> read() {
        TRY(reader_.begin_object());
        std::string_view name;
        for (;;) {
            TRY_ASSIGN(const bool more, reader_.next_field(name));
            if (!more) break;
            if (name == "data") {
                TRY(read_data());
                continue;
            }
            const bool is_known = name == "event" || name == "source" || name == "id" || name == "timestamp";
            if (!is_known) return reader_.invalid("is not known");
            TRY_ASSIGN(const bool absent, reader_.take_null());
            if (!absent) TRY(read_member(name));
        }
        if (draft_.event.size == 0) return base::error(Code::invalid, "must be given", "event");
        if (draft_.data.size == 0) draft_.data = put("{}");
        return draft_;
    }

private:
    model::TextSpan put(std::string_view text) {
        const auto at = static_cast<std::uint32_t>(text_.size());
        text_ += text;
        return {at, static_cast<std::uint32_t>(text.size())};
    }

    Result<void> read_data() {
        TRY_ASSIGN(const JsonSpan span, reader_.raw_value());
        const std::size_t at = text_.size();
        span.append_compact_to(text_);
        draft_.data = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text_.size() - at)};
        return {};
    }

    Result<void> read_member(std::string_view name) {
        if (name == "event") {
            TRY_ASSIGN(const std::string_view event, reader_.read_string());
            const std::string_view fault = model::run_event_name_fault(event);
            if (!fault.empty()) return reader_.invalid(std::string(fault));
            draft_.event = put(event);
        } else if (name == "source") {
            TRY_ASSIGN(const model::CallerContext caller, read_caller(reader_));
            const std::size_t at = text_.size();
            model::append_caller_json(text_, caller);
            draft_.source = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text_.size() - at)};
        } else if (name == "id") {
            TRY_ASSIGN(const std::string_view text, reader_.read_string());
            draft_.id = base::parse_uuid(text);
            if (!draft_.id) return reader_.invalid("must be a UUID");
        } else {
            TRY_ASSIGN(const std::string_view text, reader_.read_string());
            draft_.timestamp = base::parse_timestamp_from(base::year_one, text);
            if (!draft_.timestamp) {
                return reader_.invalid("must be an ISO 8601 time with an offset, such as 2026-11-15T08:30:00Z");
            }
        }
        return {};
    }

    JsonReader& reader_;
    std::string& text_;
    model::RunEventDraft draft_;
};

Result<void> read_entry(JsonReader& reader, model::RunEvents& out) {
    TRY(reader.peek());
    const std::size_t from = reader.offset();
    TRY_ASSIGN(const model::RunEventDraft draft, DraftReader(reader, out).read());
    if (reader.offset() - from > limits::run_event_bytes_max) return too_long();
    out.drafts.push_back(draft);
    return {};
}

Result<void> read_array(JsonReader& reader, model::RunEvents& out) {
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return {};
        if (out.drafts.size() == limits::run_event_batch_max) return too_many();
        TRY(read_entry(reader, out));
    }
}

Result<model::RunEvents> read_lines(std::string_view body, std::size_t& line) {
    model::RunEvents events;
    events.text.reserve(body.size());
    for (line = 1; !body.empty(); ++line) {
        const std::size_t end = std::min(body.find('\n'), body.size());
        TRY(append_run_event_line(body.substr(0, end), line, events));
        body.remove_prefix(std::min(end + 1, body.size()));
        if (events.drafts.size() > limits::run_event_batch_max) return too_many();
    }
    line = 0;
    return events;
}

}  // namespace

bool is_ndjson(std::string_view content_type) {
    const auto type = parse_media_type(content_type);
    if (!type.ok()) return false;
    return type->name == "application/x-ndjson" || type->name == "application/ndjson" ||
           type->name == "application/jsonl";
}

Result<void> append_run_event_line(std::string_view line, std::size_t number, model::RunEvents& out) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    if (line.size() > limits::run_event_bytes_max) return too_long();
    JsonReader reader(line, {.first_line = number});
    TRY(read_entry(reader, out));
    return reader.finish();
}

Result<model::CallerContext> read_caller(JsonReader& reader) {
    model::CallerContext caller;
    bool has_type = false;
    TRY_ASSIGN(const model::JsonKind kind, reader.peek());
    if (kind != model::JsonKind::object) return reader.invalid("must be an object");
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) break;
        std::string* const text = name == "agent_id"     ? &caller.agent_id
                                  : name == "agent_name" ? &caller.agent_name
                                  : name == "team_name"  ? &caller.team_name
                                                         : nullptr;
        if (text == nullptr && name != "agent_type") return reader.invalid("is not known");
        TRY_ASSIGN(const bool absent, reader.take_null());
        if (absent) continue;
        TRY_ASSIGN(const std::string_view value, reader.read_string());
        if (text != nullptr) {
            *text = value;
            continue;
        }
        const auto type = model::parse_agent_type(value);
        if (!type) return reader.invalid("must be global_supervisor, team_supervisor or worker");
        caller.agent_type = *type;
        has_type = true;
    }
    if (!has_type) return reader.invalid("must have agent_type");
    if (const auto fault = model::caller_fault(caller)) {
        return reader.invalid(std::string(fault->field) + " " + std::string(fault->message));
    }
    return caller;
}

Result<model::RunEvents> read_run_events(std::string_view content_type, std::string_view body, std::size_t& line) {
    line = 0;
    if (content_type != "application/json") {
        if (is_ndjson(content_type)) {
            TRY_ASSIGN(model::RunEvents events, read_lines(body, line));
            if (events.drafts.empty()) return base::error(Code::invalid, "the batch has no event");
            return events;
        }
        TRY_ASSIGN(const MediaType type, parse_media_type(content_type));
        const bool is_json =
            type.name.empty() || type.name == "application/json" || type.name == "application/x-www-form-urlencoded";
        if (!is_json) {
            return base::error(Code::unsupported, "events of a run come as application/json or application/x-ndjson",
                               "content-type");
        }
    }
    model::RunEvents events;
    events.text.reserve(body.size());
    TRY_ASSIGN(const model::JsonKind kind, JsonReader(body).peek());
    // An event may be as deep in a batch as alone.
    const std::size_t around = kind == model::JsonKind::array ? 1 : 0;
    JsonReader reader(body, {.depth_max = limits::json_depth_max + around});
    if (kind == model::JsonKind::array) TRY(read_array(reader, events));
    else if (kind == model::JsonKind::object) TRY(read_entry(reader, events));
    else return base::error(Code::invalid, "the body must be an event (an object) or an array of events");
    TRY(reader.finish());
    if (events.drafts.empty()) return base::error(Code::invalid, "the batch has no event");
    return events;
}

}  // namespace belfry::codec
