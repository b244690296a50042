#include "codec/cloudevents_draft.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/iso_time.hpp"
#include "codec/event.hpp"

namespace belfry::codec {
namespace {

using base::Code;
using base::Result;

constexpr std::array<std::string_view, 11> known_names{
    "specversion", "id", "source", "type", "time", "severity", "userid", "sessionid", "runid", "agentid", "dedupekey"};

base::Error invalid(std::string_view name, std::string message) {
    return base::error(Code::invalid, std::move(message), std::string(name));
}

bool is_base64(std::string_view text) {
    if (text.size() % 4 != 0) return false;
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    });
}

}  // namespace

Result<void> CloudEventDraft::check_name(std::string_view name) {
    const bool plain =
        std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
    if (!plain || name.empty()) return invalid(name, "an attribute's name has lower-case letters and digits only");
    return {};
}

bool CloudEventDraft::is_known(std::string_view name) {
    return std::ranges::find(known_names, name) != known_names.end();
}

Result<void> CloudEventDraft::set(std::string_view name, std::string_view text) {
    if (name == "specversion") version_ = text;
    else if (name == "id") event_.source_id = text;
    else if (name == "source") event_.source = text;
    else if (name == "type") event_.type = text;
    else if (name == "userid") event_.user_id = text;
    else if (name == "sessionid") event_.session_id = text;
    else if (name == "agentid") event_.agent_id = text;
    else if (name == "dedupekey") event_.dedupe_key = text;
    if (name == "time") {
        event_.timestamp = base::parse_timestamp_from(base::year_one, text);
        if (!event_.timestamp)
            return invalid(name, "must be an ISO 8601 time with an offset, such as 2026-11-15T08:30:00Z");
    }
    if (name == "severity") {
        event_.severity = model::parse_severity(text);
        if (!event_.severity) return invalid(name, "a severity is debug, info, warning, error or critical");
    }
    if (name == "runid") {
        std::int64_t id = 0;
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), id);
        return set_run_id(failed == std::errc{} && end == text.data() + text.size() ? id : 0);
    }
    return {};
}

Result<void> CloudEventDraft::set_run_id(std::int64_t id) {
    if (id <= 0) return invalid("runid", "a run id is a positive integer");
    event_.run_id = id;
    return {};
}

void CloudEventDraft::keep(std::string_view name, const JsonSpan& value) {
    const bool taken = name == "payload" || name == "timestamp" || name == "tokens";
    append_extension(event_.extensions, '"' + std::string(taken ? "ce_" : "") + std::string(name) + '"', value);
}

void CloudEventDraft::keep_text(std::string_view name, std::string_view text) {
    std::string quoted;
    model::JsonWriter(quoted).text(text);
    keep(name, {quoted, false});
}

Result<void> CloudEventDraft::set_data(const JsonSpan& value) {
    if (std::exchange(has_data_, true)) return invalid("data", "data and data_base64 stand both");
    if (value.text.starts_with('{')) {
        event_.payload = value.compact();
        return {};
    }
    std::string wrapped = "{\"data\":";
    value.append_compact_to(wrapped);
    wrapped += '}';
    event_.payload = model::RawJson::trusted(std::move(wrapped));
    return {};
}

void CloudEventDraft::set_data_text(std::string_view text) {
    std::string wrapped;
    model::JsonWriter(wrapped).begin_object().field("data", text).end_object();
    event_.payload = model::RawJson::trusted(std::move(wrapped));
}

Result<void> CloudEventDraft::set_data_base64(std::string_view base64) {
    if (std::exchange(has_data_, true)) return invalid("data_base64", "data and data_base64 stand both");
    if (!is_base64(base64)) return invalid("data_base64", "this is no base64");
    std::string wrapped;
    model::JsonWriter(wrapped).begin_object().field("data_base64", base64).end_object();
    event_.payload = model::RawJson::trusted(std::move(wrapped));
    return {};
}

Result<void> CloudEventDraft::finish() const {
    if (version_ != "1.0") return invalid("specversion", "CloudEvents of specversion 1.0 are understood, no others");
    if (event_.source_id.empty()) return invalid("id", "a CloudEvent has an id");
    if (event_.source.empty()) return invalid("source", "a CloudEvent has a source");
    if (event_.type.empty()) return invalid("type", "a CloudEvent has a type");
    return check_source_id(event_.source_id);
}

}  // namespace belfry::codec
