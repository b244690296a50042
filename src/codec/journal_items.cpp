#include <utility>

#include "codec/journal_fields.hpp"
#include "codec/journal_json.hpp"

namespace belfry::codec {
namespace {

namespace limits = base::limits;
using base::Result;
using model::JournalKind;
using model::TextRule;
using namespace journal;

// What a line of an export has besides its fields.
struct ItemFrame {
    std::optional<std::int64_t> revision;
    std::optional<base::Timestamp> created_at;
    std::optional<base::Timestamp> updated_at;
    std::optional<base::Timestamp> deleted_at;
    std::string user_id;
};

// False: it is none of these.
Result<bool> read_frame_member(JsonReader& reader, std::string_view name, ItemFrame& frame) {
    if (name == "kind") {
        TRY(reader.skip_value());
    } else if (name == "user_id") {
        TRY_ASSIGN(frame.user_id, read_id(reader));
    } else if (name == "revision") {
        TRY_ASSIGN(frame.revision, read_integer(reader, 1, number_max));
    } else if (name == "created_at") {
        TRY_ASSIGN(frame.created_at, read_time(reader));
    } else if (name == "updated_at") {
        TRY_ASSIGN(frame.updated_at, read_time(reader));
    } else if (name == "deleted_at") {
        TRY_ASSIGN(frame.deleted_at, read_time_or_nothing(reader));
    } else {
        return false;
    }
    return true;
}

template <class Item>
Result<void> settle_frame(ItemFrame frame, Item& item) {
    if (!frame.revision) return missing("revision");
    if (!frame.created_at) return missing("created_at");
    if (!frame.updated_at) return missing("updated_at");
    item.revision = *frame.revision;
    item.created_at = *frame.created_at;
    item.updated_at = *frame.updated_at;
    item.deleted_at = frame.deleted_at;
    item.user_id = std::move(frame.user_id);
    return {};
}

Result<model::JournalRecord> read_record(JsonReader& reader, JournalKind kind) {
    model::JournalRecord record;
    ItemFrame frame;
    model::JournalWish wish;
    wish.values = model::empty_body(kind);
    TRY(read_members(reader, [&](std::string_view name) -> Result<void> {
        if (name == "id") {
            TRY_ASSIGN(record.id, read_id(reader));
        } else if (name == "category_id") {
            TRY_ASSIGN(record.category_id, read_id(reader));
        } else if (name == "extension") {
            TRY_ASSIGN(record.extension, read_object(reader, limits::journal_extension_bytes_max));
        } else {
            TRY_ASSIGN(const bool is_framed, read_frame_member(reader, name, frame));
            if (is_framed) return {};
            TRY_ASSIGN(const bool is_field, read_field(reader, name, wish));
            if (!is_field) {
                return unknown_field(reader, name, kind,
                                     {"kind", "id", "user_id", "category_id", "revision", "created_at", "updated_at",
                                      "deleted_at", "extension"});
            }
        }
        return {};
    }));
    if (record.id.empty()) return missing("id");
    if (record.category_id.empty()) return missing("category_id");
    TRY(settle_frame(std::move(frame), record));
    TRY(require_fields(wish, kind));
    record.body = std::move(wish.values);
    return record;
}

Result<std::string> read_relation(JsonReader& reader) {
    return read_text(reader, TextRule{limits::link_relation_chars_max, true});
}

Result<model::Link> read_link(JsonReader& reader) {
    static constexpr std::array<std::string_view, 11> names{"kind",       "user_id",    "relation",  "from_id",
                                                            "to_id",      "metadata",   "hidden",    "revision",
                                                            "created_at", "updated_at", "deleted_at"};
    model::Link link;
    ItemFrame frame;
    TRY(read_members(reader, [&](std::string_view name) -> Result<void> {
        if (name == "relation") {
            TRY_ASSIGN(link.relation, read_relation(reader));
        } else if (name == "from_id") {
            TRY_ASSIGN(link.from_id, read_id(reader));
        } else if (name == "to_id") {
            TRY_ASSIGN(link.to_id, read_id(reader));
        } else if (name == "metadata") {
            TRY_ASSIGN(link.metadata, read_object(reader, limits::link_metadata_bytes_max));
        } else if (name == "hidden") {
            TRY_ASSIGN(link.hidden, reader.read_bool());
        } else {
            TRY_ASSIGN(const bool is_framed, read_frame_member(reader, name, frame));
            if (!is_framed) return unknown(reader, name, names);
        }
        return {};
    }));
    if (link.relation.empty()) return missing("relation");
    if (link.from_id.empty()) return missing("from_id");
    if (link.to_id.empty()) return missing("to_id");
    TRY(settle_frame(std::move(frame), link));
    return link;
}

// Of a line whose members may come in any order.
Result<std::string> kind_of_item(std::string_view text) {
    JsonReader reader(text);
    std::string kind;
    TRY(read_members(reader, [&](std::string_view name) -> Result<void> {
        if (name != "kind") return reader.skip_value();
        TRY_ASSIGN(kind, read_text(reader, TextRule{limits::journal_name_bytes_max, true}));
        return {};
    }));
    TRY(reader.finish());
    return kind;
}
}  // namespace

Result<std::variant<model::JournalRecord, model::Link>> parse_journal_item(std::string_view text) {
    TRY_ASSIGN(const std::string name, kind_of_item(text));
    if (name.empty()) return missing("kind");
    JsonReader reader(text);
    if (name == model::link_kind) {
        TRY_ASSIGN(model::Link link, read_link(reader));
        return std::variant<model::JournalRecord, model::Link>(std::move(link));
    }
    const auto kind = model::parse_journal_kind(name);
    if (!kind) return base::error(base::Code::invalid, "is no kind of record, and no link", "kind");
    TRY_ASSIGN(model::JournalRecord record, read_record(reader, *kind));
    return std::variant<model::JournalRecord, model::Link>(std::move(record));
}

}  // namespace belfry::codec
