#include <algorithm>

#include "story.hpp"

// The promises about a user's side: interfaces and sinks.
namespace observer {
namespace {

bool has_mark(std::string_view text, std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
}

bool was_told_by_message(const Story& story, const Note& note) {
    // Address SESSION: a message of the assistant in that session, after the agent was given the notification, tells
    // it.
    for (const Given& given : note.given)
        for (const auto& message : story.all<MessagePosted>())
            if (note.routing.address_session && message->role == "assistant" &&
                message->session == given.pull->session && !message->answer.is_rejected() &&
                message.at->order > given.pull.at->start())
                return true;
    return false;
}

// A failure that the ledger explains: nobody came for 30 days, or the user's data was removed.
bool is_explained(const Story& story, const Note& note) {
    if (story.is_erased(note.user)) return true;
    return note.why && note.why->state == "failed" &&
           (note.why->reason == "nobody_there" || note.why->reason == "erased");
}

void every_notification_is_seen(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    for (const auto& [id, note] : story.notes()) {
        if (!note.is_users() || is_explained(story, note)) continue;
        bool seen = false;
        for (const auto& shown : note.shown) {
            if (shown->user != note.user) continue;
            const bool is_last = has_mark(shown->text, note.last_emission().mark) || !note.is_certain ||
                                 note.emissions.back().body->answer.is_unknown();
            seen = seen || shown->narration || is_last;
        }
        // An agent that tells several matters at once does so in one item, which quotes them.
        seen = seen || !story.shown_ids(note.last_emission().mark).empty();
        if (seen || (note.routing.is_must_tell() && was_told_by_message(story, note))) continue;
        report.add("notification " + id + " (" + note.routing.code() + ", " + note.last_emission().mark +
                       ") for user " + note.user + " was shown to nobody; why says " +
                       (note.why ? note.why->state + " " + note.why->reason : "nothing"),
                   {note.emissions.back().at});
    }
}

void one_speaker(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes()) {
        const Observation* raw = nullptr;
        std::map<std::string, const Observation*, std::less<>> narrated;
        for (const auto& shown : note.shown) {
            if (!shown->narration) {
                raw = shown.at;
                continue;
            }
            std::string said;
            for (const std::string_view mark : find_marks(shown->text))
                if (const Mark* found = story.find_mark(mark); found && found->kind == Mark::Kind::narration)
                    said = mark;
            narrated[said] = shown.at;
        }
        for (const auto& rang : note.rang) {
            bool by_agent = false;
            for (const std::string_view mark : find_marks(rang->text))
                if (const Mark* found = story.find_mark(mark))
                    by_agent = by_agent || found->kind == Mark::Kind::narration || found->kind == Mark::Kind::agent;
            if (!by_agent && note.is_emitted) raw = rang.at;
        }
        if (raw && !narrated.empty())
            report.add("notification " + id + " was shown raw and narrated", {raw, narrated.begin()->second});
        if (narrated.size() > 1)
            report.add("notification " + id + " was narrated by two speakers",
                       {narrated.begin()->second, narrated.rbegin()->second});
    }
    // One event, one item: the text of an emission comes to the user under one id. An item that reports a tool is about
    // the tool and may quote the text.
    std::set<std::string> judged;
    for (const auto& emitted : story.all<Emitted>()) {
        if (!judged.insert(emitted->mark).second) continue;
        std::vector<const Observation*> items;
        std::string ids;
        for (const std::string& id : story.shown_ids(emitted->mark)) {
            const Note* note = story.find_note(id);
            const bool is_report = !note->is_emitted && !story.find_tools(note->shown.front()->text).empty();
            if (is_report) continue;
            items.push_back(note->shown.front().at);
            ids += " " + id;
        }
        if (items.size() > 1) report.add("the user was shown " + emitted->mark + " in several items:" + ids, items);
    }
}

void shown_once_per_connection(const Story& story, Report& report) {
    for (const auto& [name, connection] : story.connections()) {
        std::map<std::string, Seen<Shown>> last;
        for (const auto& shown : connection.shown) {
            const auto [found, is_new] = last.try_emplace(shown->id, shown);
            if (is_new) continue;
            const Shown& before = *found->second.body;
            if (std::pair(shown->lease, shown->version) <= std::pair(before.lease, before.version))
                report.add("connection " + name + " was sent notification " + shown->id + " twice, lease " +
                               std::to_string(shown->lease) + " version " + std::to_string(shown->version),
                           {found->second.at, shown.at});
            found->second = shown;
        }
    }
}

void acknowledged_is_not_sent_again(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes())
        for (const auto& ack : note.acks) {
            if (!ack->answer.is_accepted()) continue;
            for (const auto& shown : note.shown) {
                const auto connection = story.connections().find(shown->connection);
                if (connection == story.connections().end()) continue;
                if (connection->second.opened.at->start() > ack.at->order)
                    report.add("notification " + id + " was acknowledged and was sent again to connection " +
                                   shown->connection,
                               {ack.at, shown.at});
            }
        }
}

