#include "store/find_event.hpp"

#include "store/log_layout.hpp"

namespace belfry::store {
namespace {

constexpr base::Duration looked_through = base::seconds(1);

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

// The position of the first block that was not committed before `time`, or one after the last.
base::Result<model::Position> position_at(Database& database, base::Timestamp time) {
    model::Position low = 0;
    model::Position high = 0;
    TRY(database.run(events_log().last_block, {},
                     [&](const Row& row) { high = static_cast<model::Position>(row.number(0)) + 1; }));
    while (low < high) {
        const model::Position middle = low + (high - low) / 2;
        TRY_ASSIGN(const Place place, first_from(database, middle));
        if (place.position == 0 || place.committed_at >= time) high = middle;
        else low = place.position + 1;
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

}  // namespace

base::Result<std::optional<ports::FoundEvent>> find_event(Database& database, const model::EventId& id) {
    const base::Timestamp time = time_of(id.uuid);
    const std::string text = base::format_uuid(id.uuid);
    TRY_ASSIGN(model::Position at, position_at(database, time));
    for (;;) {
        TRY_ASSIGN(const Place place, first_from(database, at));
        if (place.position == 0 || place.committed_at > time + looked_through) break;
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

}  // namespace belfry::store
