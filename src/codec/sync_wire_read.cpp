#include <algorithm>

#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "base/wake_limits.hpp"
#include "codec/sync_wire_parts.hpp"

namespace belfry::codec {
namespace {

namespace limits = base::limits;
using model::ConcurrentValue;
using model::CounterRange;
using model::RecordKnowledge;
using model::Stamp;
using model::SyncEntry;
using model::SyncFrame;
using model::SyncRecord;
using model::SyncUnit;

constexpr std::size_t kind_bytes_max = 100;
// Beside each record there may be the notes of its merges.
constexpr std::size_t entries_max = 2 * limits::sync_frame_records_max;
constexpr std::size_t packed_bytes_max = limits::scope_id_bytes_max + 1;

base::Error too_large(const JsonReader& reader, std::string message) {
    base::Error error = reader.invalid(std::move(message));
    error.code = base::Code::too_large;
    return error;
}

// What stands at a place of a table.
template <class T>
base::Result<const T*> read_place(JsonReader& reader, const std::vector<T>& table) {
    std::uint64_t place = 0;
    TRY(read_natural(reader, place));
    if (place >= table.size()) return reader.invalid("is no place of the frame's tables");
    return &table[place];
}

base::Result<void> read_host(JsonReader& reader, const FrameTables& tables, std::string& to) {
    TRY_ASSIGN(const std::string* host, read_place(reader, tables.hosts));
    to = *host;
    return {};
}

base::Result<void> read_id(JsonReader& reader, std::string& to) {
    std::string packed;
    TRY(read_text(reader, packed_bytes_max, packed));
    auto id = unpacked_id(packed);
    if (!id) return reader.invalid("is no id");
    to = std::move(*id);
    return {};
}

base::Result<void> read_tables(JsonReader& reader, std::string_view name, FrameTables& tables) {
    if (name == "h") {
        return read_list(reader, limits::sync_hosts_max, [&]() -> base::Result<void> {
            TRY(read_text(reader, limits::host_bytes_max, tables.hosts.emplace_back()));
            if (!model::is_host_name(tables.hosts.back())) return reader.invalid("is no host");
            return {};
        });
    }
    return read_list(reader, entries_max, [&]() -> base::Result<void> {
        FrameTables::Head& head = tables.heads.emplace_back();
        std::size_t part = 0;
        const auto next_part = [&]() -> base::Result<void> {
            return part++ == 0 ? read_text(reader, kind_bytes_max, head.kind)
                               : read_text(reader, limits::scope_id_bytes_max, head.user_id);
        };
        TRY(read_list(reader, 2, next_part));
        if (part != 2) return reader.invalid("must be a kind and a user");
        return {};
    });
}

base::Result<void> read_ranges(JsonReader& reader, const FrameTables& tables, std::vector<CounterRange>& ranges) {
    return read_list(reader, limits::sync_ranges_max, [&]() -> base::Result<void> {
        CounterRange range;
        std::size_t part = 0;
        const auto next_part = [&]() -> base::Result<void> {
            if (part++ == 0) return read_host(reader, tables, range.host);
            return read_natural(reader, part == 2 ? range.from : range.to);
        };
        TRY(read_list(reader, 3, next_part));
        if (part != 3 || range.from == 0 || range.to < range.from) {
            return reader.invalid("must be a host and the first and the last of its counters");
        }
        ranges.push_back(std::move(range));
        return {};
    });
}

base::Result<void> read_units(JsonReader& reader, const SyncFrame& frame, std::vector<SyncUnit>& units) {
    std::uint64_t last = frame.after;
    bool is_whole = true;
    const auto next_number = [&]() -> base::Result<void> {
        std::uint64_t value = 0;
        TRY(read_natural(reader, value));
        is_whole = !is_whole;
        if (!is_whole) {
            if (value == 0 || value > frame.through - last) return reader.invalid("is no counter of this frame");
            last += value;
            units.push_back({last, 0, false});
            return {};
        }
        if (value / 2 >= frame.batches.size()) return reader.invalid("is no batch of this frame");
        units.back().batch = static_cast<std::uint32_t>(value / 2);
        units.back().quiet = value % 2 == 1;
        return {};
    };
    TRY(read_list(reader, 2 * limits::sync_frame_units_max, next_number));
    if (!is_whole) return reader.invalid("must be pairs of a counter and a batch");
    return {};
}

// Reads what stands behind the body of an entry.
class KnowledgeReader {
public:
    KnowledgeReader(JsonReader& reader, const FrameTables& tables, SyncRecord& record)
        : reader_(reader), tables_(tables), record_(record), knowledge_(record.knowledge) {}

