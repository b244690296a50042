#include <algorithm>

#include "story.hpp"

// The promises about requests: who may read what, which requests are rejected, and what a repeated request does.
namespace observer {
namespace {

void record_stays_with_its_user(const Story& story, Report& report) {
    for (const auto& read : story.all<RecordRead>()) {
        if (!read->answer.is_accepted() || read->user.empty()) continue;
        std::set<std::string_view> judged;
        for (const std::string_view name : find_marks(read->text))
            if (const Mark* mark = story.find_mark(name);
                mark && !mark->user.empty() && mark->user != read->user && judged.insert(name).second)
                report.add("a token of user " + read->user + " read " + std::string(name) + " of user " + mark->user +
                               " by GET " + read->path,
                           {read.at});
    }
}

// The accepted request that made the record with this mark, and the session that it names; null: none is certain.
const Observation* find_making(const Story& story, const std::string& mark, std::string& session) {
    for (const auto& one : story.all<EventEmitted>())
        if (one->mark == mark && one->answer.is_accepted()) return session = one->session, one.at;
    for (const auto& one : story.all<Emitted>())
        if (one->mark == mark && one->answer.is_accepted()) return session = one->session, one.at;
    return nullptr;
}

void owner_reads_the_record(const Story& story, Report& report) {
    for (const auto& read : story.all<RecordRead>()) {
        const Mark* mark = story.find_mark(read->mark);
        const bool is_denied = read->answer.status == 403 || read->answer.status == 404;
        if (!mark || !is_denied || read->role != "user" || mark->user != read->user || story.is_erased(read->user))
            continue;
        std::string session;
        const Observation* made = find_making(story, read->mark, session);
        const auto& gone = story.all<SessionDeleted>();
        const bool is_deleted =
            std::any_of(gone.begin(), gone.end(), [&](const auto& one) { return one->session == session; });
        if (made && made->order < read.at->start() && !is_deleted)
            report.add("user " + read->user + " may not read the own record " + read->mark + ": " +
                           std::to_string(read->answer.status),
                       {made, read.at});
    }
}

void unknown_parameter_is_rejected(const Story& story, Report& report) {
    for (const auto& sent : story.all<ParameterSent>()) {
        const std::string what = sent->method + " " + sent->path + " with the unknown parameter " + sent->parameter;
        if (sent->answer.is_accepted()) report.add(what + " was accepted", {sent.at});
        if (sent->answer.status == 422 && sent->field != sent->parameter)
            report.add(what + " was rejected for another reason: " + sent->field, {sent.at});
    }
}

void settings_follow_requests(const Story& story, Report& report) {
    std::set<std::string> names;
    for (const auto& one : story.all<SubscriberSwitched>()) names.insert(one->subscriber);
    for (const auto& read : story.all<SettingsRead>()) {
        if (!read->answer.is_accepted()) continue;
        for (const std::string& name : names) {
            const bool is_enabled =
                std::find(read->disabled.begin(), read->disabled.end(), name) == read->disabled.end();
            // The states that the requests so far allow: the last certain one, and those of later requests.
            std::set<bool> possible{true};
            std::vector<const Observation*> seen{read.at};
            for (const auto& one : story.all<SubscriberSwitched>()) {
                if (one->subscriber != name || one.at->start() > read.at->order) continue;
                seen.push_back(one.at);
                if (one->user != read->user || one->answer.is_rejected()) continue;
                if (one->answer.is_accepted() && one.at->order < read.at->start()) possible.clear();
                possible.insert(one->enabled);
            }
            if (!possible.contains(is_enabled))
                report.add("subscriber " + name + " is " + (is_enabled ? "on" : "off") + " for user " + read->user +
                               ", and no accepted request says so",
                           seen);
        }
    }
}

void times_are_read(const Story& story, Report& report) {
    for (const auto& sent : story.all<TimeSent>()) {
        const bool is_refused = sent->answer.status == 400 || sent->answer.status == 422;
        const bool is_about_time = sent->field.empty() || sent->field == "timestamp" || sent->field == "time";
        if (is_refused && is_about_time)
            report.add("the time " + sent->text + " (" + sent->way + ") was rejected", {sent.at});
        if (sent->answer.is_accepted() && sent->read_us && *sent->read_us != sent->meant_us)
            report.add("the time " + sent->text + " (" + sent->way + ") was read as another instant", {sent.at});
    }
}

bool is_alias_id(std::string_view id) {
    constexpr std::string_view others = "-_";
    const auto is_allowed = [&](char sign) {
        return (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || (sign >= '0' && sign <= '9') ||
               others.find(sign) != std::string_view::npos;
    };
    return !id.empty() && id.size() <= 100 && std::all_of(id.begin(), id.end(), is_allowed);
}

void session_id_is_one_rule(const Story& story, Report& report) {
    for (const auto& said : story.all<MessagePosted>()) {
        if (said->way.empty() || story.has_crash(said.at->start_ms(), said.at->at_ms)) continue;
        const bool is_outside_alias = said->way == "alias" && !is_alias_id(said->session);
        if (is_outside_alias && said->answer.is_accepted())
            report.add("the alias accepted the session id " + said->session, {said.at});
        // Only the form of the session id counts here: a time has its own invariant.
        const bool is_refused = said->answer.status == 400 || said->answer.status == 404 || said->answer.status == 422;
        if (is_outside_alias || !is_refused || said->answer.reason == "timestamp") continue;
        const Observation* made = nullptr;
        for (const auto& one : story.all<SessionMade>())
            if (one->session == said->session && one->answer.is_accepted() && one.at->order < said.at->start())
                made = one.at;
        const auto& gone = story.all<SessionDeleted>();
        const bool is_deleted =
            std::any_of(gone.begin(), gone.end(), [&](const auto& one) { return one->session == said->session; });
        if (made && !is_deleted)
            report.add("session " + said->session + " was made, and a message by " + said->way +
                           " was rejected: " + said->answer.reason,
                       {made, said.at});
    }
}

void dev_leaves_the_user_alone(const Story& story, Report& report) {
    for (const auto& dev : story.all<DevStarted>()) {
        const auto is_own = [](const std::vector<std::string>& own, const std::string& name) {
            return std::find(own.begin(), own.end(), name) != own.end();
        };
        for (const auto& rang : story.all<Rang>())
            if (is_own(dev->sinks, rang->sink))
                report.add("serve --dev rang the user's sink " + rang->sink, {dev.at, rang.at});
        for (const auto& listed : story.all<DevListed>())
            for (const std::string& name : listed->subscribers)
                if (listed->answer.is_accepted() && is_own(dev->subscribers, name))
                    report.add("serve --dev uses the user's subscriber " + name, {dev.at, listed.at});
    }
}

// Judges a request by the first accepted one with the same key of the same caller.
void check_repeat(Report& report, const Seen<KeySent>& first, const Seen<KeySent>& one) {
    const bool is_same = one->path == first->path && one->body == first->body;
    if (!is_same && one->answer.is_accepted())
        report.add("another request with the key " + one->key + " was accepted", {first.at, one.at});
    // 410: the stored answer was erased; 429: the caller was too fast.
    const bool is_refused = one->answer.is_rejected() && one->answer.status != 410 && one->answer.status != 429;
    if (is_same && is_refused)
        report.add("the repeat of POST " + one->path + " with its key was rejected: " + one->answer.reason,
                   {first.at, one.at});
    if (is_same && one->answer.is_accepted() && one->made != first->made)
        report.add("the same key on POST " + one->path + " made " + first->made + " and " + one->made,
                   {first.at, one.at});
}

void one_key_one_effect(const Story& story, Report& report) {
    std::map<std::pair<std::string, std::string>, Seen<KeySent>> first;
    std::map<std::string, const Observation*> keyed;  // by mark
    for (const auto& one : story.all<KeySent>()) {
        if (!one->takes_key) {
            if (one->answer.is_accepted()) report.add("POST " + one->path + " accepted an Idempotency-Key", {one.at});
            continue;
        }
        if (!one->mark.empty()) keyed[one->mark] = one.at;
        const auto found = first.find({one->caller, one->key});
        if (found == first.end()) {
            if (one->answer.is_accepted()) first[{one->caller, one->key}] = one;
        } else if (found->second.at->order < one.at->start()) {
            check_repeat(report, found->second, one);
        }
    }
    // A request whose answer was lost and its retry: one record.
    for (const auto& counted : story.all<RecordsCounted>())
        if (const auto found = keyed.find(counted->mark); found != keyed.end() && counted->ids.size() > 1)
            report.add(
                "one key made " + std::to_string(counted->ids.size()) + " " + counted->what + " with " + counted->mark,
                {found->second, counted.at});
    for (const auto& history : story.all<HistoryRead>())
        for (const auto& [mark, at] : keyed)
            if (std::count(history->marks.begin(), history->marks.end(), mark) > 1)
                report.add("one key made two messages " + mark + " in session " + history->session, {at, history.at});
}

}  // namespace

std::vector<Invariant> intake_invariants() {
    return {
        {"record_stays_with_its_user",
         "An event of another user than the session's stays out of the session and goes to that user",
         "docs/notifications.md; decision 0021", record_stays_with_its_user},
        {"owner_reads_the_record", "A notification or an event is judged by its own user.", "decision 0021",
         owner_reads_the_record},
        {"unknown_parameter_is_rejected",
         "A query parameter that the route does not have is answered with 422, and field names the parameter.",
         "docs/http.md", unknown_parameter_is_rejected},
        {"settings_follow_requests", "Switch a subscriber on or off for a user.", "docs/http.md; 000 FR-027 to FR-031",
         settings_follow_requests},
        {"times_are_read", "timestamp: Must be valid ISO 8601 format", "001 Client Notification; decision 0021",
         times_are_read},
        {"session_id_is_one_rule",
         "Client messages accept every id that PUT /v1/sessions/{id} accepts. The alias keeps the pattern of its "
         "protocol.",
         "decision 0021", session_id_is_one_rule},
        {"dev_leaves_the_user_alone",
         "It ignores your own sinks, subscribers, …: the example alarms ring nothing of yours.", "docs/command-line.md",
         dev_leaves_the_user_alone},
        {"one_key_one_effect",
         "Idempotency-Key makes a POST request safe to repeat for 24 hours. … the stored answer; nothing changes",
         "docs/http.md", one_key_one_effect},
    };
}

}  // namespace observer
