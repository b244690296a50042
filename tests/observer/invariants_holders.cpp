#include <algorithm>

#include "story.hpp"

// The promises about agents that hold a notification: leases, takeover, silence, chains, turns.
namespace observer {
namespace {

// The greatest lease of a notification that was given out before `order`, and to which runtime.
const Given* latest_given(const Note& note, std::uint64_t before) {
    const Given* latest = nullptr;
    for (const Given& given : note.given)
        if (given.pull.at->order < before && (!latest || given.item->lease > latest->item->lease)) latest = &given;
    return latest;
}

const Given* given_by_pull(const Note& note, std::string_view pull_id) {
    for (const Given& given : note.given)
        if (given.pull->pull_id == pull_id) return &given;
    return nullptr;
}

// True if another runtime took the notification over from `own` and certainly holds it at the time of the call.
bool is_taken_over(const Story& story, const Note& note, std::int64_t lease, const std::string& runtime,
                   const Observation& call) {
    const Given* latest = latest_given(note, call.start());
    return latest && latest->item->lease > lease && latest->pull->runtime != runtime && latest->item->needs_answer &&
           story.is_certainly_held(*latest, note, call.order, call.at_ms, &call);
}

template <class T>
void check_fence(const Story& story, Report& report, const Seen<T>& call, const std::vector<ItemName>& items,
                 std::string_view what) {
    for (const ItemName& name : items)
        if (const Note* note = story.resolve(call->session, name.id);
            note && name.lease && is_taken_over(story, *note, *name.lease, call->runtime, *call.at))
            report.add(std::string(what) + " of " + note->id + " under the stale lease " + std::to_string(*name.lease) +
                           " was accepted while another runtime held it",
                       {latest_given(*note, call.at->start())->pull.at, call.at});
}

// True if the answer to the end of a turn says that the notification was left as it is.
bool is_left(const Story& story, const TurnEnded& end, const Note& note) {
    return std::any_of(end.stale.begin(), end.stale.end(),
                       [&](const std::string& handle) { return story.resolve(end.session, handle) == &note; });
}

// An end of turn that names its pull ends the turn of its session. It is wrong where another runtime has taken over the
// items in that session, and the answer does not say that they were left.
void check_end_by_pull(const Story& story, Report& report, const Seen<TurnEnded>& call) {
    if (call->pull_id.empty()) return;
    for (const auto& [id, note] : story.notes()) {
        const Given* own = given_by_pull(note, call->pull_id);
        if (!own || !own->item->needs_answer || is_left(story, *call.body, note)) continue;
        if (!is_taken_over(story, note, own->item->lease, call->runtime, *call.at)) continue;
        const Given* latest = latest_given(note, call.at->start());
        if (latest->pull->session == call->session)
            report.add("an end of turn that names the pull of a runtime that lost " + id + " was accepted",
                       {own->pull.at, latest->pull.at, call.at});
    }
}

// A heartbeat renews at most what its runtime may still hold in the session.
void check_renewed(const Story& story, Report& report, const Seen<Heartbeat>& call) {
    std::int64_t may_hold = 0;
    std::vector<const Observation*> seen{call.at};
    for (const auto& [id, note] : story.notes()) {
        const bool was_given = std::any_of(note.given.begin(), note.given.end(), [&](const Given& given) {
            return given.pull->session == call->session && given.pull->token == call->token;
        });
        const Given* latest = latest_given(note, call.at->start());
        const bool is_anothers = latest && latest->pull->runtime != call->runtime && latest->item->needs_answer &&
                                 latest->item->lease > 1 &&
                                 story.is_certainly_held(*latest, note, call.at->order, call.at->at_ms, call.at);
        if (was_given && is_anothers) seen.push_back(latest->pull.at);
        else if (was_given) ++may_hold;
    }
    if (call->renewed > may_hold)
        report.add("a heartbeat renewed " + std::to_string(call->renewed) + " leases of a runtime that may hold " +
                       std::to_string(may_hold),
                   seen);
}

void stale_holder_changes_nothing(const Story& story, Report& report) {
    for (const auto& call : story.all<Narrated>())
        if (call->answer.is_accepted()) {
            check_fence(story, report, call, {call->item}, "a narration");
            // A narration is shown, so a stale one is wrong also where the notification has ended.
            const Note* note = story.resolve(call->session, call->item.id);
            const Given* own = note ? given_by_pull(*note, call->pull_id) : nullptr;
            if (own && own->item->needs_answer &&
                is_taken_over(story, *note, own->item->lease, call->runtime, *call.at))
                report.add("a narration by the pull of a runtime that lost " + note->id + " was accepted",
                           {own->pull.at, call.at});
            const Given* latest = note ? latest_given(*note, call.at->start()) : nullptr;
            if (latest && call->item.lease && *call->item.lease < latest->item->lease)
                report.add("a narration of " + note->id + " under a stale lease was accepted",
                           {latest->pull.at, call.at});
        }
    for (const auto& call : story.all<Acknowledged>())
        if (call->answer.is_accepted()) check_fence(story, report, call, call->items, "an acknowledgement");
    for (const auto& call : story.all<Heartbeat>())
        if (call->answer.is_accepted() && call->renewed > 0) {
            check_fence(story, report, call, call->leases, "a heartbeat");
            check_renewed(story, report, call);
        }
    for (const auto& call : story.all<TurnEnded>()) {
        if (!call->answer.is_accepted()) continue;
        check_fence(story, report, call, call->acknowledged, "an end of turn");
        check_fence(story, report, call, call->leases, "an end of turn");
        check_end_by_pull(story, report, call);
        const bool has_proof = !call->pull_id.empty() || !call->leases.empty() ||
                               std::any_of(call->acknowledged.begin(), call->acknowledged.end(),
                                           [](const ItemName& name) { return name.lease.has_value(); });
        if (has_proof) continue;
        for (const auto& [id, note] : story.notes())
            for (const Given& given : note.given)
                if (given.item->needs_answer && given.item->lease > 1 && given.pull->session == call->session &&
                    given.pull->runtime != call->runtime && !is_left(story, *call.body, note) &&
                    story.is_certainly_held(given, note, call.at->order, call.at->at_ms, call.at))
                    report.add("runtime " + call->runtime + " ended a turn without a lease while " +
                                   given.pull->runtime + " held " + id + " under lease " +
                                   std::to_string(given.item->lease),
                               {given.pull.at, call.at});
    }
}

void holder_is_heard(const Story& story, Report& report) {
    for (const auto& call : story.all<Narrated>()) {
        if (!call->answer.is_rejected() || !call->item.lease || call->answer.status == 429) continue;
        const Note* note = story.resolve(call->session, call->item.id);
        if (!note || !note->is_emitted || !note->routing.is_must_tell()) continue;
        const Given* own = latest_given(*note, call.at->start());
        if (!own || own->pull->runtime != call->runtime || own->item->lease != *call->item.lease) continue;
        if (call->item.version && *call->item.version < note->last_emission().version) continue;
        const Observation& begin = *own->pull.at;
        const std::int64_t lease_ms = own->pull->lease_ms ? own->pull->lease_ms : 900'000;
        if (call.at->at_ms >= begin.start_ms() + lease_ms - story.options().slack_ms) continue;
        const auto is_between = [&](const Observation& at) {
            return &at != call.at && &at != &begin && at.order > begin.start() && at.start() < call.at->order;
        };
        bool may_have_lost = story.has_clock_step(begin.start(), call.at->order);
        // Its own ends count; an end by another runtime must not, except the short form with the same token under
        // lease 1.
        for (const auto& one : story.all<TurnEnded>()) {
            const bool is_short = one->token == call->token && one->pull_id.empty() && *call->item.lease == 1;
            may_have_lost =
                may_have_lost || ((one->runtime == call->runtime || is_short) && one->session == call->session &&
                                  !one->answer.is_rejected() && is_between(*one.at));
        }
        for (const auto& one : story.all<Acknowledged>())
            may_have_lost =
                may_have_lost || (one->runtime == call->runtime && !one->answer.is_rejected() && is_between(*one.at));
        for (const auto& one : story.all<SessionDeleted>())
            may_have_lost =
                may_have_lost || (one->session == call->session && !one->answer.is_rejected() && is_between(*one.at));
        for (const auto& one : story.all<Pulled>())
            may_have_lost = may_have_lost || (one->session == call->session && one->point == "turn_start" &&
                                              !one->answer.is_rejected() && is_between(*one.at));
        for (const auto& one : story.all<TurnStarted>())
            may_have_lost =
                may_have_lost || (one->session == call->session && !one->answer.is_rejected() && is_between(*one.at));
        for (const auto& one : note->narrations) may_have_lost = may_have_lost || is_between(*one.at);
        for (const auto& one : note->acks) may_have_lost = may_have_lost || is_between(*one.at);
        for (const Given& other : note->given) may_have_lost = may_have_lost || is_between(*other.pull.at);
        if (!may_have_lost)
            report.add("runtime " + call->runtime + " held " + note->id + " under lease " +
                           std::to_string(*call->item.lease) +
                           " and its narration was rejected: " + call->answer.reason,
                       {&begin, call.at});
    }
}

void guessed_lease_changes_nothing(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes())
        for (const auto& update : note.emissions)
            for (const Given& given : note.given)
                if (update->answer.is_accepted() && given.item->needs_answer && update->caller != given.pull->token &&
                    note.emissions.front()->mark != update->mark &&
                    story.is_certainly_held(given, note, update.at->order, update.at->at_ms, update.at))
                    report.add(
                        "caller " + update->caller + " overwrote " + id + " while " + given.pull->runtime + " held it",
                        {given.pull.at, update.at});
}

void one_holder(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes())
        for (const Given& first : note.given)
            for (const Given& second : note.given) {
                if (!second.item->needs_answer || first.pull.at->order >= second.pull.at->start()) continue;
                if (second.item->lease < first.item->lease)
                    report.add("the lease of " + id + " went back", {first.pull.at, second.pull.at});
                if (first.pull->runtime == second.pull->runtime) continue;
                if (second.item->lease == first.item->lease)
                    report.add("two runtimes were given " + id + " under one lease", {first.pull.at, second.pull.at});
                if (first.pull->session != second.pull->session && first.item->needs_answer &&
                    story.is_certainly_held(first, note, second.pull.at->order, second.pull.at->at_ms, second.pull.at))
                    report.add("session " + second.pull->session + " was given " + id + " while session " +
                                   first.pull->session + " held it",
                               {first.pull.at, second.pull.at});
            }
}

