#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"
#include "codec/json.hpp"
#include "model/raw_json.hpp"
#include "net/exchange.hpp"

// How the handlers read JSON bodies: strictly, and with a refusal that names the field and what it may hold.
namespace belfry::net::handlers {

base::Error unknown(const codec::JsonReader& reader);
base::Error missing(std::string field);

// Reads every member of the object that comes next with `read(name)`, which refuses names that it does not know with
// `unknown`, whatever their value. A member that is null counts as left out: that `read` finds nothing that it could
// take there is no error. One that takes any value has to leave out null itself.
template <class Read>
base::Result<void> read_members(codec::JsonReader& reader, Read&& read) {
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) return {};
        TRY_ASSIGN(const model::JsonKind kind, reader.peek());
        base::Result<void> done = read(name);
        const bool left_out = kind == model::JsonKind::null && !done.ok() && done.error() != unknown(reader);
        if (!left_out) TRY(std::move(done));
    }
}

// The same for a whole body.
template <class Read>
base::Result<void> read_body(codec::JsonReader& reader, Read&& read) {
    TRY(read_members(reader, read));
    return reader.finish();
}

// A body of which nothing is needed may be left out.
template <class Read>
base::Result<void> read_optional_body(const wire::Request& request, Read&& read) {
    codec::JsonReader reader(request.body.empty() ? std::string_view("{}") : request.body);
    return read_body(reader, [&](std::string_view name) { return read(reader, name); });
}

// A text of so many bytes.
base::Result<std::string> read_text(codec::JsonReader& reader, std::size_t bytes_min, std::size_t bytes_max);
// The id of a user, a session or an agent: up to limits::scope_id_bytes_max bytes without control characters.
base::Result<std::string> read_scope_id(codec::JsonReader& reader);
base::Result<std::int64_t> read_integer(codec::JsonReader& reader, std::int64_t min, std::int64_t max);
// How long to hold, in seconds: from one up to limits::lease_max.
base::Result<base::Duration> read_lease_s(codec::JsonReader& reader);
base::Result<base::Uuid> read_uuid(codec::JsonReader& reader);
// An object of at most so many bytes, as it came.
base::Result<model::RawJson> read_json_object(codec::JsonReader& reader, std::size_t bytes_max);

// The id that stood in the path, under the same rules as in a body.
base::Result<std::string> scope_id_of_path(const Exchange& exchange, const char* field);

}  // namespace belfry::net::handlers
