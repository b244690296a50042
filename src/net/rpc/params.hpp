#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "codec/json.hpp"

namespace belfry::net {

// Reads every member of a call's parameters with `read(reader, name)`; null counts as left out. The error's message is
// a whole sentence about its field.
template <class Read>
base::Result<void> read_params(std::string_view params, Read&& read) {
    if (params.empty()) return {};
    codec::JsonReader reader(params);
    const auto read_all = [&]() -> base::Result<void> {
        TRY(reader.begin_object());
        std::string_view name;
        for (;;) {
            TRY_ASSIGN(const bool more, reader.next_field(name));
            if (!more) return reader.finish();
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

inline base::Error missing_param(const std::string& field) {
    return base::error(base::Code::invalid, field + " must be given", field);
}

}  // namespace belfry::net