// Reports a must-tell notification that was not shown within the grace to an interface that was there all the time.
void expect_shown_soon(const Story& story, Report& report, const Note& note, const Observation& since,
                       std::string_view what) {
    const std::int64_t until = since.at_ms + story.options().grace_ms;
    const auto there = story.covering(note.user, since.start_ms(), until);
    if (there.empty()) return;
    const bool shown =
        std::any_of(note.shown.begin(), note.shown.end(), [&](const auto& one) { return one.at->at_ms <= until; });
    if (!shown)
        report.add(std::string(what) + ", and " + note.id + " (" + note.routing.code() + ") was not shown at once",
                   {&since});
}

void silence_is_shown_at_once(const Story& story, Report& report) {
    for (const auto& end : story.all<TurnEnded>()) {
        if (!end->answer.is_accepted()) continue;
        for (const auto& [id, note] : story.notes()) {
            if (!note.is_emitted || !note.routing.is_must_tell()) continue;
            for (const Given& given : note.given) {
                if (given.pull->session != end->session || given.pull->runtime != end->runtime || !given.pull->used)
                    continue;
                if (!end->pull_id.empty() && end->pull_id != given.pull->pull_id) continue;
                if (is_left(story, *end.body, note)) continue;
                if (!story.is_certainly_held(given, note, end.at->order, end.at->at_ms, end.at)) continue;
                const auto& messages = story.all<MessagePosted>();
                const bool said = std::any_of(messages.begin(), messages.end(), [&](const auto& one) {
                    return one->role == "assistant" && one->session == end->session && !one->answer.is_rejected() &&
                           one.at->order > given.pull.at->start();
                });
                if (!said || !note.routing.address_session)
                    expect_shown_soon(story, report, note, *end.at, "the turn ended without telling the user");
            }
        }
    }
}

