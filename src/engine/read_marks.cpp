#include "engine/read_marks.hpp"

#include <algorithm>
#include <vector>

#include "rules/body_fields.hpp"
#include "rules/merge_record.hpp"

namespace belfry::engine {
namespace {

using Time = std::optional<base::Timestamp>;
constexpr std::string_view elsewhere = "sync";  // who has marked it, as readers are told

struct Marks {
    Time seen_at;
    Time acted_at;
    Time dismissed_at;
    bool operator==(const Marks&) const = default;
};

Marks marks_of(const model::Notification& row) {
    return {row.seen_at, row.acted_at, row.dismissed_at};
}

Marks marks_of(model::JsonView json) {
    rules::BodyReader body(json);
    return {body.maybe_time("seen_at"), body.maybe_time("acted_at"), body.maybe_time("dismissed_at")};
}

model::RawJson body_of(const Marks& marks) {
    rules::BodyWriter body;
    body.time("seen_at", marks.seen_at);
    body.time("acted_at", marks.acted_at);
    body.time("dismissed_at", marks.dismissed_at);
    return body.take();
}

Time earlier(const Time& a, const Time& b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

Marks joined(const Marks& a, const Marks& b) {
    return {earlier(a.seen_at, b.seen_at), earlier(a.acted_at, b.acted_at), earlier(a.dismissed_at, b.dismissed_at)};
}

}  // namespace

base::Result<void> ReadMarks::note(const model::Notification& row, Unit& unit) {
    if (!peers_.any()) return {};
    const std::pair<std::string, std::string> name{model::read_mark_kind, base::format_uuid(row.id.uuid)};
    TRY_ASSIGN(const auto there, unit.store.sync().plain(std::span(&name, 1)));
    const model::RawJson before = there.empty() ? model::RawJson() : there.front().body;
    const Marks now = there.empty() ? marks_of(row) : joined(marks_of(before.view()), marks_of(row));
    const model::RawJson body = body_of(now);
    std::vector<std::string> fields = rules::changed_fields(before.view(), body.view());
    if (fields.empty()) return {};
    const ports::SyncTable::Plain kept{name.first, name.second, row.scope.user_id, body, unit.now};
    TRY(unit.store.sync().put_plain(std::span(&kept, 1)));
    log_.note({name.first, name.second, row.scope.user_id, {}, {}, false, {}, std::move(fields)});
    return {};
}

base::Result<void> ReadMarks::take(const model::SyncRecord& record, Unit& unit) {
    const auto id = base::parse_uuid(record.id);
    if (!id) return {};
    TRY(ledger_.settle(unit));
    TRY_ASSIGN(auto row, unit.store.notifications().find(model::NotificationId{*id}));
    if (!row || row->scope.user_id != record.user_id) return {};
    const Marks marks = joined(marks_of(*row), marks_of(record.body.view()));
    if (marks == marks_of(*row)) return {};
    row->seen_at = marks.seen_at;
    row->acted_at = marks.acted_at;
    row->dismissed_at = marks.dismissed_at;
    return ledger_.mark(*row, elsewhere, unit);
}

}  // namespace belfry::engine
