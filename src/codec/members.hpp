#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "codec/json.hpp"

namespace belfry::codec {

// Reads every member of the object that comes next with `read(name)`. Only text that is no JSON ends the reading: the
// first other error is kept in `refusal`, and the reader ends up behind the object all the same.
template <class Read>
base::Result<void> read_members(JsonReader& reader, std::optional<base::Error>& refusal, Read&& read) {
    const auto note = [&refusal](base::Error error) {
        if (!refusal) refusal = std::move(error);
    };
    if (auto begun = reader.begin_object(); !begun.ok()) {
        if (begun.error().code == base::Code::malformed) return begun;
        note(std::move(begun).error());
        return reader.skip_value();
    }
    const std::size_t depth = reader.depth();
    std::string_view name;
    for (;;) {
        auto more = reader.next_field(name);
        if (more.ok() && !*more) return {};
        auto outcome = more.ok() ? read(name) : base::Result<void>(std::move(more).error());
        if (outcome.ok()) continue;
        if (outcome.error().code == base::Code::malformed) return outcome;
        note(std::move(outcome).error());
        TRY(reader.leave_to(depth));
    }
}

}  // namespace belfry::codec
