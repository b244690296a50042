#include "codec/journal_fields.hpp"

#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "base/date.hpp"
#include "base/nearest.hpp"
#include "codec/journal_json.hpp"
#include "model/record_json.hpp"

namespace belfry::codec::journal {
namespace {

namespace limits = base::limits;
using base::Result;
using model::FieldRule;
using model::IntegerRule;
using model::JournalKind;
using model::TextRule;

std::string size_text(std::size_t bytes_max) {
    return "must have at most " + std::to_string(bytes_max) + " bytes";
}

template <class Names>
std::string names_text(const Names& names) {
    std::string text = "must be ";
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
        text += names[i];
    }
    return text;
}

// Reads the elements of an array with `read()`; null is one without elements.
template <class Read>
Result<void> read_elements(JsonReader& reader, std::size_t count_max, Read read) {
    TRY_ASSIGN(const bool is_null, reader.take_null());
    if (is_null) return {};
    TRY(reader.begin_array());
    for (std::size_t count = 0;; ++count) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return {};
        if (count == count_max) {
            return reader.invalid("is one too many; at most " + std::to_string(count_max) + " entries are allowed");
        }
        TRY(read());
    }
}

constexpr TextRule block_note_rule{limits::journal_title_bytes_max, false, false, true};

Result<model::PlanBlock> read_block(JsonReader& reader) {
    static constexpr std::array<std::string_view, 6> names{"id",     "category_id", "start_at",
                                                           "end_at", "note",        "task_id"};
    model::PlanBlock block;
    bool has_start = false;
    bool has_end = false;
    TRY(read_members(reader, [&](std::string_view name) -> Result<void> {
        if (name == "id") {
            TRY_ASSIGN(block.id, read_id_or_nothing(reader, false));
        } else if (name == "category_id") {
            TRY_ASSIGN(block.category_id, read_id_or_nothing(reader, false));
        } else if (name == "start_at") {
            TRY_ASSIGN(block.start_at, read_time(reader));
            has_start = true;
        } else if (name == "end_at") {
            TRY_ASSIGN(block.end_at, read_time(reader));
            has_end = true;
        } else if (name == "note") {
            TRY_ASSIGN(const bool is_null, reader.take_null());
            if (is_null) return {};
            TRY_ASSIGN(block.note, read_text(reader, block_note_rule));
        } else if (name == "task_id") {
            TRY_ASSIGN(block.task_id, read_id_or_nothing(reader, false));
        } else {
            return unknown(reader, name, names);
        }
        return {};
    }));
    if (!has_start) return reader.invalid("must have a start_at");
    if (!has_end) return reader.invalid("must have an end_at");
    return block;
}

// Reads one member into the body that it is a field of.
template <class T>
class FieldReader {
public:
    FieldReader(JsonReader& reader, std::string_view wanted, T& body) : reader_(reader), wanted_(wanted), body_(body) {}

    // The place of the field that was read; nothing: there is no such field.
    [[nodiscard]] std::optional<unsigned> place() const { return found_; }
    [[nodiscard]] Result<void> outcome() && { return std::move(outcome_); }

