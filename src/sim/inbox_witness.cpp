#include "sim/inbox_witness.hpp"

#include <algorithm>
#include <charconv>

#include "engine/sink_calls.hpp"

namespace belfry::sim {
namespace {

std::string text_in(const model::JsonView& body, std::string_view name) {
    const auto member = body.member(name);
    return member ? member->as_text() : std::string();
}

std::int64_t number_in(const model::JsonView& body, std::string_view name) {
    std::int64_t value = 0;
    if (const auto member = body.member(name)) {
        std::from_chars(member->text.data(), member->text.data() + member->text.size(), value);
    }
    return value;
}

std::optional<InboxWitness::Kind> kind_of(std::string_view type) {
    using Kind = InboxWitness::Kind;
    if (type == "notification") return Kind::notification;
    if (type == "notification_state") return Kind::state;
    if (type == "turn_requested") return Kind::turn;
    return std::nullopt;
}

std::string named(const InboxWitness::Entry& entry) {
    constexpr const char* kinds[] = {"notification", "state", "turn request"};
    return std::string(kinds[static_cast<int>(entry.kind)]) + " of " + base::format_uuid(entry.id) + " (lease " +
           std::to_string(entry.lease) + ", version " + std::to_string(entry.version) + ", " + entry.state + ")";
}

}  // namespace

void InboxWitness::note_streams(const std::vector<model::StreamInfo>& streams) {
    for (const model::StreamInfo& stream : streams) streams_[stream.id] = stream.name;
}

std::optional<bool> InboxWitness::is_there(const std::string& user) const {
    if (moved_.contains(user)) return std::nullopt;
    return std::ranges::any_of(devices_, [&](const Device& one) { return one.user == user; });
}

void InboxWitness::opened(const SentOpen& sent, const ports::OpenedInbox& reply, Complaints& complaints) {
    Device device{sent.user_id, sent.session_id, 0, reply.as_of, {}};
    for (const auto& [stream, name] : streams_) {
        if (name != reply.stream) continue;
        device.stream = stream;
        if (read_[stream] > reply.as_of) {
            complaints.push_back("an interface that came is sent again what it was given");
        }
    }
    for (const model::Notification& row : reply.waiting) {
        sights_.push_back({sent.user_id, row.scope.session_id, row.id.uuid, row.version, expected::text_for_eyes(row)});
        if (!device.shown.emplace(row.id.uuid, row.lease, row.version).second) {
            complaints.push_back("an interface that came was sent one notification twice");
        }
    }
    devices_.push_back(std::move(device));
    moved_.insert(sent.user_id);
}

void InboxWitness::closed(const std::string& user, const std::string& session) {
    const auto at =
        std::ranges::find_if(devices_, [&](const Device& one) { return one.user == user && one.session == session; });
    if (at != devices_.end()) devices_.erase(at);
    moved_.insert(user);
}

std::optional<InboxWitness::Entry> InboxWitness::take(const model::LogEntry& logged, Complaints& complaints) {
    model::Sequence& read = read_[logged.stream];
    if (logged.sequence <= read) return std::nullopt;
    read = logged.sequence;
    const auto kind = kind_of(logged.facets.type);
    if (logged.body.empty() || !kind) return std::nullopt;
    const model::JsonView body{logged.body};
    Entry entry{*kind, base::parse_uuid(text_in(body, "id")).value_or(base::Uuid{}), number_in(body, "owner_lease"),
                number_in(body, "version"), text_in(body, "state")};
    if (entry.kind == Kind::notification) {
        note_sent(entry, body, std::string(logged.facets.user_id), complaints);
    } else if (entry.kind == Kind::state) {
        // What lived in a conversation and is in none has come into the inbox: its session was deleted.
        const auto place = places_.find(entry.id);
        if (place != places_.end() && !place->second.is_inbox && logged.facets.session_id.empty()) {
            place->second.is_inbox = true;
            ring(entry.id, place->second, std::string(logged.facets.user_id));
        }
    }
    return entry;
}

void InboxWitness::note_sent(const Entry& entry, const model::JsonView& body, const std::string& user,
                             Complaints& complaints) {
    const std::string text = text_in(body, "text");
    awareness_.published(entry.id, entry.version, text);
    // A notice about a tool may say the same as the notification that it is about.
    if (texts_.try_emplace(text, entry.id).first->second != entry.id) awareness_.sent_again(text);
    auto& sendings = sent_[entry.id];
    const auto narrated = body.member("narrated");
    const bool is_narrated = narrated && narrated->text == "true";
    if (is_narrated && !narrated_.contains(entry.id) && !sendings.empty()) {
        complaints.push_back("what the system had shown was narrated too");
    }
    if (is_narrated) narrated_.insert(entry.id);
    else if (narrated_.contains(entry.id)) {
        complaints.push_back("what an agent had narrated was shown by the system too");
    }
    const bool was_in_inbox = places_[entry.id].is_inbox;
    const Place& place = places_[entry.id] = {text_in(body, "channel") == "inbox", text_in(body, "severity")};
    if (place.is_inbox && !was_in_inbox) ring(entry.id, place, user);
    if (!sendings.empty() && entry.lease < sendings.rbegin()->first) complaints.push_back("an old lease was sent");
    if (!sendings.emplace(entry.lease, entry.version).second) complaints.push_back("sent twice: " + named(entry));
}

void InboxWitness::ring(const base::Uuid& id, const Place& place, const std::string& user) {
    for (const model::Sink& sink : sinks_.sinks) {
        const auto severity = model::parse_severity(place.severity);
        const bool wants =
            (sink.users.empty() || sink.users.front() == user) &&
            (sink.severities.empty() || std::ranges::find(sink.severities, *severity) != sink.severities.end());
        if (!wants) continue;
        Owed& owed = owed_[{sink.id, id}];
        owed.user = user;
        ++owed.times;
    }
}

void InboxWitness::show(const Entry& entry, const model::LogEntry& logged, Complaints& complaints) {
    if (entry.kind != Kind::notification) return;
    for (Device& device : devices_) {
        if (logged.stream != device.stream || logged.sequence <= device.as_of) continue;
        if (!device.session.empty() && device.session != logged.facets.session_id) continue;
        sights_.push_back({device.user, std::string(logged.facets.session_id), entry.id, entry.version,
                           text_in(model::JsonView{logged.body}, "text")});
        if (!device.shown.emplace(entry.id, entry.lease, entry.version).second) {
            complaints.push_back("an interface got twice the " + named(entry));
        }
    }
}

void InboxWitness::judge(const Entry& entry, std::size_t& next, Complaints& complaints) {
    if (next >= expected_.size()) {
        complaints.push_back("nobody had reason to send the " + named(entry));
        return;
    }
    const Entry& foretold = expected_[next++];
    if (entry != foretold) complaints.push_back("sent was the " + named(entry) + " instead of the " + named(foretold));
}

void InboxWitness::end_step(std::size_t next, Complaints& complaints) {
    if (next < expected_.size()) complaints.push_back("nobody was sent the " + named(expected_[next]));
    expected_.clear();
    moved_.clear();
}

// What was committed without anybody hearing of it is read now, as a reader would who comes again.
void InboxWitness::compare(const Stock& stock, const std::set<std::string>& erased, Complaints& complaints) {
    expected_.clear();
    moved_.clear();
    note_streams(stock.streams);
    for (const model::SharedBlock& block : stock.delivery) {
        for (const model::LogEntry& logged : block->entries) {
            if (const auto entry = take(logged, complaints)) show(*entry, logged, complaints);
        }
    }
    compare_sinks(stock, erased, complaints);
}

void InboxWitness::compare_sinks(const Stock& stock, const std::set<std::string>& erased, Complaints& complaints) {
    std::map<std::pair<std::string, base::Uuid>, int> stored;
    std::set<base::Uuid> rows;
    for (const model::Notification& row : stock.notifications) rows.insert(row.id.uuid);
    for (const ports::Obligation& obligation : stock.obligations) {
        if (obligation.kind != engine::sink_kind) continue;
        const std::string sink = text_in(obligation.detail.view(), "sink");
        const auto id = base::parse_uuid(text_in(obligation.detail.view(), "notification")).value_or(base::Uuid{});
        auto owed = owed_.find({sink, id});
        // An erasure may have emptied the entry of the notification in the transaction that made it.
        const bool may_be_erased = owed == owed_.end() && !erased.empty() && !rows.contains(id);
        if (may_be_erased) owed = owed_.emplace(std::pair(sink, id), Owed{*erased.begin(), 1}).first;
        if (owed == owed_.end()) {
            complaints.push_back("the sink " + sink + " is owed a call for what did not come to the inbox");
        } else if (++stored[{sink, id}] > owed->second.times) {
            complaints.push_back("a sink is owed one call twice");
        }
    }
    std::erase_if(owed_, [&](const auto& owed) {
        const auto found = stored.find(owed.first);
        const bool may_be_gone = stock.drops_obligations || erased.contains(owed.second.user);
        if (found != stored.end() && (found->second == owed.second.times || may_be_gone)) return false;
        if (!may_be_gone) complaints.push_back("the sink " + owed.first.first + " was not owed its call");
        return true;
    });
}

}  // namespace belfry::sim
