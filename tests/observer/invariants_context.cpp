#include <algorithm>

#include "story.hpp"

// The promises about events that a subscriber makes context of: each text reaches the agent, and low context waits for
// the end of a turn.
namespace observer {
namespace {

constexpr std::int64_t low_wait_ms = 600'000;
// A step of the clock is noticed by the watchdog, which runs at least every 10 s.
constexpr std::int64_t watchdog_ms = 12'000;

// An event that a subscriber makes context of; retries of one request are one event.
struct ContextEvent {
    std::string mark;
    std::string session;
    std::string user;
    const SubscriberMade* subscriber = nullptr;
    std::uint64_t began = UINT64_MAX;  // the order at which the first request left
    std::int64_t began_ms = 0;
    const Observation* accepted = nullptr;  // the first answer 2xx; null: there was none

    bool is_low() const { return subscriber->priority == "low" && !session.empty(); }
};

std::vector<ContextEvent> context_events(const Story& story) {
    std::map<std::string, ContextEvent> found;
    for (const auto& one : story.all<EventEmitted>()) {
        if (one->answer.is_rejected()) continue;
        for (const auto& made : story.all<SubscriberMade>()) {
            if (made->type != one->type) continue;
            ContextEvent& event = found[one->mark];
            event.mark = one->mark, event.session = one->session, event.user = one->user;
            event.subscriber = made.body;
            if (one.at->start() < event.began) event.began = one.at->start(), event.began_ms = one.at->start_ms();
            if (one->answer.is_accepted() && !event.accepted) event.accepted = one.at;
        }
    }
    std::vector<ContextEvent> events;
    for (auto& [mark, event] : found) events.push_back(std::move(event));
    return events;
}

bool has_mark(const PulledItem& item, const std::string& mark) {
    return item.content.find(mark) != std::string::npos;
}

// True if the model of this pull read the mark.
bool is_read(const Pulled& pull, const std::string& mark) {
    return pull.prompt.find(mark) != std::string::npos ||
           std::any_of(pull.items.begin(), pull.items.end(), [&](const auto& item) { return has_mark(item, mark); });
}

bool is_deleted(const Story& story, const std::string& session) {
    const auto& gone = story.all<SessionDeleted>();
    return std::any_of(gone.begin(), gone.end(), [&](const auto& one) { return one->session == session; });
}

// True if a pull without an answer may have given the event to the agent after `since`.
bool may_be_given_unseen(const Story& story, const ContextEvent& event, std::uint64_t before) {
    const auto& pulls = story.all<Pulled>();
    return std::any_of(pulls.begin(), pulls.end(), [&](const auto& pull) {
        return pull->session == event.session && pull->answer.is_unknown() && pull.at->order > event.began &&
               pull.at->start() < before;
    });
}

void agent_reads_every_event(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    for (const ContextEvent& event : context_events(story)) {
        if (!event.accepted || event.session.empty() || story.is_erased(event.user)) continue;
        if (story.session_user(event.session) != event.user || is_deleted(story, event.session)) continue;
        bool read = false;
        for (const auto& pull : story.all<Pulled>())
            read = read || (pull->answer.is_accepted() && is_read(*pull.body, event.mark));
        // An end of turn that names no pull counts a lost answer as received (decision 0013).
        const auto& ends = story.all<TurnEnded>();
        const bool may_be_lost = may_be_given_unseen(story, event, UINT64_MAX) &&
                                 std::any_of(ends.begin(), ends.end(), [&](const auto& end) {
                                     return end->session == event.session && end->pull_id.empty() &&
                                            !end->answer.is_rejected() && end.at->order > event.began;
                                 });
        if (!read && !may_be_lost)
            report.add("no agent of session " + event.session + " read the event " + event.mark + " of subscriber " +
                           event.subscriber->subscriber,
                       {event.accepted});
    }
}

// ---- low context ----------------------------------------------------------------------------------------------------

// The calls of a session that may end a turn, or that take what was gathered for its end.
std::vector<const Observation*> find_boundaries(const Story& story, const std::string& session) {
    enum class Kind { start, pull_start, pull_end, end, deletion };
    struct Call {
        Kind kind;
        const Observation* at;
        bool is_accepted;
    };
    std::vector<Call> calls;
    const auto add = [&](Kind kind, const auto& one) {
        if (one->session == session && !one->answer.is_rejected())
            calls.push_back({kind, one.at, one->answer.is_accepted()});
    };
    for (const auto& one : story.all<TurnStarted>()) add(Kind::start, one);
    for (const auto& one : story.all<TurnEnded>()) add(Kind::end, one);
    for (const auto& one : story.all<SessionDeleted>()) add(Kind::deletion, one);
    for (const auto& one : story.all<Pulled>()) {
        if (one->point == "turn_start") add(Kind::pull_start, one);
        if (one->point == "turn_end") add(Kind::pull_end, one);
    }
    std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.at->order < b.at->order; });
    std::vector<const Observation*> found;
    // A start while a turn may be open, and a second pull at turn_start in one turn, begin the turn again.
    bool is_open = false;
    bool is_pulled = false;
    for (const Call& call : calls) {
        switch (call.kind) {
            case Kind::start:
                if (is_open) found.push_back(call.at);
                is_open = true, is_pulled = false;
                break;
            case Kind::pull_start:
                if (is_pulled) found.push_back(call.at);
                is_open = is_pulled = true;
                break;
            case Kind::end:
                found.push_back(call.at);
                if (call.is_accepted) is_open = is_pulled = false;
                break;
            case Kind::pull_end:
            case Kind::deletion: found.push_back(call.at); break;
        }
    }
    return found;
}

