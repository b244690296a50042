#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>

#include "rules/batch.hpp"

namespace belfry::rules {
namespace {

using base::Duration;
using base::Timestamp;
using model::WaitingKind;
using model::WaitingRow;

constexpr Duration window = base::seconds(2);

enum class Deed { arrive, leave, end_windows, commit, crash };

struct Step {
    Deed deed = Deed::arrive;
    int key = 0;
    Duration pause;
    Duration dedupe_window;
};

void showValue(const Step& step, std::ostream& out) {  // NOLINT: the name that rapidcheck looks for
    static constexpr const char* names[] = {"arrive", "leave", "end_windows", "commit", "crash"};
    out << '+' << step.pause.us / 1000 << "ms " << names[static_cast<int>(step.deed)] << " k" << step.key << " dedupe "
        << step.dedupe_window.us / 1000 << "ms";
}

rc::Gen<Step> any_step(const rc::Gen<Duration>& dedupe_window) {
    return rc::gen::build<Step>(
        rc::gen::set(
            &Step::deed,
            rc::gen::weightedElement<Deed>(
                {{8, Deed::arrive}, {3, Deed::leave}, {2, Deed::end_windows}, {2, Deed::commit}, {1, Deed::crash}})),
        rc::gen::set(&Step::key, rc::gen::inRange(0, 3)),
        rc::gen::set(&Step::pause, rc::gen::map(rc::gen::element(0, 0, 1, 500, 2000, 4999, 5000, 9000),
                                                [](int ms) { return base::milliseconds(ms); })),
        rc::gen::set(&Step::dedupe_window, dedupe_window));
}

// What comes out, or waits, as far as both sides have to agree on it.
struct Row {
    std::string key;
    std::int64_t count = 0;
    Timestamp due_at;
    bool operator==(const Row&) const = default;
};

void showValue(const Row& row, std::ostream& out) {  // NOLINT: the name that rapidcheck looks for
    out << row.key << " x" << row.count << " due " << row.due_at.us / 1000 << "ms";
}

// Decision 14 said in the plainest way. It never crashes.
class Naive {
public:
    void arrive(const std::string& key, Timestamp now, Duration dedupe_window) {
        const bool dedupes = dedupe_window > Duration{};
        const auto open = std::ranges::find(open_, key, &Row::key);
        if (dedupes && open != open_.end()) {
            ++open->count;
        } else if (const Timestamp until = windows_[key]; dedupes && until > now) {
            const auto repeat =
                std::ranges::find_if(repeats_, [&](const Row& row) { return row.key == key && row.due_at == until; });
            if (repeat != repeats_.end()) ++repeat->count;
            if (repeat == repeats_.end()) repeats_.push_back({key, 1, until});
        } else {
            open_.push_back({key, 1, open_.empty() ? now + window : open_.front().due_at});
        }
    }

    std::vector<Row> leave(Timestamp now, Duration dedupe_window) {
        for (const Row& row : open_) {
            if (dedupe_window > Duration{}) windows_[row.key] = std::max(windows_[row.key], now + dedupe_window);
        }
        return std::exchange(open_, {});
    }

    std::vector<Row> end_windows(Timestamp now) {
        std::vector<Row> ended;
        std::ranges::copy_if(repeats_, std::back_inserter(ended), [&](const Row& row) { return row.due_at <= now; });
        std::erase_if(repeats_, [&](const Row& row) { return row.due_at <= now; });
        return ended;
    }

    [[nodiscard]] std::optional<Timestamp> next_due() const {
        std::optional<Timestamp> next;
        for (const auto* rows : {&open_, &repeats_}) {
            for (const Row& row : *rows) next = next ? std::min(*next, row.due_at) : row.due_at;
        }
        return next;
    }

private:
    std::vector<Row> open_;
    std::vector<Row> repeats_;
    std::map<std::string, Timestamp> windows_;
};

// A batch and what its owner stores: rows as long as they wait, and of what left the windows that it started.
class Owner {
public:
    void arrive(const std::string& key, Timestamp now, Duration dedupe_window) {
        Arrival arrival;
        arrival.key = key;
        arrival.event_json = "{}";
        arrival.now = now;
        const Batch::Place place = batch_.take(arrival, window, dedupe_window);
        const bool is_new = place.taken == Batch::Taken::added || place.taken == Batch::Taken::folded_first;
        RC_ASSERT(is_new == (place.row->ordinal == 0));
        if (is_new) place.row->ordinal = next_ordinal_++;
        stored_[place.row->ordinal] = *place.row;
    }

