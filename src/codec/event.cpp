#include "codec/event.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/iso_time.hpp"
#include "base/limits.hpp"
#include "codec/members.hpp"

namespace belfry::codec {
namespace {

using base::Code;
using base::Result;
namespace limits = base::limits;

enum class Member {
    id,
    source_id,
    type,
    source,
    severity,
    timestamp,
    payload,
    dedupe_key,
    user_id,
    session_id,
    run_id,
    agent_id,
    tokens,
    unknown,
};

constexpr std::array<std::string_view, 13> member_names{"id",        "source_id", "type",       "source",  "severity",
                                                        "timestamp", "payload",   "dedupe_key", "user_id", "session_id",
                                                        "run_id",    "agent_id",  "tokens"};

Member member_of(std::string_view name) {
    for (std::size_t i = 0; i < member_names.size(); ++i) {
        if (member_names[i] == name) return static_cast<Member>(i);
    }
    return Member::unknown;
}

class EventReader {
public:
    EventReader(JsonReader& reader, model::Event& event) : reader_(reader), event_(event) {}

    Result<void> read(std::string_view name) {
        const Member member = member_of(name);
        if (member == Member::unknown) return read_extension();
        TRY_ASSIGN(const bool absent, reader_.take_null());
        if (absent) return {};
        switch (member) {
            case Member::id: return read_text(id_);
            case Member::source_id: return read_text(event_.source_id);
            case Member::type: return read_text(event_.type);
            case Member::source: return read_text(event_.source);
            case Member::severity: return read_severity();
            case Member::timestamp: return read_timestamp();
            case Member::payload: return read_payload();
            case Member::dedupe_key: return read_text(event_.dedupe_key);
            case Member::user_id: return read_text(event_.user_id);
            case Member::session_id: return read_text(event_.session_id);
            case Member::run_id: return read_run_id();
            case Member::agent_id: return read_text(event_.agent_id);
            case Member::tokens: return read_tokens();
            case Member::unknown: break;
        }
        return {};
    }

    Result<void> finish() {
        if (event_.source_id.empty()) event_.source_id = std::move(id_);
        return check_source_id(event_.source_id);
    }

private:
    Result<void> read_text(std::string& out) {
        TRY_ASSIGN(const std::string_view text, reader_.read_string());
        out = text;
        return {};
    }

    Result<void> read_severity() {
        TRY_ASSIGN(const std::string_view text, reader_.read_string());
        event_.severity = model::parse_severity(text);
        if (!event_.severity) return reader_.invalid("a severity is debug, info, warning, error or critical");
        return {};
    }

    Result<void> read_timestamp() {
        TRY_ASSIGN(const std::string_view text, reader_.read_string());
        event_.timestamp = base::parse_timestamp_from(base::year_one, text);
        if (!event_.timestamp) {
            return reader_.invalid("must be an ISO 8601 time with an offset, such as 2026-11-15T08:30:00Z");
        }
        return {};
    }

    Result<void> read_payload() {
        TRY_ASSIGN(const model::JsonKind kind, reader_.peek());
        if (kind != model::JsonKind::object) return reader_.invalid("a payload is an object");
        TRY_ASSIGN(const JsonSpan payload, reader_.raw_value());
        event_.payload = payload.compact();
        return {};
    }

    Result<void> read_run_id() {
        TRY_ASSIGN(event_.run_id, reader_.read_integer());
        if (event_.run_id <= 0) return reader_.invalid("a run_id is a positive integer");
        return {};
    }

    Result<void> read_tokens() {
        TRY(reader_.begin_array());
        for (;;) {
            TRY_ASSIGN(const bool more, reader_.next_element());
            if (!more) return {};
            TRY_ASSIGN(const std::string_view token, reader_.read_string());
            // One more than there may be is enough for the rule that counts them, and a million empty ones cost
            // nothing.
            if (event_.tokens.size() <= limits::event_tokens_max) event_.tokens.emplace_back(token);
        }
    }

    Result<void> read_extension() {
        const std::string_view token = reader_.name_token();
        TRY_ASSIGN(const JsonSpan value, reader_.raw_value());
        append_extension(event_.extensions, token, value);
        return {};
    }

    JsonReader& reader_;
    model::Event& event_;
    std::string id_;
};

}  // namespace

void append_extension(std::string& extensions, std::string_view name_token, const JsonSpan& value) {
    if (!extensions.empty()) extensions += ',';
    extensions += name_token;
    extensions += ':';
    value.append_compact_to(extensions);
}

Result<void> check_event_size(std::size_t bytes) {
    if (bytes <= limits::event_bytes_max) return {};
    return base::error(Code::too_large, "an event has at most " + std::to_string(limits::event_bytes_max) + " bytes");
}

Result<void> check_source_id(std::string_view id) {
    if (id.size() <= limits::event_source_id_bytes_max) return {};
    return base::error(Code::invalid,
                       "an id has at most " + std::to_string(limits::event_source_id_bytes_max) + " bytes", "id");
}

Result<void> read_event(JsonReader& reader, Result<model::Event>& event) {
    std::optional<base::Error> refusal;
    EventReader members(reader, *event);
    TRY(read_members(reader, refusal, [&members](std::string_view name) { return members.read(name); }));
    if (auto finished = members.finish(); !finished.ok() && !refusal) refusal = std::move(finished).error();
    if (refusal) event = std::move(*refusal);
    return {};
}

Result<model::Event> parse_event(std::string_view json) {
    TRY(check_event_size(json.size()));
    JsonReader reader(json);
    Result<model::Event> event{model::Event{}};
    TRY(read_event(reader, event));
    TRY(reader.finish());
    return event;
}

}  // namespace belfry::codec
