#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "codec/json.hpp"

namespace belfry::net {

// Reads every member of a call's parameters with `read(reader, name)`, where its name is one of these; null counts as
// left out. The error's message is a whole sentence about its field.
template <class Read>
base::Result<void> read_params(std::string_view params, std::initializer_list<std::string_view> names, Read&& read) {
    if (params.empty()) return {};
    codec::JsonReader reader(params);
    const auto read_all = [&]() -> base::Result<void> {
        TRY(reader.begin_object());
        std::string_view name;
        for (;;) {
            TRY_ASSIGN(const bool more, reader.next_field(name));
            if (!more) return reader.finish();
            if (std::ranges::find(names, name) == names.end()) return reader.invalid("is not known");
            TRY_ASSIGN(const bool absent, reader.take_null());
            if (!absent) TRY(read(reader, name));
        }
    };
    auto done = read_all();
    if (done.ok()) return done;
    base::Error error = std::move(done).error();
    if (error.field.empty()) error.field = "params";
    error.message = error.field + " " + error.message;
    return error;
}

// The id of a user, a session or an agent.
inline base::Result<std::string> read_id_param(codec::JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    if (text.empty() || text.size() > base::limits::scope_id_bytes_max) {
        return reader.invalid("must have 1 to " + std::to_string(base::limits::scope_id_bytes_max) + " bytes");
    }
    return std::string(text);
}

inline base::Error missing_param(const std::string& field) {
    return base::error(base::Code::invalid, field + " must be given", field);
}

}  // namespace belfry::net