    base::Result<void> read_clock() {
        std::string host;
        bool is_pair = true;
        const auto next_part = [&]() -> base::Result<void> {
            is_pair = !is_pair;
            if (!is_pair) return read_host(reader_, tables_, host);
            std::uint64_t counter = 0;
            TRY(read_natural(reader_, counter));
            return knowledge_.clock.raise(host, counter);
        };
        TRY(read_list(reader_, 2 * limits::clock_hosts_max, next_part));
        if (!is_pair) return reader_.invalid("must be pairs of a host and a counter");
        return {};
    }

    base::Result<void> read_stamps() {
        Stamp rest;
        bool has_rest = false;
        const auto next_group = [&]() -> base::Result<void> {
            Stamp stamp;
            bool is_named = false;
            const auto next_name = [&]() -> base::Result<void> {
                is_named = true;
                std::string name;
                TRY(read_text(reader_, limits::sync_record_bytes_max, name));
                knowledge_.stamps.insert_or_assign(std::move(name), stamp);
                return {};
            };
            TRY(read_stamped(limits::sync_fields_max, stamp, next_name));
            if (is_named) return {};
            if (has_rest) return reader_.invalid("names no fields, as another does");
            has_rest = true;
            rest = stamp;
            return {};
        };
        TRY(read_list(reader_, limits::sync_fields_max, next_group));
        if (has_rest) give_rest(rest);
        if (knowledge_.stamps.size() > limits::sync_fields_max) return too_large(reader_, "has too many fields");
        return {};
    }

    base::Result<void> read_concurrent() {
        TRY(reader_.begin_object());
        std::string_view name;
        for (;;) {
            TRY_ASSIGN(const bool more, reader_.next_field(name));
            if (!more) return {};
            if (knowledge_.concurrent.size() == limits::sync_fields_max) {
                return too_large(reader_, "has too many fields");
            }
            std::vector<ConcurrentValue>& values = knowledge_.concurrent[std::string(name)];
            TRY(read_list(reader_, limits::sync_concurrent_max,
                          [&]() -> base::Result<void> { return read_value(values.emplace_back()); }));
        }
    }

private:
    // A stamp, and after it so many of what `read` reads.
    template <class Read>
    base::Result<void> read_stamped(std::size_t count_max, Stamp& stamp, Read&& read) {
        int part = 0;
        const auto next_part = [&]() -> base::Result<void> {
            ++part;
            if (part == 1) {
                TRY(read_natural(reader_, stamp.version));
                if (stamp.version == 0) ++part;  // which has no host
                return {};
            }
            if (part == 2) return read_host(reader_, tables_, stamp.host);
            return part == 3 ? read_natural(reader_, stamp.counter) : read();
        };
        TRY(read_list(reader_, count_max + 3, next_part));
        if (part < 3 || !model::is_stamp(stamp)) return reader_.invalid("has no stamp");
        return {};
    }

    base::Result<void> read_value(ConcurrentValue& value) {
        int count = 0;
        const auto next_value = [&]() -> base::Result<void> {
            ++count;
            TRY_ASSIGN(const JsonSpan span, reader_.raw_value());
            value.value = span.compact();
            return {};
        };
        TRY(read_stamped(1, value.stamp, next_value));
        if (count != 1) return reader_.invalid("must be a stamp and a value");
        return {};
    }

    void give_rest(const Stamp& rest) {
        model::JsonWalker members(record_.body.view());
        std::string_view raw_name;
        while (members.next(&raw_name)) {
            knowledge_.stamps.emplace(model::JsonView{{raw_name.data() - 1, raw_name.size() + 2}}.as_text(), rest);
        }
    }