void deleted_session_is_shown_at_once(const Story& story, Report& report) {
    for (const auto& gone : story.all<SessionDeleted>()) {
        if (!gone->answer.is_accepted()) continue;
        for (const auto& [id, note] : story.notes()) {
            if (!note.is_emitted || !note.routing.is_must_tell()) continue;
            for (const Given& given : note.given)
                if (given.pull->session == gone->session &&
                    story.is_certainly_held(given, note, gone.at->order, gone.at->at_ms, gone.at))
                    expect_shown_soon(story, report, note, *gone.at, "the session of the holder was deleted");
        }
    }
}

void chains_end(const Story& story, Report& report) {
    constexpr int depth_max = 3;
    for (const auto& requested : story.all<TurnRequested>()) {
        const Note* note = story.find_note(requested->id);
        if (note && note->is_emitted && story.chain_depth(*note) > depth_max)
            report.add("a turn was requested for " + note->id + " at depth " + std::to_string(story.chain_depth(*note)),
                       {note->emissions.front().at, requested.at});
    }
    for (const auto& [id, note] : story.notes())
        for (const Given& given : note.given)
            if (note.is_emitted && given.item->needs_answer && story.chain_depth(note) > depth_max) {
                report.add("an agent must act on " + id + " at depth " + std::to_string(story.chain_depth(note)),
                           {note.emissions.front().at, given.pull.at});
                break;
            }
}

