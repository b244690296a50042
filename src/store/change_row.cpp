#include "store/change_row.hpp"

#include <charconv>

namespace belfry::store {

std::string stored_origin(const model::ChangeOrigin& origin) {
    const std::string depth = origin.depth > 0 ? std::to_string(origin.depth) + '/' : std::string();
    return depth + model::origin_text(origin);
}

namespace {

std::optional<model::ChangeOrigin> read_origin(std::string_view text) {
    std::int64_t depth = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), depth);
    if (failed == std::errc{} && end != text.data() + text.size()) {
        text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    }
    auto origin = model::parse_origin(text);
    if (origin) origin->depth = depth;
    return origin;
}

}  // namespace

model::VectorClock read_clock(RowReader& row) {
    auto clock = model::VectorClock::parse(model::JsonView{row.bytes()});
    if (clock.ok()) return std::move(*clock);
    row.note_damage();
    return {};
}

model::Change read_change(RowReader& row) {
    model::Change change;
    change.number = row.number();
    change.unit.host = row.text();
    change.unit.counter = static_cast<std::uint64_t>(row.number());
    change.unit.kind = row.text();
    change.unit.id = row.text();
    change.user_id = row.text();
    const std::string_view by = row.bytes();
    const auto origin = read_origin(by);
    if (origin) change.origin = *origin;
    else if (!by.empty()) row.note_damage();  // of somebody who was erased there is none
    model::JsonWalker walker(model::JsonView{row.bytes()});
    while (const auto element = walker.next()) {
        auto token = model::ChangeToken::parse(element->as_text());
        if (token.ok()) change.tokens.push_back(std::move(*token));
        else row.note_damage();
    }
    change.clock = read_clock(row);
    change.changed_at = row.time();
    change.batch_id = row.maybe_text().value_or("");
    return change;
}

}  // namespace belfry::store
