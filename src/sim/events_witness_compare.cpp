#include <algorithm>

#include "base/uuid.hpp"
#include "engine/stream_book.hpp"
#include "model/raw_json.hpp"
#include "sim/events_witness.hpp"

// How the witness of events looks at a store.
namespace belfry::sim {
namespace {

std::string number(std::uint64_t n) {
    return std::to_string(n);
}

std::string text_of(std::string_view body, std::string_view name) {
    const auto member = model::JsonView{body}.member(name);
    return member ? member->as_text() : std::string();
}

std::string marker_of(std::string_view body) {
    const auto payload = model::JsonView{body}.member("payload");
    return payload ? text_of(payload->text, "marker") : std::string();
}

}  // namespace

void EventsWitness::compare_entry(const model::LogEntry& stored, Entry& entry, Complaints& complaints) {
    if (stored.body.empty()) {
        if (!entry.may_vanish) complaints.push_back("entry " + number(stored.sequence) + " lost its body");
        if (!stored.facets.user_id.empty()) complaints.push_back("an erased entry still names its user");
        entry.must_vanish = true;
        return;
    }
    if (entry.user.empty() && !stored.facets.user_id.empty()) {
        entry.user = stored.facets.user_id;
        entry.may_vanish = may_be_erased(entry.user);
        const auto gone = erased_through_.find(entry.user);
        if (gone != erased_through_.end() && stored.sequence <= gone->second) entry.must_vanish = true;
    }
    if (entry.must_vanish) complaints.push_back("entry " + number(stored.sequence) + " should have been erased");
    if (stored.body != entry.body) {
        complaints.push_back("entry " + number(stored.sequence) +
                             " is not what was acknowledged: " + std::string(stored.body.substr(0, 200)));
    }
    if (stored.facets.user_id.empty() || stored.facets.user_id != entry.user ||
        stored.facets.type != entry.sent.event.type) {
        complaints.push_back("entry " + number(stored.sequence) + " has other facets than its event");
    }
}

bool EventsWitness::adopt(const model::LogEntry& stored, std::set<std::string>& found, Complaints& complaints) {
    const std::string marker = marker_of(stored.body);
    const auto id = base::parse_uuid(text_of(stored.body, "id"));
    if (marker.empty() && id && brought_unheard_) {
        add_brought(model::EventId{*id}, stored.body, *brought_unheard_);
        return true;
    }
    for (const Open& open : open_) {
        for (const SentEvent& entry : open.request.entries) {
            if (entry.marker != marker || !id || entry.broken) continue;
            if (!found.insert(marker).second) {
                complaints.push_back("an event is twice in the log, again as entry " + number(stored.sequence));
                return false;
            }
            const std::string key = "r" + open.request.principal.id + '\0' + open.request.key;
            const bool was_answered = !open.request.key.empty() && recall(key, open.at) != nullptr;
            if (was_answered || foresee(open.request, entry, open.at)) {
                complaints.push_back("entry " + number(stored.sequence) + " is of an event that had to be refused");
                return false;
            }
            add(open.request, entry, model::EventId{*id}, open.at);
            compare_entry(stored, entries_[head_], complaints);
            return true;
        }
    }
    complaints.push_back("entry " + number(stored.sequence) +
                         " is there though nobody may have recorded it: " + std::string(stored.body.substr(0, 200)));
    return false;
}

// A request is taken whole or not at all. Where two of the open ones share a key it cannot be told which came first;
// and one that brought nothing new left no trace to tell by: their keys are not used again.
void EventsWitness::settle_open(const std::set<std::string>& found, Complaints& complaints) {
    std::map<std::string, int> uses;
    const auto key_of = [](const SentRequest& request) { return "r" + request.principal.id + '\0' + request.key; };
    const auto id_of = [](const SentRequest& request, const SentEvent& entry) {
        return "e" + request.principal.id + '\0' + entry.event.source + '\0' + entry.event.source_id;
    };
    for (const Open& open : open_) {
        if (!open.request.key.empty()) ++uses[key_of(open.request)];
        std::set<std::string> own;
        for (const SentEvent& entry : open.request.entries) {
            if (!entry.event.source_id.empty()) own.insert(id_of(open.request, entry));
        }
        for (const std::string& key : own) ++uses[key];
    }
    for (const Open& open : open_) {
        const SentRequest& request = open.request;
        const std::string key = key_of(request);
        bool is_shared = !request.key.empty() && uses[key] > 1;
        std::set<std::string> there;
        std::set<std::string> absent;
        Answer answer{request.fingerprint, {}, open.at};
        for (const SentEvent& entry : request.entries) {
            if (!entry.event.source_id.empty()) is_shared = is_shared || uses[id_of(request, entry)] > 1;
            if (found.contains(entry.marker)) {
                there.insert(entry.marker);
                const auto at = std::ranges::find_if(
                    entries_, [&](const auto& known) { return known.second.sent.marker == entry.marker; });
                answer.entries.push_back({ports::Admitted{at->second.id, at->first}, {}});
            } else if (const auto foreseen = foresee(request, entry, open.at)) {
                answer.entries.push_back(*foreseen);
            } else {
                absent.insert(entry.marker);
            }
        }
        const bool was_known = !request.key.empty() && recall(key, open.at) != nullptr;
        if (was_known) continue;
        if (!is_shared && !there.empty() && !absent.empty()) {
            complaints.push_back("of one request " + number(there.size()) + " entries are there and " +
                                 number(absent.size()) + " are not");
        }
        if (request.key.empty()) continue;
        if (is_shared || (there.empty() && absent.empty())) retired_.insert(key);
        else if (!there.empty()) answers_[key] = std::move(answer);
    }
    open_.clear();
    brought_unheard_.reset();
}

void EventsWitness::compare(const Stock& stock, Complaints& complaints) {
    model::Sequence expected = 0;
    for (const model::StreamInfo& stream : stock.streams) {
        if (stream.id != engine::StreamBook::events) continue;
        if (stream.floor < floor_) complaints.push_back("the floor of events went back to " + number(stream.floor));
        if (stream.floor > floor_ && !floor_may_rise_) complaints.push_back("the floor rose and nobody was told");
        expected = stream.floor;
    }
    floor_may_rise_ = false;
    const model::Sequence floor = expected;
    std::set<std::string> found;
    for (const model::SharedBlock& block : stock.events) {
        for (const model::LogEntry& stored : block->entries) {
            if (stored.sequence != ++expected) {
                complaints.push_back("events have " + number(stored.sequence) + " where " + number(expected) +
                                     " should be");
                return;
            }
            const auto at = entries_.find(stored.sequence);
            if (at != entries_.end()) compare_entry(stored, at->second, complaints);
            else if (!adopt(stored, found, complaints)) return;
        }
    }
    if (expected < head_) {
        complaints.push_back("the log ends at " + number(expected) + ", acknowledged was up to " + number(head_));
        return;
    }
    settle_open(found, complaints);
    dropped(floor, std::nullopt, complaints);
    if (head_ > 0 && stock.events.empty()) complaints.push_back("not even the newest block of events is there");
    compare_paged(stock, complaints);
}

// Readers who page through the stream must see the same.
void EventsWitness::compare_paged(const Stock& stock, Complaints& complaints) const {
    for (const Stock::Paged& paged : stock.paged) {
        if (paged.stream != engine::StreamBook::events) continue;
        if (paged.head != head_ || paged.floor != floor_) {
            complaints.push_back("readers see events from " + number(paged.floor) + " to " + number(paged.head) +
                                 " instead of " + number(floor_) + " to " + number(head_));
        }
        if (paged.sequences.size() != entries_.size()) {
            complaints.push_back("readers get " + number(paged.sequences.size()) + " events of " +
                                 number(entries_.size()));
            return;
        }
        std::size_t i = 0;
        for (const auto& [sequence, entry] : entries_) {
            const std::string& body = paged.bodies[i];
            if (paged.sequences[i] != sequence || (!body.empty() && body != entry.body)) {
                complaints.push_back("readers get something else as event " + number(sequence));
                return;
            }
            ++i;
        }
    }
}

}  // namespace belfry::sim
