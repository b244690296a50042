#include "codec/cloudevents.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "codec/cloudevents_draft.hpp"
#include "codec/event.hpp"
#include "codec/media_type.hpp"
#include "codec/members.hpp"
#include "codec/utf8.hpp"

namespace belfry::codec {
namespace {

using base::Code;
using base::Result;
using model::JsonKind;

Result<void> read_attribute(JsonReader& reader, CloudEventDraft& draft, std::string_view name) {
    TRY_ASSIGN(const JsonKind kind, reader.peek());
    if (kind == JsonKind::null) return reader.skip_value();
    if (name == "data") {
        TRY_ASSIGN(const JsonSpan value, reader.raw_value());
        return draft.set_data(value);
    }
    if (name == "data_base64") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        return draft.set_data_base64(text);
    }
    if (name == "runid" && kind == JsonKind::number) {
        TRY_ASSIGN(const std::int64_t id, reader.read_integer());
        return draft.set_run_id(id);
    }
    if (CloudEventDraft::is_known(name)) {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        return draft.set(name, text);
    }
    TRY(CloudEventDraft::check_name(name));
    const bool text_only = name == "subject" || name == "dataschema" || name == "datacontenttype";
    if (text_only && kind != JsonKind::string) return reader.invalid("must be a string");
    TRY_ASSIGN(const JsonSpan value, reader.raw_value());
    draft.keep(name, value);
    return {};
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// A quoted string loses its quotes and backslashes; anything else is as it is.
std::string unquote(std::string_view value) {
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::string(value);
    value = value.substr(1, value.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == '\\' && i + 1 < value.size()) ++i;
        out += value[i];
    }
    return out;
}

Result<std::string> decode_header(std::string_view name, std::string_view value) {
    const std::string encoded = unquote(value);
    std::string out;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        if (encoded[i] != '%') {
            out += encoded[i];
            continue;
        }
        const int high = i + 2 < encoded.size() ? hex_digit(encoded[i + 1]) : -1;
        const int low = i + 2 < encoded.size() ? hex_digit(encoded[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return base::error(Code::invalid, "a % is followed by two hexadecimal digits", std::string(name));
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    if (!is_utf8(out)) return base::error(Code::invalid, "the decoded value is not UTF-8", std::string(name));
    return out;
}

Result<void> set_body(CloudEventDraft& draft, std::string_view content_type, std::string_view body) {
    if (!content_type.empty()) {
        if (!is_utf8(content_type)) return base::error(Code::unsupported, "this is no media type", "content-type");
        draft.keep_text("datacontenttype", content_type);
    }
    if (body.empty()) return {};
    TRY_ASSIGN(const MediaType type, parse_media_type(content_type));
    if (type.name.empty() || type.is_json()) {
        // Two levels are the event's own and its payload's.
        JsonReader reader(body, {.depth_max = cloudevent_depth_max - 1});
        TRY_ASSIGN(const JsonSpan value, reader.raw_value());
        TRY(reader.finish());
        return draft.set_data(value);
    }
    if (!type.is_text()) return draft.set_data_base64(base::base64(body));
    if (!is_utf8(body)) return base::error(Code::malformed, "the body is not UTF-8");
    draft.set_data_text(body);
    return {};
}

// The headers that matter, in an order of their own: proxies may reorder them.
std::vector<std::pair<std::string, std::string_view>> sorted_headers(std::span<const Header> headers) {
    std::vector<std::pair<std::string, std::string_view>> attributes;
    for (const auto& [name, value] : headers) {
        std::string lower = to_lower(name);
        if (lower.starts_with("ce-") || lower == "content-type") attributes.emplace_back(std::move(lower), value);
    }
    std::ranges::sort(attributes);
    return attributes;
}

}  // namespace

Result<void> read_cloudevent(JsonReader& reader, Result<model::Event>& event) {
    CloudEventDraft draft(*event);
    std::optional<base::Error> refusal;
    TRY(read_members(reader, refusal, [&](std::string_view name) { return read_attribute(reader, draft, name); }));
    if (!refusal) {
        if (auto finished = draft.finish(); !finished.ok()) refusal = std::move(finished).error();
    }
    if (refusal) event = std::move(*refusal);
    return {};
}

bool is_binary_cloudevent(std::span<const Header> headers) {
    return std::ranges::any_of(headers,
                               [](const Header& header) { return to_lower(header.first) == "ce-specversion"; });
}

namespace {

Result<model::Event> parse_binary(std::span<const std::pair<std::string, std::string_view>> attributes,
                                  std::string_view body) {
    TRY(check_event_size(body.size()));
    model::Event event;
    CloudEventDraft draft(event);
    std::string_view content_type;
    std::string_view previous;
    for (const auto& [header, value] : attributes) {
        if (header == previous) return base::error(Code::invalid, "this header stands twice", header);
        previous = header;
        if (header == "content-type") {
            content_type = value;
            continue;
        }
        const std::string name = header.substr(3);
        TRY(CloudEventDraft::check_name(name));
        TRY_ASSIGN(const std::string text, decode_header(name, value));
        if (CloudEventDraft::is_known(name)) TRY(draft.set(name, text));
        else if (name != "datacontenttype" && name != "data") draft.keep_text(name, text);
        else
            return base::error(Code::invalid, "in the binary mode this is the request's own Content-Type or body",
                               name);
    }
    TRY(draft.finish());
    TRY(set_body(draft, content_type, body));
    // As JSON a text or an image is longer than it came: its readers get it as JSON.
    TRY(check_event_size(event.payload.bytes().size() + event.extensions.size()));
    return event;
}

}  // namespace

ParsedEntry parse_binary_cloudevent(std::span<const Header> headers, std::string_view body) {
    const auto attributes = sorted_headers(headers);
    ParsedEntry entry{parse_binary(attributes, body), {}, body};
    if (!entry.event.ok()) return entry;
    // Lengths keep two neighbours apart, whatever they hold.
    std::string hashed;
    const auto add = [&hashed](std::string_view part) { (hashed += std::to_string(part.size()) + ':') += part; };
    for (const auto& [name, value] : attributes) {
        add(name);
        add(value);
    }
    add(body);
    entry.fingerprint = base::fingerprint(hashed);
    return entry;
}

}  // namespace belfry::codec
