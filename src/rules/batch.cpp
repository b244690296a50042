#include "rules/batch.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace belfry::rules {
namespace {

model::WaitingRow row_for(const Arrival& arrival, model::WaitingKind kind, base::Timestamp due_at) {
    model::WaitingRow row;
    row.kind = kind;
    row.dedupe_key = arrival.key;
    row.event_id = arrival.id;
    row.sequence = arrival.sequence;
    row.severity = arrival.severity;
    row.due_at = due_at;
    row.event_json = arrival.event_json;
    return row;
}

void count_into(model::WaitingRow& row, const Arrival& arrival) {
    ++row.count;
    row.severity = std::max(row.severity, arrival.severity);
}

}  // namespace

Batch::Place Batch::take(const Arrival& arrival, base::Duration window, base::Duration dedupe_window) {
    close_ended(arrival.now);
    if (dedupe_window > base::Duration{}) {
        if (const auto open = row_of_.find(arrival.key); open != row_of_.end()) {
            model::WaitingRow& row = rows_[open->second];
            count_into(row, arrival);
            changed_rows_.push_back(open->second);
            return {Taken::counted, &row};
        }
        if (const auto at = windows_.find(arrival.key); at != windows_.end()) return fold(at->second, arrival);
    }
    return add(arrival, window);
}

Batch::Place Batch::fold(Window& window, const Arrival& arrival) {
    const bool is_first = !window.repeat;
    if (is_first) {
        window.repeat = Repeat{row_for(arrival, model::WaitingKind::repeat, window.until), arrivals_++};
        follow_ups_.emplace(window.until, arrival.key);
    } else {
        count_into(window.repeat->row, arrival);
    }
    changed_repeats_.emplace_back(arrival.key, Closed{window.until, window.repeat->arrived});
    return {is_first ? Taken::folded_first : Taken::folded_again, &window.repeat->row};
}

Batch::Place Batch::add(const Arrival& arrival, base::Duration window) {
    if (!due_at_) due_at_ = arrival.now + window;
    row_of_.try_emplace(std::string(arrival.key), rows_.size());
    changed_rows_.push_back(rows_.size());
    rows_.push_back(row_for(arrival, model::WaitingKind::row, *due_at_));
    bytes_ += arrival.event_json.size();
    return {Taken::added, &rows_.back()};
}

std::vector<model::WaitingRow> Batch::leave(base::Timestamp now, base::Duration dedupe_window) {
    close_ended(now);
    if (dedupe_window > base::Duration{}) {
        for (const model::WaitingRow& row : rows_) start_window(row.dedupe_key, now + dedupe_window);
    }
    row_of_.clear();
    changed_rows_.clear();
    due_at_.reset();
    bytes_ = 0;
    return std::exchange(rows_, {});
}

std::vector<model::WaitingRow> Batch::end_windows(base::Timestamp now) {
    close_ended(now);
    std::vector<Repeat> ended;
    while (!closed_.empty() && closed_.begin()->first.first <= now) {
        ended.push_back(std::move(closed_.begin()->second));
        closed_.erase(closed_.begin());
    }
    std::ranges::sort(ended, {}, &Repeat::arrived);
    std::vector<model::WaitingRow> rows;
    rows.reserve(ended.size());
    for (Repeat& repeat : ended) rows.push_back(std::move(repeat.row));
    return rows;
}

Batch::Place Batch::rejoin(model::WaitingRow row, base::Timestamp now, base::Duration window) {
    if (const auto open = row_of_.find(row.dedupe_key); open != row_of_.end()) {
        model::WaitingRow& counted = rows_[open->second];
        counted.count += row.count;
        counted.severity = std::max(counted.severity, row.severity);
        changed_rows_.push_back(open->second);
        return {Taken::counted, &counted};
    }
    if (!due_at_) due_at_ = now + window;
    row.kind = model::WaitingKind::row;
    row.due_at = *due_at_;
    row.ordinal = 0;
    row.stored_count = 0;
    bytes_ += row.event_json.size();
    row_of_.try_emplace(row.dedupe_key, rows_.size());
    changed_rows_.push_back(rows_.size());
    rows_.push_back(std::move(row));
    return {Taken::added, &rows_.back()};
}

void Batch::bound(base::Timestamp latest) {
    if (due_at_ && *due_at_ > latest) due_at_ = latest;
}

