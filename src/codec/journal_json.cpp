#include "codec/journal_json.hpp"

#include <utility>

#include "base/characters.hpp"
#include "codec/journal_fields.hpp"
#include "codec/utf8.hpp"

namespace belfry::codec {

namespace limits = base::limits;
using base::Result;
using model::JournalKind;
using namespace journal;

std::string journal_id_fault(std::string_view id) {
    if (id.empty()) return "must not be empty";
    if (id.size() > limits::journal_id_bytes_max)
        return "must have at most " + std::to_string(limits::journal_id_bytes_max) + " bytes";
    if (!is_utf8(id)) return "must be UTF-8";
    return base::has_harmful(id) ? "must not contain control characters" : "";
}

Result<JournalInput> parse_journal_input(std::string_view text, JournalKind kind, JournalPurpose purpose) {
    const bool is_new = purpose == JournalPurpose::create;
    JournalInput input;
    input.wish.values = model::empty_body(kind);
    JsonReader reader(text);
    TRY(read_members(reader, [&](std::string_view name) -> Result<void> {
        if (name == "id" && is_new) {
            TRY_ASSIGN(input.id, read_id_or_nothing(reader, false));
        } else if (name == "revision" && !is_new) {
            TRY_ASSIGN(const bool is_null, reader.take_null());
            if (is_null) return {};
            TRY_ASSIGN(input.revision, read_integer(reader, 1, number_max));
        } else if (name == "category_id") {
            // Every record has one: null says nothing.
            TRY_ASSIGN(std::string id, read_id_or_nothing(reader, false));
            if (!id.empty()) input.wish.category_id = std::move(id);
        } else if (name == "extension") {
            TRY_ASSIGN(input.wish.extension, read_object(reader, limits::journal_extension_bytes_max));
        } else {
            TRY_ASSIGN(const bool is_field, read_field(reader, name, input.wish));
            if (!is_field) {
                return unknown_field(reader, name, kind, {is_new ? "id" : "revision", "category_id", "extension"});
            }
        }
        return {};
    }));
    TRY(reader.finish());
    if (is_new) TRY(require_fields(input.wish, kind));
    return input;
}

Result<LinkInput> parse_link_input(std::string_view text) {
    static constexpr std::array<std::string_view, 2> names{"metadata", "hidden"};
    LinkInput input;
    JsonReader reader(text);
    TRY(read_members(reader, [&](std::string_view name) -> Result<void> {
        if (name == "metadata") {
            TRY_ASSIGN(input.metadata, read_object(reader, limits::link_metadata_bytes_max));
        } else if (name == "hidden") {
            TRY_ASSIGN(input.hidden, reader.read_bool());
        } else {
            return unknown(reader, name, names);
        }
        return {};
    }));
    TRY(reader.finish());
    return input;
}

}  // namespace belfry::codec