// The low events by session, with the boundaries of the session's turns.
struct LowSession {
    std::vector<ContextEvent> events;
    std::vector<const Observation*> boundaries;

    bool has_boundary(std::uint64_t from, std::uint64_t to, const Observation* except) const {
        return std::any_of(boundaries.begin(), boundaries.end(), [&](const Observation* one) {
            return one != except && one->order > from && one->start() < to;
        });
    }
    bool is_boundary(const Observation* at) const {
        return std::find(boundaries.begin(), boundaries.end(), at) != boundaries.end();
    }
};

std::map<std::string, LowSession> low_sessions(const Story& story) {
    std::map<std::string, LowSession> found;
    for (ContextEvent& event : context_events(story))
        if (event.is_low() && !story.is_erased(event.user)) found[event.session].events.push_back(std::move(event));
    for (auto& [session, low] : found) low.boundaries = find_boundaries(story, session);
    return found;
}

bool was_given(const Story& story, const ContextEvent& event, const Seen<Pulled>& before) {
    const auto& pulls = story.all<Pulled>();
    return may_be_given_unseen(story, event, before.at->order) ||
           std::any_of(pulls.begin(), pulls.end(), [&](const auto& pull) {
               return pull->session == event.session && pull.at != before.at && pull.at->start() < before.at->order &&
                      is_read(*pull.body, event.mark);
           });
}

void low_context_waits_for_turn_end(const Story& story, Report& report) {
    const auto sessions = low_sessions(story);
    for (const auto& pull : story.all<Pulled>()) {
        const auto found = sessions.find(pull->session);
        if (found == sessions.end() || pull->point == "turn_end" || !pull->answer.is_accepted()) continue;
        const LowSession& low = found->second;
        if (low.is_boundary(pull.at)) continue;
        for (const ContextEvent& event : low.events) {
            if (event.began > pull.at->order || !is_read(*pull.body, event.mark)) continue;
            if (low.has_boundary(event.began, pull.at->order, pull.at) || was_given(story, event, pull)) continue;
            if (story.has_clock_step(event.began, pull.at->order)) continue;
            if (pull.at->at_ms >= event.began_ms + low_wait_ms - story.options().slack_ms) continue;
            report.add("low context " + event.mark + " came at " + pull->point + ", before the turn of session " +
                           pull->session + " ended",
                       {event.accepted, pull.at});
        }
    }
}

// Reports low events that a pull at turn_end did not return.
void check_complete(const Story& story, Report& report, const LowSession& low, const Seen<Pulled>& pull) {
    for (const ContextEvent& event : low.events) {
        if (!event.accepted || event.accepted->order >= pull.at->start() || is_read(*pull.body, event.mark)) continue;
        if (low.has_boundary(event.began, pull.at->order, pull.at) || was_given(story, event, pull)) continue;
        if (story.has_clock_step(event.began, pull.at->order)) continue;
        report.add("low context " + event.mark + " did not come at the end of the turn of session " + pull->session,
                   {event.accepted, pull.at});
    }
}