    void text(std::string_view name, std::string T::* member, const TextRule& rule) {
        take(name, !rule.required, member, [&] { return read_text(reader_, rule); });
    }
    void date(std::string_view name, std::string T::* member, const FieldRule& rule) {
        take(name, !rule.required, member, [&]() -> Result<std::string> {
            TRY_ASSIGN(const std::string_view text, reader_.read_string());
            if (!base::parse_date(text)) return reader_.invalid("must be a date such as 2026-11-16");
            return std::string(text);
        });
    }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::* member, const std::array<std::string_view, count>& names,
                const FieldRule&) {
        take(name, false, member, [&]() -> Result<Enum> {
            TRY_ASSIGN(const std::string_view text, reader_.read_string());
            const auto value = model::parse_choice<Enum>(names, text);
            if (!value) return reader_.invalid(names_text(names));
            return *value;
        });
    }
    void integer(std::string_view name, std::int64_t T::* member, const IntegerRule& rule) {
        take(name, false, member, [&] { return read_integer(reader_, rule.min, rule.max); });
    }
    void integer(std::string_view name, std::optional<std::int64_t> T::* member, const IntegerRule& rule) {
        take(name, true, member, [&] { return read_integer(reader_, rule.min, rule.max); });
    }
    void flag(std::string_view name, bool T::* member) {
        take(name, false, member, [&] { return reader_.read_bool(); });
    }
    void time(std::string_view name, base::Timestamp T::* member) {
        take(name, false, member, [&] { return read_time(reader_); });
    }
    void time(std::string_view name, std::optional<base::Timestamp> T::* member) {
        take(name, true, member, [&] { return read_time(reader_); });
    }
    void reference(std::string_view name, std::string T::* member, JournalKind, const FieldRule& rule) {
        take(name, !rule.required, member, [&] { return read_id(reader_); });
    }
    void references(std::string_view name, std::vector<std::string> T::* member, JournalKind) {
        take(name, true, member, [&]() -> Result<std::vector<std::string>> {
            std::vector<std::string> ids;
            TRY(read_elements(reader_, limits::journal_list_max, [&]() -> Result<void> {
                TRY_ASSIGN(std::string id, read_id(reader_));
                ids.push_back(std::move(id));
                return {};
            }));
            return ids;
        });
    }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::* member) {
        take(name, true, member, [&]() -> Result<std::vector<model::PlanBlock>> {
            std::vector<model::PlanBlock> all;
            TRY(read_elements(reader_, limits::journal_blocks_max, [&]() -> Result<void> {
                TRY_ASSIGN(model::PlanBlock block, read_block(reader_));
                all.push_back(std::move(block));
                return {};
            }));
            return all;
        });
    }

private:
    template <class Member, class Read>
    void take(std::string_view name, bool may_be_empty, Member T::* member, Read read) {
        const unsigned place = next_++;
        if (name != wanted_) return;
        found_ = place;
        outcome_ = take_value(may_be_empty, body_.*member, read);
    }
    template <class Member, class Read>
    Result<void> take_value(bool may_be_empty, Member& member, Read read) {
        if (may_be_empty) {
            TRY_ASSIGN(const bool is_null, reader_.take_null());
            if (is_null) {
                member = Member{};
                return {};
            }
        }
        TRY_ASSIGN(member, read());
        return {};
    }

    JsonReader& reader_;
    std::string_view wanted_;
    T& body_;
    unsigned next_ = 0;
    std::optional<unsigned> found_;
    Result<void> outcome_;
};

// The names of a kind's fields, and which of them must be there.
template <class T>
class FieldNames {
public:
    void text(std::string_view name, std::string T::*, const TextRule& rule) { add(name, rule.required); }
    void date(std::string_view name, std::string T::*, const FieldRule& rule) { add(name, rule.required); }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::*, const std::array<std::string_view, count>&, const FieldRule& rule) {
        add(name, rule.required);
    }
    template <class Number>
    void integer(std::string_view name, Number T::*, const IntegerRule& rule) {
        add(name, rule.required);
    }
    void flag(std::string_view name, bool T::*) { add(name, false); }
    template <class Time>
    void time(std::string_view name, Time T::*) {
        add(name, false);
    }
    void reference(std::string_view name, std::string T::*, JournalKind, const FieldRule& rule) {
        add(name, rule.required);
    }
    void references(std::string_view name, std::vector<std::string> T::*, JournalKind) { add(name, false); }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::*) { add(name, false); }

    std::vector<std::string_view> all;
    std::vector<bool> required;

private:
    void add(std::string_view name, bool is_required) {
        all.push_back(name);
        required.push_back(is_required);
    }
};

template <class T>
FieldNames<T> field_names(std::type_identity<T> type) {
    FieldNames<T> names;
    model::describe(names, type);
    return names;
}

}  // namespace