// The first observation that makes a notification one that waits for the user's interfaces.
const Observation* waits_since(const Note& note) {
    const Observation* since = nullptr;
    const auto consider = [&](const Observation* at) {
        if (!since || at->order < since->order) since = at;
    };
    if (note.routing.is_alert())
        for (const auto& one : note.emissions)
            if (one->answer.is_accepted()) consider(one.at);
    for (const auto& one : note.narrations)
        if (one->answer.is_accepted()) consider(one.at);
    for (const auto& one : note.shown) consider(one.at);
    return since;
}

bool is_possibly_ended(const Story& story, const Note& note, std::uint64_t before) {
    if (note.why && note.why->state == "failed") return true;
    for (const auto& ack : note.acks)
        if (ack.at->start() < before) return true;
    for (const auto& told : note.states)
        if ((told->state == "delivered" || told->state == "failed") && told.at->order < before) return true;
    return story.is_erased(note.user);
}

void unacknowledged_is_sent_on_connection(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes()) {
        const Observation* since = waits_since(note);
        const std::string& user = note.is_emitted || note.shown.empty() ? note.user : note.shown.front()->user;
        if (!since || user.empty()) continue;
        for (const auto& [name, connection] : story.connections()) {
            if (connection.user != user || connection.caught_up == 0 || connection.opened.at->start() <= since->order)
                continue;
            if (is_possibly_ended(story, note, connection.caught_up)) continue;
            const bool sent = std::any_of(connection.shown.begin(), connection.shown.end(), [&](const auto& shown) {
                return shown->id == id && shown.at->order < connection.caught_up;
            });
            if (!sent)
                report.add("notification " + id + " (" + note.routing.code() +
                               ") waited, was not acknowledged, and was not sent to the new connection " + name,
                           {since, connection.opened.at});
        }
    }
}

// Orders texts of times: 03:27:47Z lies before 03:27:47.001Z.
bool is_earlier(std::string_view time, std::string_view other) {
    return time.substr(0, time.find('Z')) < other.substr(0, other.find('Z'));
}

void oldest_first(const Story& story, Report& report) {
    if (!story.all<ClockStepped>().empty()) return;  // times of creation have no order then
    for (const auto& [name, connection] : story.connections()) {
        const Shown* before = nullptr;
        const Observation* before_at = nullptr;
        for (const auto& shown : connection.shown) {
            if (connection.caught_up == 0 || shown.at->order > connection.caught_up || shown->created_at.empty())
                continue;
            if (before && is_earlier(shown->created_at, before->created_at))
                report.add("connection " + name + " was sent " + shown->id + " after the newer " + before->id,
                           {before_at, shown.at});
            before = shown.body, before_at = shown.at;
        }
    }
}

void alert_is_immediate(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes()) {
        if (!note.is_emitted || !note.routing.is_alert()) continue;
        for (const auto& emitted : note.emissions) {
            if (!emitted->answer.is_accepted()) continue;
            const std::int64_t until = emitted.at->at_ms + story.options().grace_ms;
            const bool is_acked = std::any_of(note.acks.begin(), note.acks.end(),
                                              [&](const auto& ack) { return ack.at->start_ms() <= until; });
            if (is_acked) continue;
            for (const Connection* connection : story.covering(note.user, emitted.at->start_ms(), until)) {
                const bool sent = std::any_of(note.shown.begin(), note.shown.end(), [&](const auto& shown) {
                    return shown->connection == connection->opened->connection && shown.at->at_ms <= until &&
                           shown->version >= emitted->version;
                });
                if (!sent)
                    report.add("alert " + id + " was not sent to the open connection " + connection->opened->connection,
                               {emitted.at});
            }
        }
    }
}

void other_devices_are_told(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes())
        for (const auto& ack : note.acks) {
            if (!ack->answer.is_accepted()) continue;
            const std::int64_t until = ack.at->at_ms + story.options().grace_ms;
            for (const Connection* connection : story.covering(ack->user, ack.at->start_ms(), until)) {
                const std::string& name = connection->opened->connection;
                const bool was_sent = std::any_of(
                    connection->shown.begin(), connection->shown.end(),
                    [&](const auto& shown) { return shown->id == id && shown.at->order < ack.at->start(); });
                const bool was_told = std::any_of(note.states.begin(), note.states.end(), [&](const auto& told) {
                    return told->connection == name && told->state == "delivered";
                });
                if (was_sent && !was_told)
                    report.add("connection " + name + " was not told that " + id + " was acknowledged", {ack.at});
            }
        }
}