void Batch::shift_back(base::Duration by) {
    if (due_at_) due_at_ = *due_at_ - by;
    const auto shifted = [by](const Ends& ends) {
        Ends moved;
        for (const auto& [until, key] : ends) moved.emplace(until - by, key);
        return moved;
    };
    ends_ = shifted(ends_);
    follow_ups_ = shifted(follow_ups_);
    for (auto& [key, window] : windows_) window.until = window.until - by;
    std::map<Closed, Repeat> closed;
    for (auto& [place, repeat] : closed_) closed.emplace(Closed{place.first - by, place.second}, std::move(repeat));
    closed_ = std::move(closed);
    for (auto& [key, place] : changed_repeats_) place.first = place.first - by;
}

std::optional<base::Timestamp> Batch::next_follow_up() const {
    std::optional<base::Timestamp> next;
    if (!follow_ups_.empty()) next = follow_ups_.begin()->first;
    if (!closed_.empty() && (!next || closed_.begin()->first.first < *next)) next = closed_.begin()->first.first;
    return next;
}

std::optional<base::Timestamp> Batch::next_due() const {
    const auto follow_up = next_follow_up();
    if (!due_at_ || !follow_up) return due_at_ ? due_at_ : follow_up;
    return std::min(*due_at_, *follow_up);
}

std::vector<model::WaitingRow*> Batch::waiting() {
    std::vector<model::WaitingRow*> all;
    all.reserve(rows_.size() + follow_ups_.size() + closed_.size());
    for (model::WaitingRow& row : rows_) all.push_back(&row);
    for (const auto& [until, key] : follow_ups_) all.push_back(&windows_.find(key)->second.repeat->row);
    for (auto& [until, repeat] : closed_) all.push_back(&repeat.row);
    return all;
}

std::vector<model::WaitingRow*> Batch::changed() {
    std::vector<model::WaitingRow*> all;
    all.reserve(changed_rows_.size() + changed_repeats_.size());
    for (const std::size_t i : changed_rows_) all.push_back(&rows_[i]);
    for (const auto& [key, place] : changed_repeats_) {
        const auto window = windows_.find(key);
        const auto closed = closed_.find(place);
        if (closed != closed_.end()) all.push_back(&closed->second.row);
        else if (window != windows_.end() && window->second.repeat && window->second.repeat->arrived == place.second)
            all.push_back(&window->second.repeat->row);
    }
    changed_rows_.clear();
    changed_repeats_.clear();
    return all;
}

Batch::Window& Batch::start_window(std::string_view key, base::Timestamp until) {
    auto at = windows_.find(key);
    if (at == windows_.end()) {
        at = windows_.try_emplace(std::string(key)).first;
    } else {
        if (at->second.until >= until) return at->second;
        close(at->second, key);
    }
    at->second.until = until;
    ends_.emplace(until, key);
    return at->second;
}

// Its repeats come out when they were to, whatever becomes of the window.
void Batch::close(Window& window, std::string_view key) {
    const std::pair<base::Timestamp, std::string> end{window.until, key};
    ends_.erase(end);
    if (!window.repeat) return;
    follow_ups_.erase(end);
    Repeat repeat = *std::exchange(window.repeat, std::nullopt);
    closed_.emplace(Closed{window.until, repeat.arrived}, std::move(repeat));
}

void Batch::close_ended(base::Timestamp now) {
    while (!ends_.empty() && ends_.begin()->first <= now) {
        const std::string key = ends_.begin()->second;
        const auto at = windows_.find(key);
        ASSERT(at != windows_.end());
        close(at->second, key);
        windows_.erase(at);
    }
}

void Batch::restore_window(std::string_view key, base::Timestamp until) {
    start_window(key, until);
}

void Batch::restore_row(model::WaitingRow row) {
    if (row.kind == model::WaitingKind::row) {
        if (!due_at_ || row.due_at < *due_at_) due_at_ = row.due_at;
        row_of_.try_emplace(row.dedupe_key, rows_.size());
        bytes_ += row.event_json.size();
        rows_.push_back(std::move(row));
        return;
    }
    const base::Timestamp due_at = row.due_at;
    Window& window = start_window(row.dedupe_key, due_at);
    Repeat repeat{std::move(row), arrivals_++};
    if (window.until != due_at || window.repeat) {
        // It belongs to an earlier window of this key, whose end nobody has looked at yet.
        closed_.emplace(Closed{due_at, repeat.arrived}, std::move(repeat));
        return;
    }
    follow_ups_.emplace(due_at, repeat.row.dedupe_key);
    window.repeat = std::move(repeat);
}

}  // namespace belfry::rules
