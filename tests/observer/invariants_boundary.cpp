#include <algorithm>

#include "story.hpp"

// The promises about what belongs to whom, what lasts, and what stays between agents.
namespace observer {
namespace {

void nothing_reaches_another_user(const Story& story, Report& report) {
    const auto check = [&](std::string_view text, const std::string& user, const Observation* at,
                           std::string_view where) {
        for (const std::string_view name : find_marks(text))
            if (const Mark* mark = story.find_mark(name); mark && !mark->user.empty() && mark->user != user)
                report.add(
                    std::string(where) + " of user " + user + " has " + std::string(name) + " of user " + mark->user,
                    {at});
    };
    for (const auto& one : story.all<Shown>()) {
        check(one->text, one->user, one.at, "an interface");
        check(one->content, one->user, one.at, "an interface");
    }
    for (const auto& one : story.all<Rang>()) check(one->text, one->user, one.at, "a sink");
    for (const auto& one : story.all<Listed>()) check(one->text, one->user, one.at, "the inbox");
    for (const auto& one : story.all<Pulled>()) {
        check(one->prompt, one->user, one.at, "a pull");
        for (const auto& item : one->items) check(item.text, one->user, one.at, "a pull");
        for (const auto& fact : one->seen) check(fact.text, one->user, one.at, "a pull");
        for (const auto& message : one->user_messages) check(message.text, one->user, one.at, "a pull");
        check(one->digest, one->user, one.at, "a pull");
    }
    for (const auto& one : story.all<TurnRequested>())
        if (const Note* note = story.find_note(one->id); note && note->is_emitted && note->user != one->user)
            report.add("the stream agent:" + one->user + " named " + one->id + " of user " + note->user, {one.at});
}

void rejected_changes_nothing(const Story& story, Report& report) {
    const auto check = [&](std::string_view text, const Observation* at) {
        for (const std::string_view name : find_marks(text))
            if (const Mark* mark = story.find_mark(name); mark && mark->is_rejected)
                report.add("a rejected request had an effect: " + std::string(name) + " was seen", {at});
    };
    for (const auto& one : story.all<Shown>()) check(one->text, one.at);
    for (const auto& one : story.all<Rang>()) check(one->text, one.at);
    for (const auto& one : story.all<Pulled>()) {
        for (const auto& item : one->items) check(item.text, one.at);
        for (const auto& fact : one->seen) check(fact.text, one.at);
        for (const auto& message : one->user_messages) check(message.text, one.at);
    }
}

void one_key_one_notification(const Story& story, Report& report) {
    std::map<std::pair<std::string, std::string>, Seen<Emitted>> first;
    for (const auto& one : story.all<Emitted>()) {
        if (one->idempotency_key.empty() || !one->answer.is_accepted()) continue;
        const auto [found, is_new] = first.try_emplace({one->caller, one->idempotency_key}, one);
        if (!is_new && found->second->id != one->id)
            report.add("the same Idempotency-Key made " + found->second->id + " and " + one->id,
                       {found->second.at, one.at});
    }
    std::map<std::pair<std::string, std::string>, Seen<EventEmitted>> first_event;
    for (const auto& one : story.all<EventEmitted>()) {
        if (one->idempotency_key.empty() || !one->answer.is_accepted()) continue;
        const auto [found, is_new] = first_event.try_emplace({one->caller, one->idempotency_key}, one);
        if (!is_new && found->second->id != one->id)
            report.add("the same Idempotency-Key made events " + found->second->id + " and " + one->id,
                       {found->second.at, one.at});
    }
    // A request whose answer was lost and its retry: what the model is given comes under one id.
    std::map<std::string, std::pair<std::string, const Observation*>, std::less<>> given;
    for (const auto& pull : story.all<Pulled>())
        for (const auto& item : pull->items)
            for (const std::string_view mark : find_marks(item.text)) {
                if (!item.stands_for.empty()) continue;  // a summary quotes what it stands for
                const auto [found, is_new] =
                    given.try_emplace(std::string(mark), std::pair<std::string, const Observation*>(item.id, pull.at));
                const Mark* known = story.find_mark(mark);
                if (!is_new && found->second.first != item.id && known && known->kind == Mark::Kind::emission)
                    report.add("one emission " + std::string(mark) + " was given to agents as " + found->second.first +
                                   " and as " + item.id,
                               {found->second.second, pull.at});
            }
}

void accepted_is_never_lost(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    for (const auto& [id, note] : story.notes()) {
        if (!note.is_accepted || story.is_erased(note.user)) continue;
        if (!note.why || note.why->state.empty() || note.why->state == "missing")
            report.add("notification " + id + " was accepted and is gone", {note.emissions.front().at});
    }
    for (const auto& event : story.all<EventEmitted>()) {
        if (!event->answer.is_accepted() || event->expect.empty() || story.is_erased(event->user)) continue;
        bool seen = false;
        if (event->expect == "inbox") seen = !story.shown_ids(event->mark).empty();
        if (event->expect == "agent")
            for (const auto& pull : story.all<Pulled>())
                for (const auto& item : pull->items)
                    seen = seen || item.text.find(event->mark) != std::string::npos ||
                           item.content.find(event->mark) != std::string::npos;
        if (!seen)
            report.add("event " + event->id + " (" + event->mark + ") did not come to the " + event->expect,
                       {event.at});
    }
}

void nothing_stays_open(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    for (const auto& [id, note] : story.notes()) {
        if (!note.why || story.is_erased(note.user) || note.why->state.empty() || note.why->state == "missing")
            continue;
        if (note.why->state != "delivered" && note.why->state != "failed")
            report.add("notification " + id + " (" + note.routing.code() + ") is still " + note.why->state +
                           " after every TTL and lease ran out; last step " + note.why->reason,
                       {note.emissions.empty() ? nullptr : note.emissions.front().at});
    }
}

void passive_context_is_not_shown(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes()) {
        if (!note.is_emitted || !note.routing.is_passive()) continue;
        for (const auto& shown : note.shown) report.add("passive context " + id + " was shown to the user", {shown.at});
        for (const auto& rang : note.rang) report.add("passive context " + id + " rang a sink", {rang.at});
    }
}

void passive_context_reaches_an_agent(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    // A summary quotes one of the notifications that it stands for and names the others by their handles. A handle that
    // no other pull has may be any notification of the user.
    std::set<std::string, std::less<>> summarized;
    std::set<std::string, std::less<>> quoted;
    std::set<std::string, std::less<>> uncertain_users;
    for (const auto& pull : story.all<Pulled>())
        for (const auto& item : pull->items) {
            for (const auto& name : item.stands_for)
                if (const Note* note = story.resolve(pull->session, name)) summarized.insert(note->id);
                else uncertain_users.insert(pull->user);
            if (item.stands_for.empty()) continue;
            for (const std::string* const part : {&item.text, &item.content})
                for (const std::string_view mark : find_marks(*part)) quoted.emplace(mark);
        }
    for (const auto& [id, note] : story.notes()) {
        if (!note.is_accepted || !note.routing.is_passive() || story.is_erased(note.user)) continue;
        const bool is_explained = note.why && note.why->state == "failed";
        const bool is_quoted = std::any_of(note.emissions.begin(), note.emissions.end(),
                                           [&](const auto& one) { return quoted.contains(one->mark); });
        if (is_quoted || uncertain_users.contains(note.user) || story.may_be_given(note)) continue;
        if (note.given.empty() && !summarized.contains(id) && !is_explained)
            report.add("passive context " + id + " (" + note.last_emission().mark + ") came to no agent",
                       {note.emissions.front().at});
    }
}

// The earliest request that may have made the notification: its answer may have been lost, and a retry was answered.
const Observation& first_request(const Note& note) {
    const auto began = [](const auto& one) { return one.at->start(); };
    return *std::ranges::min_element(note.emissions, {}, began)->at;
}

void internal_matter_stays_internal(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes()) {
        if (!note.is_emitted || !note.routing.is_decide() || note.shown.empty()) continue;
        const auto& shown = note.shown.front();
        if (shown->narration) continue;  // the agent decided to speak
        // A tool call may have promoted it: one that names it, or one in a session that was given it.
        bool has_tool = !note.tools.empty();
        for (const auto& call : story.all<ToolCalled>())
            for (const Given& given : note.given)
                has_tool =
                    has_tool || (call->external && !call->answer.is_rejected() && call->session == given.pull->session);
        // The end of a chain may have made something else of it.
        const bool in_chain = std::any_of(note.emissions.begin(), note.emissions.end(), [](const auto& one) {
            return one->role == "agent" || !one->caused_by.empty();
        });
        if (has_tool || in_chain) continue;
        const Observation& first = first_request(note);
        const bool is_due = shown.at->at_ms >= first.start_ms() + note.ttl_ms - story.options().slack_ms;
        if (!is_due && !story.has_clock_step(first.start(), shown.at->order))
            report.add("internal matter " + id + " was shown before its TTL, and no external tool was used",
                       {&first, shown.at});
        if (note.why && note.why->state == "delivered" &&
            (note.why->reason == "vetoed" || note.why->reason == "acknowledged_by_model"))
            report.add("internal matter " + id + " was shown and is said to have ended as " + note.why->reason,
                       {shown.at});
    }
}