// Reports a subscriber whose low events, gathered since the last end of a turn, came in more notifications than needed.
void check_gathered(const Story& story, Report& report, const LowSession& low, const Seen<Pulled>& pull) {
    struct Gathered {
        std::int64_t rows = 0;
        std::int64_t items = 0;
    };
    std::map<const SubscriberMade*, Gathered> found;
    for (const PulledItem& item : pull->items) {
        if (item.again || !item.stands_for.empty()) continue;
        const SubscriberMade* subscriber = nullptr;
        std::int64_t rows = 0;
        bool is_certain = true;
        for (const ContextEvent& event : low.events)
            if (has_mark(item, event.mark)) {
                subscriber = event.subscriber, ++rows;
                is_certain = is_certain && event.accepted && !low.has_boundary(event.began, pull.at->order, pull.at) &&
                             !story.has_clock_step(event.began, pull.at->order) && !was_given(story, event, pull);
            }
        if (!subscriber || !is_certain) continue;
        Gathered& sum = found[subscriber];
        sum.rows += rows, ++sum.items;
    }
    for (const auto& [subscriber, sum] : found)
        if (sum.items > (sum.rows + subscriber->max_size - 1) / subscriber->max_size)
            report.add("the end of the turn returned " + std::to_string(sum.rows) + " low events of subscriber " +
                           subscriber->subscriber + " in " + std::to_string(sum.items) + " notifications",
                       {pull.at});
}

void turn_end_gathers_low_context(const Story& story, Report& report) {
    const auto sessions = low_sessions(story);
    for (const auto& pull : story.all<Pulled>()) {
        const auto found = sessions.find(pull->session);
        if (found == sessions.end() || pull->point != "turn_end" || !pull->answer.is_accepted()) continue;
        if (pull->waiting == 0 && pull->budget_tokens == 0) check_complete(story, report, found->second, pull);
        check_gathered(story, report, found->second, pull);
    }
}

// The time by the daemon's clock that certainly passed between an event's answer and a pull; 0 where the clock was set
// back, or a step is too new to be noticed.
std::int64_t certain_wait_ms(const Story& story, const ContextEvent& event, const Seen<Pulled>& pull) {
    std::int64_t wait_ms = pull.at->start_ms() - event.accepted->at_ms;
    for (const auto& step : story.all<ClockStepped>()) {
        if (step.at->order < event.began || step.at->order > pull.at->order) continue;
        if (step->by_ms < 0 || step.at->at_ms + watchdog_ms > pull.at->start_ms()) return 0;
        if (step.at->order > event.accepted->order) wait_ms += step->by_ms;
    }
    return wait_ms;
}

void low_context_comes_after_ten_minutes(const Story& story, Report& report) {
    const auto sessions = low_sessions(story);
    for (const auto& pull : story.all<Pulled>()) {
        const auto found = sessions.find(pull->session);
        if (found == sessions.end() || !pull->answer.is_accepted() || pull->waiting > 0 || pull->budget_tokens > 0)
            continue;
        if (pull->point != "turn_start" && pull->point != "after_tool") continue;
        for (const ContextEvent& event : found->second.events) {
            if (!event.accepted || event.accepted->order >= pull.at->start() || is_read(*pull.body, event.mark))
                continue;
            if (found->second.has_boundary(event.began, pull.at->order, nullptr) || was_given(story, event, pull))
                continue;
            if (certain_wait_ms(story, event, pull) >= low_wait_ms + watchdog_ms)
                report.add("low context " + event.mark + " waited for more than 10 minutes and did not come at " +
                               pull->point + " of session " + pull->session,
                           {event.accepted, pull.at});
        }
    }
}

}  // namespace

std::vector<Invariant> context_invariants() {
    return {
        {"agent_reads_every_event",
         "A template that … renders nothing that a reader sees … costs nothing but its form: the notification gets the "
         "fallback content. Two failures with different payloads are two rows.",
         "docs/subscribers.md; 000 SC-001", agent_reads_every_event},
        {"low_context_waits_for_turn_end",
         "Context of priority low waits for the end of a turn, whatever its window and its injection point",
         "docs/notifications.md; 000 \"low - Aggregate at turn end\"", low_context_waits_for_turn_end},
        {"turn_end_gathers_low_context",
         "A pull at turn_end returns everything that a subscriber gathered since the last one as one notification. … A "
         "full batch (max_size) splits into several notifications. No event is dropped.",
         "docs/notifications.md", turn_end_gathers_low_context},
        {"low_context_comes_after_ten_minutes",
         "If no turn ends within 10 minutes, the notification comes at the next injection point other than immediate.",
         "docs/notifications.md", low_context_comes_after_ten_minutes},
    };
}

}  // namespace observer