base::Error missing(std::string field) {
    return base::error(base::Code::invalid, "must be given", std::move(field));
}

base::Error unknown(const JsonReader& reader, std::string_view name, std::span<const std::string_view> known) {
    const std::string meant = base::nearest(name, known);
    return reader.invalid(meant.empty() ? "is not known" : "is not known; did you mean " + meant + "?");
}

Result<std::string> read_text(JsonReader& reader, const TextRule& rule) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    if (rule.required && text.empty()) return reader.invalid("must not be empty");
    if (text.size() > rule.bytes_max) return reader.invalid(size_text(rule.bytes_max));
    if (!rule.lines && base::has_harmful(text)) return reader.invalid("must not contain control characters");
    return std::string(text);
}

Result<std::string> read_id(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view id, reader.read_string());
    if (std::string fault = journal_id_fault(id); !fault.empty()) return reader.invalid(std::move(fault));
    return std::string(id);
}

Result<std::string> read_id_or_nothing(JsonReader& reader, bool required) {
    if (!required) {
        TRY_ASSIGN(const bool is_null, reader.take_null());
        if (is_null) return std::string();
    }
    return read_id(reader);
}

Result<std::int64_t> read_integer(JsonReader& reader, std::int64_t min, std::int64_t max) {
    TRY_ASSIGN(const std::int64_t number, reader.read_integer());
    if (number >= min && number <= max) return number;
    if (max == number_max) return reader.invalid("must be at least " + std::to_string(min));
    return reader.invalid("must lie between " + std::to_string(min) + " and " + std::to_string(max));
}

Result<base::Timestamp> read_time(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const auto time = base::parse_timestamp(text);
    if (!time)
        return reader.invalid("must be an ISO 8601 time with an offset, from 1970 on, such as 2026-11-16T08:30:00Z");
    return *time;
}

Result<std::optional<base::Timestamp>> read_time_or_nothing(JsonReader& reader) {
    TRY_ASSIGN(const bool is_null, reader.take_null());
    if (is_null) return std::optional<base::Timestamp>();
    TRY_ASSIGN(const base::Timestamp time, read_time(reader));
    return std::optional(time);
}

Result<model::RawJson> read_object(JsonReader& reader, std::size_t bytes_max) {
    TRY_ASSIGN(const bool is_null, reader.take_null());
    if (is_null) return model::RawJson();
    TRY_ASSIGN(const model::JsonKind kind, reader.peek());
    if (kind != model::JsonKind::object) return reader.invalid("must be an object");
    TRY_ASSIGN(const JsonSpan span, reader.raw_value());
    model::RawJson object = span.compact();
    if (object.bytes().size() > bytes_max) return reader.invalid(size_text(bytes_max));
    return object;
}

Result<bool> read_field(JsonReader& reader, std::string_view name, model::JournalWish& wish) {
    return std::visit(
        [&]<class T>(T& body) -> Result<bool> {
            FieldReader<T> fields(reader, name, body);
            model::describe(fields, std::type_identity<T>{});
            const std::optional<unsigned> place = fields.place();
            if (!place) return false;
            TRY(std::move(fields).outcome());
            wish.given |= 1U << *place;
            return true;
        },
        wish.values);
}

base::Error unknown_field(const JsonReader& reader, std::string_view name, JournalKind kind,
                          std::initializer_list<std::string_view> beside) {
    std::vector<std::string_view> known = model::with_kind(kind, [](auto type) { return field_names(type).all; });
    known.insert(known.end(), beside);
    return unknown(reader, name, known);
}

Result<void> require_fields(const model::JournalWish& wish, JournalKind kind) {
    return model::with_kind(kind, [&](auto type) -> Result<void> {
        const auto names = field_names(type);
        for (std::size_t i = 0; i < names.all.size(); ++i) {
            if (names.required[i] && (wish.given >> i & 1U) == 0) return missing(std::string(names.all[i]));
        }
        return {};
    });
}

}  // namespace belfry::codec::journal