    std::vector<Row> leave(Timestamp now, Duration dedupe_window) {
        const auto rows = batch_.leave(now, dedupe_window);
        for (const WaitingRow& row : rows) {
            if (dedupe_window > Duration{}) windows_.emplace_back(row.dedupe_key, now + dedupe_window);
        }
        return gone(rows, WaitingKind::row);
    }

    std::vector<Row> end_windows(Timestamp now) { return gone(batch_.end_windows(now), WaitingKind::repeat); }

    // What has changed is all that has to be written.
    void commit() {
        for (const WaitingRow* row : batch_.changed()) written_[row->ordinal] = *row;
        RC_ASSERT(written_ == stored_);
    }

    void crash() {
        commit();
        batch_ = Batch();
        for (const auto& [key, until] : windows_) batch_.restore_window(key, until);
        for (const auto& [ordinal, row] : stored_) batch_.restore_row(row);
    }

    [[nodiscard]] std::int64_t waiting() const {
        std::int64_t events = 0;
        for (const auto& [ordinal, row] : stored_) events += row.count;
        return events;
    }
    [[nodiscard]] const Batch& batch() const { return batch_; }

private:
    std::vector<Row> gone(const std::vector<WaitingRow>& rows, WaitingKind kind) {
        std::vector<Row> out;
        for (const WaitingRow& row : rows) {
            RC_ASSERT(row.kind == kind);
            const auto stored = stored_.find(row.ordinal);
            RC_ASSERT(stored != stored_.end());  // it did not come out before
            RC_ASSERT(stored->second == row);
            stored_.erase(stored);
            written_.erase(row.ordinal);
            out.push_back({row.dedupe_key, row.count, row.due_at});
        }
        return out;
    }

    Batch batch_;
    std::map<std::int64_t, WaitingRow> stored_;
    std::map<std::int64_t, WaitingRow> written_;  // with the last commit
    std::vector<std::pair<std::string, Timestamp>> windows_;
    std::int64_t next_ordinal_ = 1;
};

std::int64_t events_of(const std::vector<Row>& rows) {
    std::int64_t events = 0;
    for (const Row& row : rows) events += row.count;
    return events;
}

void run(const std::vector<Step>& steps, bool one_row_a_key) {
    Owner owner;
    Naive naive;
    Timestamp now = Timestamp{} + base::hours(1);
    std::int64_t arrived = 0;
    std::int64_t came_out = 0;
    for (const Step& step : steps) {
        now = now + step.pause;
        const std::string key = "k" + std::to_string(step.key);
        std::vector<Row> out;
        switch (step.deed) {
            case Deed::arrive:
                owner.arrive(key, now, step.dedupe_window);
                naive.arrive(key, now, step.dedupe_window);
                ++arrived;
                break;
            case Deed::leave:
                out = owner.leave(now, step.dedupe_window);
                RC_ASSERT(out == naive.leave(now, step.dedupe_window));
                if (one_row_a_key) {
                    std::vector<std::string> keys;
                    for (const Row& row : out) keys.push_back(row.key);
                    std::ranges::sort(keys);
                    RC_ASSERT(std::ranges::adjacent_find(keys) == keys.end());
                }
                break;
            case Deed::end_windows:
                out = owner.end_windows(now);
                RC_ASSERT(out == naive.end_windows(now));
                break;
            case Deed::commit: owner.commit(); break;
            case Deed::crash: owner.crash(); break;
        }
        came_out += events_of(out);
        RC_ASSERT(came_out + owner.waiting() == arrived);
        RC_ASSERT(owner.batch().next_due() == naive.next_due());
    }
    came_out += events_of(owner.leave(now, {}));
    came_out += events_of(owner.end_windows(now + base::days(1)));
    RC_ASSERT(came_out == arrived);
    RC_ASSERT(owner.batch().is_idle());
}

TEST(BatchProperty, whatever_happens_every_event_comes_out_once_as_decision_14_says_crash_or_not) {
    EXPECT_TRUE(rc::check([] {
        const Duration dedupe_window = *rc::gen::element(base::milliseconds(1), base::seconds(5), base::seconds(60));
        run(*rc::gen::container<std::vector<Step>>(any_step(rc::gen::just(dedupe_window))), true);
    }));
}

TEST(BatchProperty, nor_does_a_change_of_the_dedupe_window_in_between_lose_or_double_anything) {
    EXPECT_TRUE(rc::check([] {
        const auto any_window = rc::gen::element(Duration{}, base::seconds(1), base::seconds(5), base::seconds(20));
        run(*rc::gen::container<std::vector<Step>>(any_step(any_window)), false);
    }));
}

}  // namespace
}  // namespace belfry::rules