    JsonReader& reader_;
    const FrameTables& tables_;
    SyncRecord& record_;
    RecordKnowledge& knowledge_;
};

base::Result<void> read_body(JsonReader& reader, SyncRecord& record) {
    TRY_ASSIGN(const model::JsonKind kind, reader.peek());
    if (kind != model::JsonKind::object) return reader.invalid("must be an object");
    TRY_ASSIGN(const JsonSpan span, reader.raw_value());
    if (span.text.size() > limits::sync_record_bytes_max) return too_large(reader, "a record has at most 4 MiB");
    record.body = span.compact();
    return {};
}

// A clock, or a number in place of one that goes without saying.
base::Result<void> read_entry_clock(JsonReader& reader, KnowledgeReader& knowledge, bool& is_derived) {
    TRY_ASSIGN(const model::JsonKind kind, reader.peek());
    if (kind == model::JsonKind::number) return reader.skip_value();
    is_derived = false;
    return knowledge.read_clock();
}

base::Result<void> read_page(JsonReader& reader, std::string_view name, SyncFrame& frame, bool& is_known) {
    if (name == "c") return read_text(reader, sync_cursor_bytes_max, frame.cursor);
    if (name == "n") return read_text(reader, sync_cursor_bytes_max, frame.next_cursor);
    if (name == "v") return read_clock(reader, frame.cover);
    is_known = false;
    return {};
}

base::Result<void> read_changes(JsonReader& reader, std::string_view name, SyncFrame& frame, bool& is_known) {
    if (name == "a") return read_natural(reader, frame.after);
    if (name == "t") return read_natural(reader, frame.through);
    if (name == "b") {
        return read_list(reader, limits::sync_frame_units_max,
                         [&] { return read_id(reader, frame.batches.emplace_back()); });
    }
    is_known = false;
    return {};
}

base::Result<void> read_entries(JsonReader& reader, const FrameTables& tables, SyncFrame& frame) {
    if (frame.through < frame.after) return reader.invalid("is of a frame that ends before it begins");
    std::size_t units = 0;
    return read_list(reader, entries_max, [&]() -> base::Result<void> {
        TRY(read_entry(reader, tables, frame));
        units += frame.entries.back().units.size();
        if (units > limits::sync_frame_units_max) return too_large(reader, "a frame has too many changes");
        return {};
    });
}

}  // namespace

base::Result<void> read_natural(JsonReader& reader, std::uint64_t& to) {
    TRY_ASSIGN(const std::int64_t number, reader.read_integer());
    if (number < 0) return reader.invalid("must not be below zero");
    to = static_cast<std::uint64_t>(number);
    return {};
}

base::Result<void> read_text(JsonReader& reader, std::size_t bytes_max, std::string& to) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    if (text.size() > bytes_max) return too_large(reader, "has at most " + std::to_string(bytes_max) + " bytes");
    to = text;
    return {};
}

base::Result<void> read_clock(JsonReader& reader, model::VectorClock& to) {
    TRY_ASSIGN(const JsonSpan span, reader.raw_value());
    const model::RawJson json = span.compact();
    TRY_ASSIGN(to, model::VectorClock::parse(json.view()));
    return {};
}

base::Result<void> read_entry(JsonReader& reader, const FrameTables& tables, SyncFrame& frame) {
    SyncEntry& entry = frame.entries.emplace_back();
    SyncRecord& record = entry.record;
    KnowledgeReader knowledge(reader, tables, record);
    std::size_t part = 0;
    bool is_derived = true;
    const auto next_part = [&]() -> base::Result<void> {
        switch (part++) {
            case 0: {
                TRY_ASSIGN(const FrameTables::Head* head, read_place(reader, tables.heads));
                record.kind = head->kind;
                record.user_id = head->user_id;
                return {};
            }
            case 1: return read_id(reader, record.id);
            case 2: return read_units(reader, frame, entry.units);
            case 3: return read_body(reader, record);
            case 4: return read_entry_clock(reader, knowledge, is_derived);
            case 5: return knowledge.read_stamps();
            default: return knowledge.read_concurrent();
        }
    };
    TRY(read_list(reader, 7, next_part));
    if (part < 4) return reader.invalid("must have a kind, an id, changes and a body");
    if (is_derived && !entry.units.empty()) {
        TRY(record.knowledge.clock.raise(frame.host, entry.units.back().counter));
    }
    return {};
}

base::Result<void> read_frame(JsonReader& reader, SyncFrame& frame) {
    FrameTables tables;
    bool is_page = true;
    bool has_entries = false;
    const auto next_member = [&](std::string_view name) -> base::Result<bool> {
        if (has_entries) return false;
        has_entries = name == "e";
        bool is_known = true;
        if (name == "h" || name == "k") TRY(read_tables(reader, name, tables));
        else if (name == "g") TRY(read_ranges(reader, tables, frame.gone));
        else if (name == "f") TRY(read_ranges(reader, tables, frame.gone_for_good));
        else if (name == "x") TRY(read_ranges(reader, tables, frame.erased));
        else if (has_entries) TRY(read_entries(reader, tables, frame));
        else if (name == "c" || name == "n" || name == "v") TRY(read_page(reader, name, frame, is_known));
        else TRY(read_changes(reader, name, frame, is_known));
        if (name == "t") is_page = false;
        // The first host is whose changes these are; it must stand before the records that leave it out.
        if (!is_page && frame.host.empty() && !tables.hosts.empty()) frame.host = tables.hosts.front();
        return is_known;
    };
    TRY(read_object(reader, next_member));
    if (!has_entries) return reader.invalid("must have its records at its end");
    return {};
}

}  // namespace belfry::codec
