#include "ledger/fill.hpp"

#include <utility>
#include <vector>

#include "common/fail.hpp"

namespace belfry::bench {
namespace {

using model::DeliveryState;
using model::Notification;
using model::Transition;

constexpr std::int64_t rows_a_commit = 1000;
constexpr std::int64_t rows_a_fold = 20'000;
constexpr base::Duration row_pause = base::milliseconds(1);

void check(const base::Result<void>& done) {
    if (!done.ok()) fail(done.error().message);
}

void end(Notification& row, DeliveryState state, base::Timestamp at) {
    row.state = state;
    row.ended_at = at;
    row.seen_at = at;
}

Notification row_of(std::int64_t ordinal, base::Timestamp at) {
    const std::uint64_t dice = mixed(static_cast<std::uint64_t>(ordinal));
    Notification row;
    row.ordinal = ordinal;
    row.id.uuid = base::make_uuid7(at, dice, mixed(dice));
    const auto user = static_cast<std::int64_t>(dice % filled_users);
    row.scope = {user_name(user), "session-" + std::to_string(user) + "-" + std::to_string(dice % 3), "agent"};
    row.subscriber_id = "tool_failure";
    row.content = "tool_fail: tool " + std::to_string(ordinal) + std::string(300, 'x');
    row.text = "A tool has failed.";
    row.events = {{{base::make_uuid7(at, dice + 1, dice)}, static_cast<model::Sequence>(ordinal), 1, "tool:x"}};
    row.created_at = at;
    row.deadline = at + base::days(30);
    row.deadline_max = at + base::days(60);
    const auto kind = ordinal % 10;
    if (kind >= 6) row.target = model::Target::user;
    if (kind < 6) {
        end(row, DeliveryState::delivered, at + base::seconds(2));
        row.handed_to = row.scope.session_id;
        row.handle = ordinal;
        row.pull_id = base::make_uuid7(at, dice + 2, dice);
    } else if (kind < 8) {
        end(row, DeliveryState::delivered, at + base::seconds(2));
    } else if (kind == 8) {
        row.outcome = "nobody_there";
        end(row, DeliveryState::failed, at + base::seconds(2));
    }
    return row;
}

void add_way(const Notification& row, std::vector<Transition>& steps) {
    Transition step{row.id, 0, row.created_at, DeliveryState::pending, DeliveryState::pending, 1, "belfry", "emitted"};
    steps.push_back(step);
    if (!row.ended_at) return;
    for (const DeliveryState to : {DeliveryState::dispatched, DeliveryState::locked, row.state}) {
        step.from = std::exchange(step.to, to);
        step.reason = "acknowledged_by_model";
        step.at = *row.ended_at;
        steps.push_back(step);
    }
}

}  // namespace

std::uint64_t mixed(std::uint64_t number) {
    number += 0x9E3779B97F4A7C15U;
    number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
    number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
    return number ^ (number >> 31U);
}

std::string user_name(std::int64_t number) {
    return "user-" + std::to_string(number);
}

void fill_ledger(store::SqlStore& store, std::int64_t rows, base::Timestamp now, const std::function<void()>& fold_in) {
    for (std::int64_t first = 1; first <= rows; first += rows_a_commit) {
        std::vector<Notification> made;
        std::vector<Transition> steps;
        for (std::int64_t i = first; i < first + rows_a_commit && i <= rows; ++i) {
            made.push_back(row_of(i, now - row_pause * (rows - i + 1)));
            add_way(made.back(), steps);
        }
        check(store.begin());
        check(store.notifications().insert(made));
        check(store.notifications().add_steps(steps));
        const ports::CommitResult committed = store.commit();
        if (committed.outcome != ports::CommitOutcome::committed) fail(committed.error.message);
        if (first % rows_a_fold == 1) fold_in();
    }
}

}  // namespace belfry::bench