void external_tool_is_seen(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    // The ids of items that name each tool, as the user saw them.
    std::map<std::string, std::set<std::string>> items;
    for (const auto& shown : story.all<Shown>())
        for (const std::string& tool : story.find_tools(shown->text + " " + shown->content))
            items[tool].insert(shown->id);
    std::set<std::string> judged;
    for (const auto& call : story.all<ToolCalled>()) {
        if (!call->external || !call->answer.is_accepted() || story.is_erased(call->user)) continue;
        // A call that names nothing is about every internal matter that the session holds.
        bool is_internal = false;
        bool is_named = false;
        for (const ItemName& name : call->handling)
            if (const Note* note = story.resolve(call->session, name.id))
                is_named = true, is_internal = is_internal || (note->is_emitted && note->routing.is_decide());
        if (!is_named)
            for (const auto& [id, note] : story.notes())
                for (const Given& given : note.given)
                    is_internal =
                        is_internal ||
                        (note.is_emitted && note.routing.is_decide() && call->session == given.pull->session &&
                         story.is_certainly_held(given, note, call.at->order, call.at->at_ms, call.at));
        if (!is_internal || !judged.insert(call->tool).second) continue;
        const std::set<std::string>& found = items[call->tool];
        if (found.empty())
            report.add(
                "the external tool " + call->tool + " was used in an internal turn and no item names it to the user",
                {call.at});
        if (found.size() > 1 && is_named)
            report.add("the external tool " + call->tool + " was shown in " + std::to_string(found.size()) + " items",
                       {call.at});
    }
}

