#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "codec/json.hpp"
#include "model/journal_fields.hpp"

// What records of the journal are read with, whether somebody wishes for one or brings one whole.
namespace belfry::codec::journal {

inline constexpr std::int64_t number_max = std::numeric_limits<std::int64_t>::max();

base::Error missing(std::string field);
// A member that is not known, with the one that was probably meant.
base::Error unknown(const JsonReader& reader, std::string_view name, std::span<const std::string_view> known);

base::Result<std::string> read_text(JsonReader& reader, const model::TextRule& rule);
base::Result<std::string> read_id(JsonReader& reader);
// Null: nothing, which only what is not required may be.
base::Result<std::string> read_id_or_nothing(JsonReader& reader, bool required);
base::Result<std::int64_t> read_integer(JsonReader& reader, std::int64_t min, std::int64_t max);
base::Result<base::Timestamp> read_time(JsonReader& reader);
base::Result<std::optional<base::Timestamp>> read_time_or_nothing(JsonReader& reader);
base::Result<model::RawJson> read_object(JsonReader& reader, std::size_t bytes_max);

// Reads the members of an object with `read(name)`. The first error ends it.
template <class Read>
base::Result<void> read_members(JsonReader& reader, Read read) {
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) return {};
        TRY(read(name));
    }
}

// Reads one field of the wish's kind; false: there is none of this name.
base::Result<bool> read_field(JsonReader& reader, std::string_view name, model::JournalWish& wish);
// A member that is neither a field of the kind nor one of those beside them.
base::Error unknown_field(const JsonReader& reader, std::string_view name, model::JournalKind kind,
                          std::initializer_list<std::string_view> beside);
// Whether what a record of this kind cannot be without is there.
base::Result<void> require_fields(const model::JournalWish& wish, model::JournalKind kind);

}  // namespace belfry::codec::journal
