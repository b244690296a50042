#include <algorithm>
#include <tuple>

#include "story.hpp"

// The promises about what agents know: facts that the user was shown, messages of the user, the order of a
// conversation.
namespace observer {
namespace {

constexpr std::int64_t day_ms = 86'400'000;

// True if the pull's answer certainly counts as received before `order`: its runtime named or acknowledged it, or ended
// the turn with it, while the lease ran and before another runtime began or ended a turn in the session.
bool is_confirmed(const Story& story, const Seen<Pulled>& pull, std::uint64_t before) {
    const std::int64_t until =
        pull.at->start_ms() + (pull->lease_ms ? pull->lease_ms : 900'000) - story.options().slack_ms;
    const auto is_after = [&](const Observation& at) { return at.start() > pull.at->order && at.order < before; };
    std::uint64_t first = UINT64_MAX;
    const auto consider = [&](const auto& one, bool names) {
        if (names && one->answer.is_accepted() && is_after(*one.at) && one.at->at_ms < until)
            first = std::min(first, one.at->order);
    };
    for (const auto& one : story.all<Pulled>()) consider(one, one->named_pull == pull->pull_id);
    for (const auto& one : story.all<Acknowledged>()) consider(one, one->pull_id == pull->pull_id);
    for (const auto& one : story.all<TurnEnded>())
        consider(one, one->session == pull->session && one->runtime == pull->runtime && one->pull_id == pull->pull_id);
    if (first == UINT64_MAX || story.has_clock_step(pull.at->start(), first)) return false;
    const auto disturbs = [&](const auto& one) {
        return one->session == pull->session && one->runtime != pull->runtime && one.at->order > pull.at->start() &&
               one.at->start() < first;
    };
    const auto is_undisturbed = [&](const auto& calls) { return std::none_of(calls.begin(), calls.end(), disturbs); };
    return is_undisturbed(story.all<TurnStarted>()) && is_undisturbed(story.all<TurnEnded>()) &&
           is_undisturbed(story.all<Pulled>());
}

// True if an end of turn that named nothing may have counted the pull as received (decision 0013).
bool may_be_confirmed(const Story& story, const Seen<Pulled>& pull, std::uint64_t before) {
    for (const auto& one : story.all<TurnEnded>())
        if (one->session == pull->session && !one->answer.is_rejected() && one.at->order > pull.at->start() &&
            one.at->start() < before)
            return true;
    return false;
}

std::vector<Seen<Pulled>> pulls_of(const Story& story, const std::string& session) {
    std::vector<Seen<Pulled>> found;
    for (const auto& pull : story.all<Pulled>())
        if (pull->session == session && pull->answer.is_accepted()) found.push_back(pull);
    return found;
}

std::set<std::string> sessions_of(const Story& story) {
    std::set<std::string> found;
    for (const auto& pull : story.all<Pulled>()) found.insert(pull->session);
    return found;
}

std::int64_t made_ms(const Story& story, const std::string& session) {
    for (const auto& made : story.all<SessionMade>())
        if (made->session == session) return made.at->start_ms();
    for (const auto& pull : story.all<Pulled>())
        if (pull->session == session) return pull.at->start_ms();
    return 0;
}

using Marks = std::set<std::string, std::less<>>;

// What the agent of a session certainly or possibly knows just after a pull, by its marks.
struct Knowledge {
    Marks facts;      // told as a fact, with any status
    Marks confirmed;  // told as acknowledged by the user
    Marks items;      // given as an item
    Marks speech;     // said by this session's agent itself
};

void add_marks(Marks& into, std::string_view text) {
    for (const std::string_view mark : find_marks(text)) into.emplace(mark);
}

Knowledge knowledge_after(const Story& story, const Seen<Pulled>& now) {
    Knowledge known;
    for (const auto& pull : pulls_of(story, now->session)) {
        if (pull.at->start() > now.at->order) continue;
        if (!pull->used && !may_be_confirmed(story, pull, now.at->order)) continue;
        for (const auto& fact : pull->seen) {
            add_marks(known.facts, fact.text);
            if (fact.status == "seen") add_marks(known.confirmed, fact.text);
        }
        for (const auto& item : pull->items) add_marks(known.items, item.text), add_marks(known.items, item.content);
    }
    for (const auto& one : story.all<Narrated>())
        if (one->session == now->session && one.at->start() < now.at->order) add_marks(known.speech, one->text);
    for (const auto& one : story.all<MessagePosted>())
        if (one->session == now->session && one.at->start() < now.at->order) add_marks(known.speech, one->text);
    return known;
}

bool is_in_scope(const Shown& shown, const std::string& session) {
    return shown.channel != "conversation" || shown.session.empty() || shown.session == session;
}

// The newest version of a notification that the user of a pull was certainly shown before it, in the scope of its
// session.
const Seen<Shown>* newest_shown(const Story& story, const Note& note, const Seen<Pulled>& pull,
                                std::int64_t recent_ms) {
    const Seen<Shown>* newest = nullptr;
    for (const auto& shown : note.shown)
        if (shown->user == pull->user && is_in_scope(*shown.body, pull->session) &&
            shown.at->at_ms < pull.at->start_ms() - story.options().slack_ms && shown.at->at_ms > recent_ms &&
            (!newest || shown->version >= (*newest)->version))
            newest = &shown;
    return newest;
}

// True if a mark of the shown text, or of the version that it is about or a later one, is among the marks.
bool has_any(const Note& note, const Shown& shown, const Marks& marks) {
    for (const std::string_view mark : find_marks(shown.text))
        if (marks.contains(mark)) return true;
    return std::any_of(note.emissions.begin(), note.emissions.end(), [&](const auto& emitted) {
        return (emitted->version == 0 || emitted->version >= shown.version) && marks.contains(emitted->mark);
    });
}

// The session's agent was given the item, and the user was shown it in the agent's stead.
bool is_escalated_from(const Note& note, const Seen<Shown>& shown, const std::string& session) {
    return !shown->narration && note.is_emitted && note.routing.handler_agent &&
           std::any_of(note.given.begin(), note.given.end(), [&](const Given& given) {
               return given.pull->session == session && given.pull.at->start() < shown.at->order;
           });
}

// True if the answer to a pull of the session was lost at or after `known_ms`, and an end of turn that named no pull
// may have counted the pull as received before `before` (decision 0013).
bool is_lost_with_a_pull(const Story& story, const std::string& session, std::int64_t known_ms, std::uint64_t before) {
    const auto may_confirm = [&](const Seen<Pulled>& lost) {
        const auto& ends = story.all<TurnEnded>();
        return std::any_of(ends.begin(), ends.end(), [&](const auto& end) {
            return end->session == session && end->pull_id.empty() && !end->answer.is_rejected() &&
                   end.at->order > lost.at->start() && end.at->start() < before;
        });
    };
    const auto& pulls = story.all<Pulled>();
    return std::any_of(pulls.begin(), pulls.end(), [&](const auto& pull) {
        const bool has_answer = pull->answer.is_accepted() || pull->answer.is_rejected();
        return pull->session == session && !has_answer && known_ms <= pull.at->at_ms && may_confirm(pull);
    });
}

// The earliest time at which the daemon may have known that the user is shown a version of the notification.
std::int64_t first_known_ms(const Story& story, const Note& note, std::int64_t version) {
    std::int64_t first = INT64_MAX;
    for (const auto& shown : note.shown)
        if (shown->version == version) first = std::min(first, shown.at->at_ms);
    for (const auto& rang : note.rang)
        if (rang->version == version) first = std::min(first, rang.at->at_ms);
    return first - story.options().grace_ms;
}

void turn_knows_what_user_was_shown(const Story& story, Report& report) {
    for (const std::string& session : sessions_of(story)) {
        const std::int64_t recent_ms = made_ms(story, session) - day_ms + story.options().grace_ms;
        for (const auto& pull : pulls_of(story, session)) {
            if (pull->point != "turn_start" || !pull->used || story.is_erased(pull->user)) continue;
            const Knowledge known = knowledge_after(story, pull);
            std::vector<const Observation*> missing{pull.at};
            std::string names;
            for (const auto& [id, note] : story.notes()) {
                const Seen<Shown>* shown = newest_shown(story, note, pull, recent_ms);
                if (!shown || find_marks((*shown)->text).empty()) continue;
                if (has_any(note, *shown->body, known.facts) || has_any(note, *shown->body, known.speech)) continue;
                if (has_any(note, *shown->body, known.items) && !is_escalated_from(note, *shown, session)) continue;
                if (is_lost_with_a_pull(story, session, first_known_ms(story, note, (*shown)->version), pull.at->order))
                    continue;
                missing.push_back(shown->at);
                names += " " + std::string(find_marks((*shown)->text).front()) + "(" + note.routing.code() + ")";
            }
            if (missing.size() - 1 > static_cast<std::size_t>(pull->facts_left))
                report.add("the turn of session " + session + " was not told of" + names +
                               ", which its user was shown; counted: " + std::to_string(pull->facts_left),
                           missing);
        }
    }
}

// True if a mark of the notification was shown in another item, too: a notice about a tool that was used for it.
bool has_another_item(const Story& story, const Note& note) {
    return std::any_of(note.emissions.begin(), note.emissions.end(), [&](const auto& one) {
        const std::set<std::string>& ids = story.shown_ids(one->mark);
        return ids.size() > 1 || (ids.size() == 1 && !ids.contains(note.id));
    });
}

void change_of_status_is_told(const Story& story, Report& report) {
    for (const std::string& session : sessions_of(story))
        for (const auto& pull : pulls_of(story, session)) {
            if (pull->point != "turn_start" || !pull->used || pull->facts_left > 0 || story.is_erased(pull->user))
                continue;
            const Knowledge known = knowledge_after(story, pull);
            for (const auto& [id, note] : story.notes()) {
                const Seen<Shown>* shown = newest_shown(story, note, pull, INT64_MIN);
                if (!shown || !has_any(note, *shown->body, known.facts) || has_any(note, *shown->body, known.confirmed))
                    continue;
                if (has_another_item(story, note)) continue;
                for (const auto& ack : note.acks)
                    if (ack->answer.is_accepted() && ack.at->at_ms < pull.at->start_ms() - story.options().slack_ms &&
                        !is_lost_with_a_pull(story, session, ack.at->start_ms(), pull.at->order)) {
                        report.add("session " + session + " was told that " + id +
                                       " was shown, and not that the user acknowledged it",
                                   {ack.at, pull.at});
                        break;
                    }
            }
        }
}

void fact_is_told_once(const Story& story, Report& report) {
    for (const std::string& session : sessions_of(story)) {
        // Mark, status, tools: a notification and the notice about a tool that was used for it have the same mark.
        std::map<std::tuple<std::string, std::string, std::vector<std::string>>, Seen<Pulled>> told;
        for (const auto& pull : pulls_of(story, session)) {
            for (const auto& fact : pull->seen)
                for (const std::string_view mark : find_marks(fact.text)) {
                    const Mark* known = story.find_mark(mark);
                    if (known && known->kind == Mark::Kind::agent)
                        continue;  // stands in everything that the agent says
                    // A fact about an update that the user was not shown yet is another one.
                    const bool is_earlier = fact.text.find("(the user was shown an earlier text)") != std::string::npos;
                    const std::string status = fact.status + (is_earlier ? ", earlier text" : "");
                    const auto [found, is_new] =
                        told.try_emplace({std::string(mark), status, story.find_tools(fact.text)}, pull);
                    if (is_new) continue;
                    if (is_confirmed(story, found->second, pull.at->start()))
                        report.add("session " + session + " was told the fact " + std::string(mark) + " (" +
                                       fact.status + ") twice",
                                   {found->second.at, pull.at});
                    found->second = pull;
                }
        }
    }
}

// True if the user's acknowledgement was answered well before the pull.
bool was_acked(const Story& story, const std::set<std::string>& ids, const Seen<Pulled>& pull) {
    for (const std::string& id : ids)
        if (const Note* note = story.find_note(id))
            for (const auto& ack : note->acks)
                if (ack->answer.is_accepted() && ack.at->order < pull.at->start() &&
                    ack.at->at_ms < pull.at->start_ms() - story.options().slack_ms)
                    return true;
    return false;
}

// The notifications that a fact may be about: a notice about a tool has the mark of the notification that the tool was
// used for, and names the tool.
std::set<std::string> ids_of_fact(const Story& story, std::string_view mark, std::string_view text) {
    std::set<std::string> ids = story.shown_ids(mark);
    if (const Mark* known = story.find_mark(mark)) ids.insert(known->ids.begin(), known->ids.end());
    const std::vector<std::string> tools = story.find_tools(text);
    std::set<std::string> named;
    for (const std::string& id : ids)
        if (const Note* note = story.find_note(id))
            for (const auto& shown : note->shown)
                if (story.find_tools(shown->text) == tools) named.insert(id);
    return named.empty() ? ids : named;
}

void fact_is_true(const Story& story, Report& report) {
    for (const auto& pull : story.all<Pulled>())
        for (const auto& fact : pull->seen)
            for (const std::string_view name : find_marks(fact.text)) {
                const Mark* mark = story.find_mark(name);
                if (mark && mark->kind == Mark::Kind::agent) continue;  // stands in everything that the agent says
                const std::set<std::string> ids = ids_of_fact(story, name, fact.text);
                bool is_shown = false;
                bool is_acked = false;
                bool is_possible = false;
                for (const std::string& id : ids) {
                    const Note* note = story.find_note(id);
                    if (!note) continue;
                    for (const auto& shown : note->shown) is_shown = is_shown || shown.at->order < pull.at->order;
                    for (const auto& rang : note->rang) is_shown = is_shown || rang.at->order < pull.at->order;
                    for (const auto& ack : note->acks) is_acked = is_acked || ack.at->start() < pull.at->order;
                }
                // A frame may have been sent and not received: an interface or a sink was there.
                for (const auto& [connection, open] : story.connections())
                    is_possible = is_possible || (open.user == pull->user && open.opened.at->start() < pull.at->order);
                for (const auto& sink : story.all<SinkMade>()) is_possible = is_possible || sink->user == pull->user;
                for (const auto& message : story.all<MessagePosted>()) is_shown = is_shown || message->mark == name;
                if (!is_shown && !is_possible)
                    report.add(
                        "session " + pull->session + " was told " + std::string(name) + ", which nobody was shown",
                        {pull.at});
                if (fact.status == "seen" && !is_acked && !ids.empty())
                    report.add("session " + pull->session + " was told " + std::string(name) +
                                   " as seen, which the user did not acknowledge",
                               {pull.at});
                if (fact.status != "seen" && was_acked(story, ids, pull))
                    report.add("session " + pull->session + " was told " + std::string(name) +
                                   " as not confirmed, which the user had acknowledged",
                               {pull.at});
                for (const std::string& id : ids)
                    if (const Note* note = story.find_note(id); note && note->is_emitted && note->routing.is_passive())
                        report.add(
                            "session " + pull->session + " was told passive context " + id + " as a fact of the user",
                            {pull.at});
            }
}

void user_message_reaches_agent(const Story& story, Report& report) {
    for (const auto& message : story.all<MessagePosted>()) {
        if (message->role != "user" || !message->answer.is_accepted()) continue;
        Seen<Pulled> first;
        for (const auto& pull : pulls_of(story, message->session)) {
            const bool has = std::any_of(pull->user_messages.begin(), pull->user_messages.end(), [&](const auto& one) {
                return one.text.find(message->mark) != std::string::npos;
            });
            if (!has) continue;
            if (first.body && is_confirmed(story, first, pull.at->start()))
                report.add("message " + message->mark + " of the user was given to the agent twice",
                           {first.at, pull.at});
            first = pull;
        }
        const auto& gone = story.all<SessionDeleted>();
        const bool is_gone =
            std::any_of(gone.begin(), gone.end(), [&](const auto& one) { return one->session == message->session; });
        const bool is_lost = is_lost_with_a_pull(story, message->session, message.at->start_ms(), UINT64_MAX);
        if (story.is_quiet() && !first.body && !is_gone && !is_lost && !story.is_erased(message->user))
            report.add("message " + message->mark + " of the user was given to no agent", {message.at});
    }
}

void alerts_precede_output(const Story& story, Report& report) {
    for (const auto& history : story.all<HistoryRead>()) {
        const auto place = [&](const std::string& mark) {
            return std::find(history->marks.begin(), history->marks.end(), mark) - history->marks.begin();
        };
        const auto end = static_cast<std::ptrdiff_t>(history->marks.size());
        for (const auto& message : story.all<MessagePosted>()) {
            if (message->session != history->session || message->role != "assistant" || place(message->mark) == end)
                continue;
            for (const auto& [id, note] : story.notes()) {
                if (!note.is_accepted || note.session != history->session || !note.routing.is_alert() ||
                    note.emissions.size() > 1)
                    continue;
                if (note.emissions.front().at->order >= message.at->start()) continue;
                const auto alert = place(note.emissions.front()->mark);
                if (alert != end && alert > place(message->mark))
                    report.add(
                        "alert " + id + " came before the agent's message " + message->mark + " and stands after it",
                        {note.emissions.front().at, message.at, history.at});
            }
        }
    }
}

}  // namespace

std::vector<Invariant> awareness_invariants() {
    return {
        {"turn_knows_what_user_was_shown",
         "Agents can answer questions about system toasts because the data is persisted in the event_ledger and "
         "hydrated into "
         "their context window.",
         "004 section 3; acceptance delivery 29", turn_knows_what_user_was_shown},
        {"change_of_status_is_told", "Facts that were shown and not acknowledged are told as such.",
         "acceptance delivery 29", change_of_status_is_told},
        {"fact_is_told_once", "Thirty facts with room for twenty: all thirty are told within two turns, each once.",
         "acceptance delivery 29", fact_is_told_once},
        {"fact_is_true", "The Agent receives the event in its Prompt context marked as [SEEN] for read-only awareness.",
         "004 section 2.3", fact_is_true},
        {"user_message_reaches_agent", "Identifies the target agent session for routing validation",
         "001 Client Notification", user_message_reaches_agent},
        {"alerts_precede_output", "System alerts are serialized before Agent turns to ensure causal ordering.",
         "004 section 7", alerts_precede_output},
    };
}

}  // namespace observer