void turn_is_requested(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    for (const auto& follow : story.all<FollowedAgent>()) {
        if (!follow->answer.is_accepted() && follow->answer.status != 101) {
            if (follow->answer.status == 404)
                report.add("the stream agent:" + follow->user + " could not be followed", {follow.at});
            continue;
        }
        std::uint64_t until = UINT64_MAX;
        std::int64_t until_ms = INT64_MAX;
        for (const auto& end : story.all<Unfollowed>())
            if (end->follower == follow->follower && end.at->order > follow.at->order && end.at->order < until)
                until = end.at->order, until_ms = end.at->at_ms;
        for (const auto& [id, note] : story.notes()) {
            if (!note.is_accepted || note.user != follow->user || !note.routing.handler_agent || !note.agent.empty())
                continue;
            const auto& first = note.emissions.front();
            const std::int64_t soon = first.at->at_ms + story.options().grace_ms;
            if (first.at->start() <= follow.at->order || soon > until_ms || story.has_crash(first.at->start_ms(), soon))
                continue;
            if (first->role == "agent" || !first->caused_by.empty()) continue;  // the chain may have ended
            const bool told = std::any_of(note.requests.begin(), note.requests.end(),
                                          [&](const auto& one) { return one->follower == follow->follower; });
            if (!told)
                report.add("no turn was requested for " + id + " (" + note.routing.code() + ")", {follow.at, first.at});
        }
    }
}

void ttl_is_kept(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes()) {
        if (!note.is_accepted || !note.routing.handler_agent || !note.given.empty() || !note.agent.empty()) continue;
        const auto& first = note.emissions.front();
        if (first->role == "agent" || !first->caused_by.empty() || !note.is_certain) continue;
        // Updates move the deadline, never beyond twice the TTL.
        std::int64_t ttl_ms = 0;
        for (const auto& one : note.emissions) ttl_ms = std::max(ttl_ms, one->ttl_ms ? one->ttl_ms : 300'000);
        const std::int64_t until =
            first.at->at_ms + (note.emissions.size() > 1 ? 2 : 1) * ttl_ms + story.options().grace_ms;
        if (story.covering(note.user, first.at->start_ms(), until).empty() ||
            story.has_clock_step(first.at->start(), UINT64_MAX))
            continue;
        if (story.may_be_given(note)) continue;
        const bool shown =
            std::any_of(note.shown.begin(), note.shown.end(), [&](const auto& one) { return one.at->at_ms <= until; });
        if (!shown)
            report.add("no agent came for " + id + " (" + note.routing.code() + ") and its TTL ran out unseen",
                       {first.at});
    }
}

void prompt_hides_classes_of_tools(const Story& story, Report& report) {
    for (const auto& pull : story.all<Pulled>())
        for (const std::string_view word : {"EXTERNAL", "INTERNAL", "external", "internal", "External", "Internal"})
            if (pull->prompt.find(word) != std::string::npos)
                report.add("the prompt says " + std::string(word), {pull.at});
}

