#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "codec/event_bodies.hpp"
#include "codec/json.hpp"
#include "model/event.hpp"

// CloudEvents 1.0. By name: type, source and id (all required) as they are, time → timestamp, data → payload (an
// object as it is, any other value as {"data": value}), data_base64 → {"data_base64": "…"}; the extension attributes
// severity, userid, sessionid, runid (a string or an integer), agentid and dedupekey become the event's own. All other
// attributes, subject, dataschema and datacontenttype among them, survive in Event::extensions; one that is called like
// a member of an event (payload, timestamp, tokens) gets the prefix `ce_`, which no attribute can have.
namespace belfry::codec {

// One less than JSON may have otherwise, because data may be wrapped.
inline constexpr std::size_t cloudevent_depth_max = base::limits::json_depth_max - 1;

// The structured mode: one object of application/cloudevents+json, which comes next in a text; see read_event.
base::Result<void> read_cloudevent(JsonReader& reader, base::Result<model::Event>& event);

// The binary mode. Header names may be of any case.
using Header = std::pair<std::string_view, std::string_view>;

// A request is in binary mode when it has a header ce-specversion.
bool is_binary_cloudevent(std::span<const Header> headers);

// Attributes from the `ce-` headers (quotes and percent-encoding resolved as the HTTP binding demands), data from the
// body: JSON where Content-Type says so or is missing, a text where it is a text, base64 otherwise; no body, no data.
// The fingerprint is of attributes and body, in whatever order the headers came.
ParsedEntry parse_binary_cloudevent(std::span<const Header> headers, std::string_view body);

}  // namespace belfry::codec
