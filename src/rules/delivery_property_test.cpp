#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rules/delivery.hpp"
#include "rules/route.hpp"

namespace belfry::rules {
namespace {

using base::Duration;
using base::seconds;
using base::Timestamp;
using model::DeliveryState;
using model::Handler;
using model::Notification;
using model::Target;

enum class Action {
    dispatch,
    claim,
    renew,
    interface_ack,
    model_ack,
    narrate,
    turn_end,
    untold_end,
    watch,
    promote,
    leave,
    leave_holder,
    emit
};
constexpr const char* action_names[] = {"dispatch", "claim",        "renew",      "interface_ack", "model_ack",
                                        "narrate",  "turn_end",     "untold_end", "watch",         "promote",
                                        "leave",    "leave_holder", "emit"};

struct Way {
    Target target = Target::user;
    Handler handler = Handler::system;
};

struct Deed {
    Action action = Action::dispatch;
    Duration pause;
    Duration span;        // of leases, and the TTL of what is emitted
    int lease_off = 0;    // beside the current one; 9: none is given
    int version_off = 0;  // the same
    bool who = false;     // one of two agents
    Way way;              // of what is emitted
};

std::string name_of(Way way) {
    return std::string(model::target_name(way.target)) + '/' + std::string(model::handler_name(way.handler));
}

void showValue(const Way& way, std::ostream& out) {  // NOLINT: the name that rapidcheck looks for
    out << name_of(way);
}

void showValue(const Deed& deed, std::ostream& out) {  // NOLINT: the name that rapidcheck looks for
    out << '+' << base::format_duration(deed.pause) << ' ' << action_names[static_cast<int>(deed.action)] << " span "
        << base::format_duration(deed.span) << " lease" << deed.lease_off << " version" << deed.version_off << " agent"
        << deed.who << ' ' << name_of(deed.way) << '\n';
}

rc::Gen<Way> any_way() {
    return rc::gen::build<Way>(rc::gen::set(&Way::target, rc::gen::element(Target::user, Target::agent)),
                               rc::gen::set(&Way::handler, rc::gen::element(Handler::system, Handler::agent)));
}

rc::Gen<Deed> any_deed() {
    const auto any_pause =
        rc::gen::map(rc::gen::weightedElement<std::int64_t>(
                         {{6, 0}, {4, 1}, {4, 59}, {4, 60}, {3, 299}, {3, 300}, {2, 900}, {1, 3600}, {1, 30 * 86'400}}),
                     [](std::int64_t s) { return seconds(s); });
    const auto any_span = rc::gen::map(rc::gen::element(0, 1, 60, 300, 900, 3600), [](int s) { return seconds(s); });
    const auto any_off = rc::gen::weightedElement<int>({{8, 0}, {1, -1}, {1, 1}, {1, 9}});
    return rc::gen::build<Deed>(
        rc::gen::set(&Deed::action, rc::gen::weightedElement<Action>({{2, Action::dispatch},
                                                                      {6, Action::claim},
                                                                      {3, Action::renew},
                                                                      {1, Action::interface_ack},
                                                                      {1, Action::model_ack},
                                                                      {1, Action::narrate},
                                                                      {1, Action::turn_end},
                                                                      {1, Action::untold_end},
                                                                      {4, Action::watch},
                                                                      {2, Action::promote},
                                                                      {1, Action::leave},
                                                                      {1, Action::leave_holder},
                                                                      {4, Action::emit}})),
        rc::gen::set(&Deed::pause, any_pause), rc::gen::set(&Deed::span, any_span),
        rc::gen::set(&Deed::lease_off, any_off), rc::gen::set(&Deed::version_off, any_off),
        rc::gen::set(&Deed::who, rc::gen::arbitrary<bool>()), rc::gen::set(&Deed::way, any_way()));
}

bool is_persons(const Notification& row) {
    return row.target == Target::user;
}

// One row with everybody who has a word in it, and beside it what must be true, counted in the plainest way.
class World {
public:
    World(Way way, Duration ttl) {
        row_.scope = {"ada", "s1", ""};
        row_.created_at = now_;
        row_.target = way.target;
        row_.handler = way.handler;
        row_.ttl = ttl;
        steps_.clear();
        born(row_, "token:emitter", steps_);
        RC_ASSERT(row_.state == DeliveryState::pending && row_.lease == 1 && steps_.size() == 1U);
    }

    void apply(const Deed& deed) {
        now_ = now_ + deed.pause;
        const Notification before = row_;
        steps_.clear();
        const bool is_done = act(deed);
        check(before, is_done);
        if (is_done) check_holders(deed, before);
    }

    // Nobody comes any more; the watchdog alone sees to it that the row ends.
    void abandon() {
        const Timestamp left_at = now_;
        bool reached = route(row_).to_interface || model::is_terminal(row_.state);
        int looks = 0;
        while (!model::is_terminal(row_.state)) {
            RC_ASSERT(row_.deadline.has_value());
            RC_ASSERT(++looks <= 3);
            now_ = std::max(now_, *row_.deadline);
            const Notification before = row_;
            steps_.clear();
            RC_ASSERT(watch(row_, now_, steps_));
            check(before, true);
            if (row_.state != DeliveryState::escalated || reached) continue;
            reached = true;
            // No later than the holder's time or twice the TTL, the longer of which is an hour here.
            RC_ASSERT(now_ - left_at <= seconds(2 * 3600));
        }
        RC_ASSERT(now_ - left_at <= base::days(61));
        RC_ASSERT(row_.state == DeliveryState::delivered || row_.outcome == "expired_unseen" ||
                  row_.outcome == "nobody_there");
        if (row_.outcome == "expired_unseen") RC_ASSERT(!is_persons(row_));
    }

private:
    bool act(const Deed& deed) {
        const auto lease = deed.lease_off == 9 ? std::nullopt : std::optional(row_.lease + deed.lease_off);
        const auto version = deed.version_off == 9 ? std::nullopt : std::optional(row_.version + deed.version_off);
        const std::string agent = deed.who ? "bert" : "anna";
        const auto ack = [&](Voice voice) { return Acknowledgement{voice, agent, lease, version, "rendered"}; };
        const auto is_none = [](Refusal refusal) { return refusal == Refusal::none; };
        const std::int64_t known = lease.value_or(0);
        switch (deed.action) {
            case Action::dispatch: return is_none(dispatch(row_, now_, "x", steps_));
            case Action::claim: return is_none(claim(row_, now_, agent, deed.span, steps_));
            case Action::renew: return is_none(renew(row_, now_, known, deed.span));
            case Action::interface_ack: return is_none(acknowledge(row_, now_, ack(Voice::interface), steps_));
            case Action::model_ack: return is_none(acknowledge(row_, now_, ack(Voice::model), steps_));
            case Action::narrate: return is_none(narrate(row_, now_, {agent, known, version, "so it is"}, steps_));
            case Action::turn_end: return is_none(turn_ended(row_, now_, steps_));
            case Action::untold_end: return is_none(ended_untold(row_, now_, agent, steps_));
            case Action::watch: return watch(row_, now_, steps_);
            case Action::promote: return promote(row_, now_, deed.who ? "send_mail" : "call", steps_);
            case Action::leave: return leave_session(row_, now_, steps_);
            case Action::leave_holder: return leave_holder(row_, now_, steps_);
            case Action::emit: return emit(deed, agent, lease);
        }
        return false;
    }

    bool emit(const Deed& deed, const std::string& by, std::optional<std::int64_t> lease) {
        if (repeat(row_, by, lease) != Repeat::overwrites) return false;
        RC_ASSERT(row_.state != DeliveryState::locked ||
                  (lease == row_.lease && by == row_.holder && row_.narration.empty()));
        const Route way = route(row_);
        const auto latest = row_.deadline_max;
        Notification update;
        update.scope = row_.scope;
        update.content = "version " + std::to_string(row_.version + 1);
        update.target = deed.way.target;
        update.handler = deed.way.handler;
        update.ttl = deed.span;
        overwrite(row_, update, now_, steps_);
        is_changed_since_tool_ = true;
        // Its holder's time apart, an update moves the deadline to that bound at most, and the bound itself only where
        // the row waits for somebody else from now on.
        const bool is_bounded = row_.deadline <= std::max(row_.deadline_max, row_.lease_until);
        RC_ASSERT(is_bounded);
        const bool waits_for_same =
            route(row_).to_interface == way.to_interface && route(row_).starts_turn == way.starts_turn;
        if (waits_for_same) RC_ASSERT(row_.deadline_max == latest);
        return true;
    }

    void check(const Notification& before, bool is_done) {
        if (!is_done || model::is_terminal(before.state)) {
            RC_ASSERT(row_ == before);
            RC_ASSERT(steps_.empty());
            return;
        }
        RC_ASSERT(row_.lease == before.lease || row_.lease == before.lease + 1);
        RC_ASSERT(row_.version == before.version || row_.version == before.version + 1);
        if (is_persons(before)) RC_ASSERT(is_persons(row_));
        if (route(before).to_interface) RC_ASSERT(route(row_).to_interface);
        if (row_.state == DeliveryState::escalated) {
            RC_ASSERT(route(row_).to_interface);
            if (before.state != DeliveryState::escalated) {
                RC_ASSERT(route(before).escalates != Escalates::never);
                RC_ASSERT(row_.lease == before.lease + 1);
            }
        }
        RC_ASSERT(model::is_terminal(row_.state) == row_.ended_at.has_value());
        RC_ASSERT(model::is_terminal(row_.state) == !row_.deadline.has_value());
        // A row that an agent has narrated is with the interfaces: nobody holds it.
        const bool is_narrated = row_.state == DeliveryState::locked && !row_.narration.empty();
        RC_ASSERT((row_.state == DeliveryState::locked && !row_.holder.empty()) == row_.lease_until.has_value());
        RC_ASSERT(!is_narrated || (row_.holder.empty() && route(row_).to_interface));
        if (!before.narration.empty()) RC_ASSERT(row_.state != DeliveryState::escalated);
        for (const std::string& tool : row_.used_tools) {
            const bool is_told = route(row_).to_interface && !model::is_terminal(row_.state);
            const std::string& told = row_.narration.empty() ? row_.text : row_.narration;
            RC_ASSERT(!is_told || told.find(tool) != std::string::npos || is_changed_since_tool_);
        }
        check_steps(before);
    }

    void check_steps(const Notification& before) {
        static constexpr std::pair<DeliveryState, DeliveryState> ways[] = {
            {DeliveryState::pending, DeliveryState::dispatched}, {DeliveryState::dispatched, DeliveryState::locked},
            {DeliveryState::locked, DeliveryState::delivered},   {DeliveryState::escalated, DeliveryState::delivered},
            {DeliveryState::pending, DeliveryState::escalated},  {DeliveryState::dispatched, DeliveryState::escalated},
            {DeliveryState::locked, DeliveryState::escalated},   {DeliveryState::pending, DeliveryState::failed},
            {DeliveryState::dispatched, DeliveryState::failed},  {DeliveryState::locked, DeliveryState::failed},
            {DeliveryState::escalated, DeliveryState::failed}};
        DeliveryState at = before.state;
        std::int64_t lease = before.lease;
        for (const model::Transition& step : steps_) {
            RC_ASSERT(step.from == at);
            RC_ASSERT(step.from == step.to || std::ranges::find(ways, std::pair(step.from, step.to)) != std::end(ways));
            RC_ASSERT(step.at == now_);
            RC_ASSERT(step.lease == lease || step.lease == row_.lease);
            lease = step.lease;
            RC_ASSERT(!step.reason.empty());
            at = step.to;
        }
        RC_ASSERT(at == row_.state);
        RC_ASSERT(steps_.empty() || lease == row_.lease);
    }

    // The right to speak as it was given out: to one at a time, and a word under another one is never the last.
    void check_holders(const Deed& deed, const Notification& before) {
        const bool is_agents_word = deed.action == Action::model_ack || deed.action == Action::narrate;
        if (is_agents_word || deed.action == Action::interface_ack) {
            RC_ASSERT(deed.lease_off == 0);
            RC_ASSERT(deed.version_off == 0 || (deed.version_off == 9 && is_agents_word));
            RC_ASSERT(is_agents_word != route(before).to_interface);
            RC_ASSERT(row_.state ==
                      (deed.action == Action::narrate ? DeliveryState::locked : DeliveryState::delivered));
        }
        if (deed.action == Action::untold_end || deed.action == Action::leave_holder) {
            RC_ASSERT((row_.state == DeliveryState::escalated) == (must_tell(before) || has_had_its_time(before)));
            if (row_.state == DeliveryState::locked) held_until_ = now_;  // released
        }
        if (deed.action == Action::claim) {
            RC_ASSERT(now_ >= held_until_);
            RC_ASSERT(row_.lease == (granted_ ? last_lease_ + 1 : 1));
            granted_ = true;
            last_lease_ = row_.lease;
            held_until_ = now_ + deed.span;
        }
        if (deed.action == Action::renew) {
            RC_ASSERT(granted_ && row_.lease == last_lease_ && before.state == DeliveryState::locked);
            RC_ASSERT(deed.lease_off == 0);
            held_until_ = std::max(held_until_, now_ + deed.span);
        }
        if (deed.action == Action::turn_end) {
            RC_ASSERT((row_.state == DeliveryState::escalated) == is_persons(before));
            RC_ASSERT((row_.outcome == "vetoed") == (!is_persons(before) && before.handler == Handler::agent));
        }
        if (deed.action == Action::promote) RC_ASSERT(is_persons(row_) && !row_.used_tools.empty());
        // Nobody is cut short: not before his time is over, but by his own turn's end.
        if (deed.action == Action::watch && before.state == DeliveryState::locked &&
            row_.state != DeliveryState::locked) {
            RC_ASSERT(now_ >= held_until_);
        }
    }

    // A row that was released so late goes to the user instead of another holder.
    [[nodiscard]] bool has_had_its_time(const Notification& before) const {
        return before.handler == Handler::agent && now_ >= *before.deadline_max;
    }

    Timestamp now_ = Timestamp{} + base::days(20'000);
    Notification row_;
    Steps steps_;
    bool granted_ = false;
    bool is_changed_since_tool_ = false;  // an update has put another text in place
    std::int64_t last_lease_ = 0;
    Timestamp held_until_;
};

TEST(DeliveryProperty, whatever_is_done_in_any_order_one_speaks_at_a_time_fences_only_grow_and_every_row_ends) {
    EXPECT_TRUE(rc::check([] {
        for (int i = 0; i < 20; ++i) {
            const Duration ttl = *rc::gen::element(Duration{}, seconds(1), seconds(60), seconds(3600));
            World world(*any_way(), ttl);
            for (const Deed& deed : *rc::gen::container<std::vector<Deed>>(any_deed())) world.apply(deed);
            world.abandon();
        }
    }));
}

TEST(DeliveryProperty, what_a_person_must_hear_and_nobody_touches_reaches_him_by_the_watchdog_alone) {
    EXPECT_TRUE(rc::check([] {
        Notification row;
        row.created_at = Timestamp{} + base::days(20'000);
        row.target = *rc::gen::element(Target::user, Target::agent);
        row.handler = Handler::agent;
        row.ttl = seconds(*rc::gen::inRange(0, 4000));
        const Duration ttl = row.ttl > Duration{} ? row.ttl : seconds(300);
        Steps steps;
        born(row, "x", steps);
        Timestamp now = row.created_at;
        const Duration pause = seconds(*rc::gen::inRange(1, 11));
        while (row.state == DeliveryState::pending) {
            now = now + pause;
            RC_ASSERT(watch(row, now, steps) == (now - row.created_at >= ttl));
        }
        RC_ASSERT(row.state == DeliveryState::escalated);
        RC_ASSERT(now - row.created_at < ttl + pause);
        RC_ASSERT(!watch(row, now + base::days(30) - seconds(1), steps));
        RC_ASSERT(watch(row, now + base::days(30), steps));
        RC_ASSERT(row.state == DeliveryState::failed && row.outcome == "nobody_there" && row.lease == 2);
        RC_ASSERT(steps.size() == 3U);
    }));
}

}  // namespace
}  // namespace belfry::rules
