#include "store/find_event.hpp"

#include "store/log_layout.hpp"

namespace belfry::store {
namespace {

constexpr base::Duration looked_through = base::seconds(1);
// A clock that is set back all the time must not make a question cost the whole log.
constexpr std::size_t steps_looked_at_max = 1000;
constexpr Sql select_clock_steps{"SELECT first_position FROM clock_steps ORDER BY first_position DESC LIMIT $1"};

const ClassStatements& events_log() {
    return statements_of(model::RetentionClass::events);
}

base::Timestamp time_of(const base::Uuid& id) {
    std::int64_t ms = 0;
    for (std::size_t i = 0; i < 6; ++i) ms = ms << 8U | id.bytes[i];
    return base::Timestamp{ms * 1000};
}

// A block's place and time; position 0: there is none.
struct Place {
    model::Position position = 0;
    base::Timestamp committed_at;
};

base::Result<Place> first_from(Database& database, model::Position from) {
    Place place;
    TRY(database.run(events_log().time_from, {number(from)}, [&](const Row& row) {
        place = {static_cast<model::Position>(row.number(0)), base::Timestamp{row.number(1)}};
    }));
    return place;
}

// Blocks from `begin` up to `end`, whose times only grow.
struct Span {
    model::Position begin = 0;
    model::Position end = 0;
};

// The spans of the log, newest first. A step of the clock back begins another one.
base::Result<std::vector<Span>> spans_of(Database& database) {
    Span newest;
    TRY(database.run(events_log().last_block, {},
                     [&](const Row& row) { newest.end = static_cast<model::Position>(row.number(0)) + 1; }));
    std::vector<Span> spans{newest};
    TRY(database.run(select_clock_steps, {number(std::uint64_t{steps_looked_at_max})}, [&](const Row& row) {
        const auto begin = static_cast<model::Position>(row.number(0));
        spans.back().begin = begin;
        spans.push_back({0, begin});
    }));
    return spans;
}

// The position of the first block of the span that was not committed before `time`, or the end of the span.
base::Result<model::Position> position_at(Database& database, const Span& span, base::Timestamp time) {
    model::Position low = span.begin;
    model::Position high = span.end;
    while (low < high) {
        const model::Position middle = low + (high - low) / 2;
        TRY_ASSIGN(const Place place, first_from(database, middle));
        const bool is_before = place.position != 0 && place.position < span.end && place.committed_at < time;
        if (is_before) low = place.position + 1;
        else high = middle;
    }
    return low;
}

std::optional<ports::FoundEvent> look_in(const model::Block& block, const std::string& id) {
    for (const model::LogEntry& entry : block.entries) {
        if (entry.body.find(id) == std::string_view::npos) continue;
        const auto member = model::JsonView{entry.body}.member("id");
        if (!member || member->as_text() != id) continue;
        return ports::FoundEvent{entry.sequence, block.committed_at, std::string(entry.body)};
    }
    return std::nullopt;
}

base::Result<std::optional<ports::FoundEvent>> find_in(Database& database, const Span& span, const base::Uuid& id) {
    const base::Timestamp time = time_of(id);
    const std::string text = base::format_uuid(id);
    TRY_ASSIGN(model::Position at, position_at(database, span, time));
    for (;;) {
        TRY_ASSIGN(const Place place, first_from(database, at));
        if (place.position == 0 || place.position >= span.end) break;
        if (place.committed_at > time + looked_through) break;
        std::optional<ports::FoundEvent> found;
        std::optional<base::Error> damaged;
        TRY(database.run(events_log().block, {number(place.position)}, [&](const Row& row) {
            auto block = decode_block_row(row, model::RetentionClass::events);
            if (block.ok()) found = look_in(**block, text);
            else damaged = block.error();
        }));
        if (damaged) return *damaged;
        if (found) return found;
        at = place.position + 1;
    }
    return std::optional<ports::FoundEvent>{};
}

}  // namespace

base::Result<std::optional<ports::FoundEvent>> find_event(Database& database, const model::EventId& id) {
    TRY_ASSIGN(const std::vector<Span> spans, spans_of(database));
    for (const Span& span : spans) {
        TRY_ASSIGN(auto found, find_in(database, span, id.uuid));
        if (found) return found;
    }
    return std::optional<ports::FoundEvent>{};
}

}  // namespace belfry::store
