#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "model/journal.hpp"

// Records of the journal as callers write them. Each refusal names the field and what it may hold; a member that is not
// known is refused, with the one that was probably meant.
namespace belfry::codec {

// What somebody wishes a record to be. Null takes away what may be empty.
struct JournalInput {
    std::string id;  // empty: none was named
    std::optional<std::int64_t> revision;
    model::JournalWish wish;
};

// Of a new record what it cannot be without must be there; it has no revision yet, and a change names no id.
enum class JournalPurpose : std::uint8_t { create, change };
base::Result<JournalInput> parse_journal_input(std::string_view text, model::JournalKind kind, JournalPurpose purpose);

// `{"metadata":…,"hidden":…}`: what is not named is nothing.
struct LinkInput {
    model::RawJson metadata;
    bool hidden = false;
};
base::Result<LinkInput> parse_link_input(std::string_view text);

// A line of an export, as model::append_record and append_link write them: whole, with revision, times and tombstone.
base::Result<std::variant<model::JournalRecord, model::Link>> parse_journal_item(std::string_view text);

// What is wrong with it as the id of a record; nothing: it is one.
std::string journal_id_fault(std::string_view id);

}  // namespace belfry::codec