void item_says_must_tell(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes()) {
        if (!note.is_emitted || !note.tools.empty()) continue;
        for (const Given& given : note.given) {
            if (!given.item->needs_answer) continue;
            const bool must = note.routing.is_must_tell();
            // A tool that names nothing may have made an internal matter the user's.
            const auto& calls = story.all<ToolCalled>();
            const bool has_tool = std::any_of(calls.begin(), calls.end(), [&](const auto& call) {
                return call->external && call->user == note.user && !call->answer.is_rejected();
            });
            if (!must && has_tool && given.item->must_tell.value_or(false)) continue;
            if (!given.item->must_tell || *given.item->must_tell != must)
                report.add("item " + given.item->handle + " (" + note.routing.code() +
                               ") does not say whether the user must be told",
                           {given.pull.at});
            if (given.item->prompt_must_tell && *given.item->prompt_must_tell != must)
                report.add("the prompt says the wrong thing about item " + given.item->handle + " (" +
                               note.routing.code() + ")",
                           {given.pull.at});
        }
    }
}

void belfry_agent_is_given_the_text(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    for (const auto& agent : story.all<AgentMade>()) {
        if (!agent->answer.is_accepted() || !agent->tells || !agent->repeats_given || agent->workflow == "worker")
            continue;
        for (const auto& [id, note] : story.notes()) {
            if (!note.is_accepted || note.agent != agent->agent || !note.routing.handler_agent) continue;
            bool told = false;
            for (const auto& shown : story.all<Shown>())
                told = told || (shown->text.find(agent->mark) != std::string::npos &&
                                shown->text.find(note.last_emission().mark) != std::string::npos);
            // The TTL may have run out at once.
            const bool has_step = !note.shown.empty() && story.has_clock_step(note.emissions.front().at->start(),
                                                                              note.shown.front().at->order);
            if (!told && note.is_certain && !has_step)
                report.add("agent " + agent->agent + " was woken by " + id + " and was not given its text",
                           {note.emissions.front().at});
        }
    }
}

}  // namespace

std::vector<Invariant> holder_invariants() {
    return {
        {"stale_holder_changes_nothing",
         "Each notification is subject to lease-based ownership fencing to prevent concurrent delivery attempts.",
         "004 section 2.2; acceptance delivery 24", stale_holder_changes_nothing},
        {"holder_is_heard", "R2's narration is delivered", "acceptance delivery 24", holder_is_heard},
        {"guessed_lease_changes_nothing",
         "if an event is LOCKED, deduplication updates must verify the current owner_lease to prevent race conditions",
         "004 section 5.3; acceptance delivery 28", guessed_lease_changes_nothing},
        {"one_holder", "This prevents concurrent delivery attempts.", "004 section 5.1", one_holder},
        {"silence_is_shown_at_once", "USER USER AGENT, the turn ends in silence: system delivery at once.",
         "acceptance delivery 10, 27", silence_is_shown_at_once},
        {"deleted_session_is_shown_at_once",
         "A session is deleted while its agent holds a row for the user: the user sees it at once.",
         "acceptance delivery 32", deleted_session_is_shown_at_once},
        {"chains_end", "a chain of notifications stops at depth 3", "acceptance delivery 19, 30", chains_end},
        {"turn_is_requested", "Immediate Narration (Must process). Immediate Processing (Actionable).", "004 section 6",
         turn_is_requested},
        {"ttl_is_kept",
         "Agent execution failed or exceeded TTL; ownership forcibly reverted to System Channel (Fallback).",
         "004 section 5.1; acceptance delivery 3, 13", ttl_is_kept},
        {"prompt_hides_classes_of_tools",
         "The agent does not know the classification; it is strictly a protocol-level enforcement.",
         "004 section 2.4; acceptance delivery 14", prompt_hides_classes_of_tools},
        {"item_says_must_tell", "The text handed to a model says which items must be told to the user.",
         "acceptance delivery 27", item_says_must_tell},
        {"belfry_agent_is_given_the_text", "X is given the text; the user sees one item or none, never three.",
         "acceptance delivery 26", belfry_agent_is_given_the_text},
    };
}

}  // namespace observer
