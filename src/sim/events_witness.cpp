#include "sim/events_witness.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "rules/admit.hpp"
#include "rules/may.hpp"

namespace belfry::sim {
namespace {

using base::Code;

std::string request_key(const SentRequest& request) {
    return "r" + request.principal.id + '\0' + request.key;
}

std::string event_key(const SentRequest& request, const SentEvent& entry) {
    return "e" + request.principal.id + '\0' + entry.event.source + '\0' + entry.event.source_id;
}

// The event as it is recorded when it is taken at `now`, or why it is not.
base::Result<model::Event> admitted(const SentRequest& request, const SentEvent& entry, base::Timestamp now) {
    if (entry.broken) return *entry.broken;
    model::Event event = entry.event;
    TRY(rules::admit(event, now));
    TRY(rules::may_emit(request.principal, event));
    return event;
}

// Whose it is where nobody but the event says so; empty: its session's user, whoever that was by then.
std::string person_of(const std::string& user, const std::string& session) {
    return user.empty() && session.empty() ? "owner" : user;
}

std::string number(std::uint64_t n) {
    return std::to_string(n);
}

}  // namespace

const EventsWitness::Answer* EventsWitness::recall(const std::string& key, base::Timestamp now) const {
    const auto at = answers_.find(key);
    if (at == answers_.end() || at->second.at < now - base::limits::idempotency_kept) return nullptr;
    return &at->second;
}

std::optional<EventsWitness::Outcome> EventsWitness::foresee(const SentRequest& request, const SentEvent& entry,
                                                             base::Timestamp now) const {
    const auto event = admitted(request, entry, now);
    if (!event.ok()) return Outcome{std::nullopt, event.error().code};
    if (entry.event.source_id.empty()) return std::nullopt;
    const Answer* before = recall(event_key(request, entry), now);
    if (before == nullptr) return std::nullopt;
    if (before->fingerprint != entry.fingerprint) return Outcome{std::nullopt, Code::conflict};
    return before->entries.front();
}

void EventsWitness::add(const SentRequest& request, const SentEvent& entry, model::EventId id, base::Timestamp now) {
    auto event = admitted(request, entry, now);
    event->id = id;
    const std::string user = person_of(event->user_id, event->session_id);
    Entry added{entry, id, now, {}, user, may_be_erased(user), false};
    model::append_event_json(added.body, *event);
    taken_.push_back({head_ + 1, id, added.body});
    entries_[++head_] = std::move(added);
    if (entry.event.source_id.empty()) return;
    answers_[event_key(request, entry)] = {entry.fingerprint, {Outcome{ports::Admitted{id, head_}, {}}}, now};
}

void EventsWitness::add_brought(model::EventId id, std::string_view body, base::Timestamp now) {
    SentEvent sent;
    sent.event.type = model::JsonView{body}.member("type")->as_text();
    const auto user = model::JsonView{body}.member("user_id");
    const auto session = model::JsonView{body}.member("session_id");
    const std::string name =
        person_of(user ? user->as_text() : std::string(), session ? session->as_text() : std::string());
    taken_.push_back({head_ + 1, id, std::string(body)});
    entries_[++head_] = {std::move(sent), id, now, std::string(body), name, may_be_erased(name), false};
}

void EventsWitness::brought(const std::vector<ports::Admitted>& events,
                            const std::map<model::Sequence, std::string>& published, base::Timestamp now,
                            Complaints& complaints) {
    for (const ports::Admitted& event : events) {
        const auto at = published.find(event.sequence);
        if (event.sequence != head_ + 1 || at == published.end()) {
            complaints.push_back("Belfry says that it took its own event as " + number(event.sequence) + " after " +
                                 number(head_) + (at == published.end() ? " and did not publish it" : ""));
            return;
        }
        add_brought(event.id, at->second, now);
    }
}

void EventsWitness::judge(const SentRequest& request, const SentEvent& entry, const ports::Admission& said,
                          base::Timestamp now, Complaints& complaints) {
    const auto foreseen = foresee(request, entry, now);
    if (!foreseen) {
        if (!said.ok()) {
            complaints.push_back("a good event was refused: " + said.error().message);
        } else if (said->sequence != head_ + 1) {
            complaints.push_back("a new event got sequence " + number(said->sequence) + " after " + number(head_));
        } else {
            add(request, entry, said->id, now);
        }
    } else if (foreseen->admitted) {
        if (!said.ok() || !(*said == *foreseen->admitted)) {
            complaints.push_back("a repeated event got another answer than before, " + number(head_) + " is the head");
        }
    } else if (said.ok() || said.error().code != foreseen->code) {
        complaints.push_back(std::string("an event should have been refused as ") + base::code_name(foreseen->code));
    }
}

void EventsWitness::told(const SentRequest& request, const base::Result<ports::EmitReply>& reply, base::Timestamp now,
                         Complaints& complaints) {
    if (!reply.ok() && reply.error().code == Code::unavailable) return;
    if (!reply.ok() && reply.error().code == Code::outcome_unknown) return unheard(request, now);
    const Answer* before = request.key.empty() ? nullptr : recall(request_key(request), now);
    if (before != nullptr && before->fingerprint != request.fingerprint) {
        if (reply.ok() || reply.error().code != Code::conflict) {
            complaints.push_back("another body was taken under the key " + request.key);
        }
        return;
    }
    if (!reply.ok()) {
        complaints.push_back(std::string("a request was refused as ") + base::code_name(reply.error().code) + ": " +
                             reply.error().message);
        return;
    }
    if (reply->entries.size() != request.entries.size()) {
        complaints.push_back("an answer has another number of entries than its request");
        return;
    }
    if (before != nullptr) {
        bool same = reply->replayed;
        for (std::size_t i = 0; i < before->entries.size(); ++i) {
            const Outcome& then = before->entries[i];
            const ports::Admission& now_said = reply->entries[i];
            same = same && (then.admitted ? now_said.ok() && *now_said == *then.admitted
                                          : !now_said.ok() && now_said.error().code == then.code);
        }
        if (!same) complaints.push_back("a repeat under the key " + request.key + " got another answer");
        return;
    }
    Answer answer{request.fingerprint, {}, now};
    bool any = false;
    for (std::size_t i = 0; i < request.entries.size(); ++i) {
        const ports::Admission& said = reply->entries[i];
        judge(request, request.entries[i], said, now, complaints);
        any = any || said.ok();
        answer.entries.push_back(said.ok() ? Outcome{*said, {}} : Outcome{std::nullopt, said.error().code});
    }
    if (any && !request.key.empty()) answers_[request_key(request)] = std::move(answer);
}

void EventsWitness::unheard(const SentRequest& request, base::Timestamp now) {
    open_.push_back({request, now});
}

bool EventsWitness::is_retired(const SentRequest& request) const {
    if (!request.key.empty() && retired_.contains(request_key(request))) return true;
    return std::ranges::any_of(request.entries, [&](const SentEvent& entry) {
        return !entry.event.source_id.empty() && retired_.contains(event_key(request, entry));
    });
}

void EventsWitness::dropped(model::Sequence floor, std::optional<base::Timestamp> older_than, Complaints& complaints) {
    if (floor > head_) complaints.push_back("the floor " + number(floor) + " is above the head " + number(head_));
    while (!entries_.empty() && entries_.begin()->first <= floor) {
        if (older_than && entries_.begin()->second.at >= *older_than) {
            complaints.push_back("retention took entry " + number(entries_.begin()->first) + " too early: of " +
                                 base::format_timestamp(entries_.begin()->second.at) + ", before " +
                                 base::format_timestamp(*older_than));
        }
        entries_.erase(entries_.begin());
    }
    floor_ = std::max(floor_, floor);
}

void EventsWitness::erasing(const std::string& user) {
    erasing_.insert(user);
    for (auto& [sequence, entry] : entries_) {
        entry.may_vanish = entry.may_vanish || entry.user == user || entry.user.empty();
    }
}

void EventsWitness::not_erasing(const std::string& user) {
    const auto at = erasing_.find(user);
    if (at != erasing_.end()) erasing_.erase(at);
}

void EventsWitness::erased(const std::string& user, model::Sequence through) {
    not_erasing(user);
    erased_through_[user] = std::max(erased_through_[user], through);
    for (auto& [sequence, entry] : entries_) {
        if (sequence > through || entry.user != user) continue;
        entry.must_vanish = true;
        if (!entry.sent.marker.empty()) erased_markers_.insert(entry.sent.marker);
    }
}

}  // namespace belfry::sim