void inbox_lists_what_was_shown(const Story& story, Report& report) {
    if (!story.is_quiet() || story.all<Listed>().empty()) return;
    std::set<std::string> listed;
    for (const auto& one : story.all<Listed>()) listed.insert(one->id);
    for (const auto& [id, note] : story.notes())
        if (!note.shown.empty() && !listed.contains(id) && !story.is_erased(note.shown.front()->user))
            report.add("notification " + id + " was shown and is not in the list of the inbox",
                       {note.shown.front().at});
}

}  // namespace

std::vector<Invariant> boundary_invariants() {
    return {
        {"nothing_reaches_another_user",
         "USER: Bound to a user_id (global session state, independent of active conversations).", "004 section 2.1",
         nothing_reaches_another_user},
        {"rejected_changes_nothing", "refused, told why, nothing changed", "acceptance delivery 4",
         rejected_changes_nothing},
        {"one_key_one_notification",
         "The same Idempotency-Key twice on POST /v1/notifications and /v1/notify: one notification.",
         "004 section 5.3; acceptance delivery 31", one_key_one_notification},
        {"accepted_is_never_lost", "kill -9 at any instant …: no acknowledged event lost, none shown twice",
         "acceptance delivery 22", accepted_is_never_lost},
        {"nothing_stays_open", "LOCKED → (DELIVERED | ESCALATED → (DELIVERED | FAILED) | FAILED)", "004 section 5.1",
         nothing_stays_open},
        {"passive_context_is_not_shown", "Deterministic: Passive Context. None. Human is blind to the event.",
         "004 section 6", passive_context_is_not_shown},
        {"passive_context_reaches_an_agent", "Passive Context (Read-Only)", "004 section 6",
         passive_context_reaches_an_agent},
        {"internal_matter_stays_internal",
         "INTERNAL: Agent may act without notifying the user … These do NOT trigger promotion to USER.",
         "004 section 2.4", internal_matter_stays_internal},
        {"external_tool_is_seen",
         "EXTERNAL: Any action must be made visible to the user. … user awareness is guaranteed.", "004 section 2.4",
         external_tool_is_seen},
        {"inbox_lists_what_was_shown", "GET /v1/inbox: A person's inbox and conversations as a list", "docs/http.md",
         inbox_lists_what_was_shown},
    };
}

}  // namespace observer