void stale_acknowledgement_is_rejected(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes())
        for (const auto& ack : note.acks) {
            if (!ack->answer.is_accepted()) continue;
            if (!ack->lease || !ack->version) {
                report.add("an acknowledgement of " + id + " without lease and version was accepted", {ack.at});
                continue;
            }
            if (ack->user != note.user && note.is_emitted)
                report.add("user " + ack->user + " acknowledged " + id + " of user " + note.user, {ack.at});
            for (const auto& shown : note.shown)
                if (shown.at->order < ack.at->start() &&
                    std::pair(shown->lease, shown->version) > std::pair(*ack->lease, *ack->version)) {
                    report.add("a stale acknowledgement of " + id + " was accepted", {shown.at, ack.at});
                    break;
                }
        }
}

void sinks_ring(const Story& story, Report& report) {
    if (!story.is_quiet()) return;
    for (const auto& sink : story.all<SinkMade>())
        for (const auto& [id, note] : story.notes()) {
            if (!note.is_emitted || note.user != sink->user || note.routing.address_session) continue;
            const Observation* since = waits_since(note);
            if (!since || since->order < sink.at->order || is_explained(story, note)) continue;
            const std::int64_t until = since->at_ms + story.options().grace_ms;
            const bool is_acked = std::any_of(note.acks.begin(), note.acks.end(),
                                              [&](const auto& ack) { return ack.at->start_ms() <= until; });
            const Observation& quiet = *story.all<Quiet>().front().at;
            if (is_acked || story.has_crash(since->at_ms, until) || quiet.at_ms < until) continue;
            // After a step back of the clock a sink may ring later than the acknowledgement.
            if (story.has_clock_step(note.emissions.front().at->start(), UINT64_MAX) && !note.acks.empty()) continue;
            const bool rang = std::any_of(note.rang.begin(), note.rang.end(),
                                          [&](const auto& one) { return one->sink == sink->sink; });
            if (!rang)
                report.add("sink " + sink->sink + " did not ring for " + id + " (" + note.routing.code() +
                               (note.narrations.empty() ? ")" : ", narrated)"),
                           {since});
        }
}

void sink_rings_once(const Story& story, Report& report) {
    for (const auto& [id, note] : story.notes()) {
        std::map<std::tuple<std::string, std::int64_t, std::int64_t>, const Observation*> before;
        for (const auto& rang : note.rang) {
            const auto [found, is_new] = before.try_emplace({rang->sink, rang->lease, rang->version}, rang.at);
            if (!is_new && !story.has_crash(found->second->at_ms - story.options().grace_ms, rang.at->at_ms))
                report.add("sink " + rang->sink + " rang twice for " + id, {found->second, rang.at});
        }
    }
}

void nothing_unasked(const Story& story, Report& report) {
    const auto is_known = [&](const std::string& text) {
        for (const std::string_view mark : find_marks(text))
            if (story.find_mark(mark)) return true;
        return !story.find_tools(text).empty();
    };
    for (const auto& shown : story.all<Shown>())
        if (!is_known(shown->text) && !is_known(shown->content))
            report.add("the user was shown an item that nobody asked for: " + shown->text, {shown.at});
    for (const auto& rang : story.all<Rang>())
        if (!is_known(rang->text))
            report.add("a sink rang for an item that nobody asked for: " + rang->text, {rang.at});
}

}  // namespace

std::vector<Invariant> user_invariants() {
    return {
        {"every_notification_is_seen",
         "We needed a protocol that guarantees Reliable Delivery while maintaining Shared Awareness", "004 section 1",
         every_notification_is_seen},
        {"one_speaker", "Users will never receive a Toast and a Chat Message for the same event simultaneously.",
         "004 section 3", one_speaker},
        {"shown_once_per_connection", "Reconnect sends what waits, oldest first, each once.",
         "acceptance delivery 8, 11", shown_once_per_connection},
        {"acknowledged_is_not_sent_again",
         "Once an event reaches either state, no further state transitions are permitted.", "004 section 5.1",
         acknowledged_is_not_sent_again},
        {"unacknowledged_is_sent_on_connection",
         "It remains the responsibility of that channel until successful delivery is verified.", "004 section 2.2",
         unacknowledged_is_sent_on_connection},
        {"oldest_first", "Reconnect sends what waits, oldest first, each once.", "acceptance delivery 11",
         oldest_first},
        {"alert_is_immediate", "Deterministic channels (SYSTEM) guarantee immediate, reliable delivery.",
         "004 section 2.2", alert_is_immediate},
        {"other_devices_are_told", "the first ACK counts, and the others are told", "acceptance delivery, wire",
         other_devices_are_told},
        {"stale_acknowledgement_is_rejected",
         "An ACK without a lease, with a stale version, or of another user: refused, told why, nothing changed.",
         "acceptance delivery 4", stale_acknowledgement_is_rejected},
        {"sinks_ring", "Agent-Authored Toast. Narrated text. High-urgency push.", "004 section 6; docs/sinks.md",
         sinks_ring},
        {"sink_rings_once", "A call is made at least once: after a crash in the wrong moment … it may be made twice",
         "docs/sinks.md", sink_rings_once},
        {"nothing_unasked", "All notifications that reach ANP are considered actionable", "004 section 2.1",
         nothing_unasked},
    };
}

}  // namespace observer
