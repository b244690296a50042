#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/effects.hpp"
#include "model/sink.hpp"
#include "ports/commands/delivery.hpp"
#include "sim/awareness_witness.hpp"
#include "sim/delivery_book.hpp"
#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Reads what people's interfaces and agents are sent, as they would:
// - each notification is sent once under a lease and a version; what an agent has narrated is never sent in the
//   system's words, and the reverse;
// - an interface gets what waits once, whether it stood in the list at its coming or came after it, and misses nothing;
// - what was foretold is sent in its order, and nothing else;
// - a sink is owed a call for each notification that comes to the inbox, once.
class InboxWitness {
public:
    enum class Kind { notification, state, turn };
    struct Entry {
        Kind kind = Kind::notification;
        base::Uuid id;
        std::int64_t lease = 0;  // of those that have it
        std::int64_t version = 0;
        std::string state;

        bool operator==(const Entry&) const = default;
    };

    void hold(model::SinkCatalogue sinks) { sinks_ = std::move(sinks); }
    // Streams that came into being, or were given another name.
    void note_streams(const engine::Effects& effects) {
        note_streams(effects.streams);
        note_streams(effects.opened);
    }
    void expect(Entry entry) { expected_.push_back(std::move(entry)); }
    // An interface came, with what waited for it; or went; or all of them did.
    void opened(const SentOpen& sent, const ports::OpenedInbox& reply, Complaints& complaints);
    void closed(const std::string& user, const std::string& session);
    void all_closed() { devices_.clear(); }
    // Whether an interface of this person is there; nothing: one came or went in this step.
    [[nodiscard]] std::optional<bool> is_there(const std::string& user) const;

    // `is_sure` says of which the entries must be foretold; the others are looked up at the next look.
    template <class IsSure>
    void published(const engine::Effects& effects, IsSure&& is_sure, Complaints& complaints) {
        note_streams(effects);
        std::erase_if(expected_, [&](const Entry& one) { return !is_sure(one.id); });
        std::size_t next = 0;
        for (const model::SharedBlock& block : effects.published) {
            if (block->retention != model::RetentionClass::delivery) continue;
            for (const model::LogEntry& logged : block->entries) {
                const auto entry = take(logged, complaints);
                if (!entry) continue;
                show(*entry, logged, complaints);
                if (is_sure(entry->id)) judge(*entry, next, complaints);
            }
        }
        end_step(next, complaints);
    }
    void compare(const Stock& stock, const std::set<std::string>& erased, Complaints& complaints);
    // What interfaces have shown since the last call, and what each agent's user was sent.
    std::vector<Sight> drain_sights() { return std::exchange(sights_, {}); }
    AwarenessWitness& awareness() { return awareness_; }
    // Whether the person was ever sent it by the system.
    [[nodiscard]] bool was_sent(const base::Uuid& id) const { return sent_.contains(id); }

private:
    using Sending = std::tuple<base::Uuid, std::int64_t, std::int64_t>;  // id, lease, version
    struct Device {
        std::string user;
        std::string session;  // empty: all
        model::StreamId stream = 0;
        model::Sequence as_of = 0;
        std::set<Sending> shown;
    };
    // Where the person has it, and how severe it is.
    struct Place {
        bool is_inbox = false;
        std::string severity;
    };
    struct Owed {
        std::string user;
        int times = 0;
    };

    void note_streams(const std::vector<model::StreamInfo>& streams);
    std::optional<Entry> take(const model::LogEntry& logged, Complaints& complaints);
    void note_sent(const Entry& entry, const model::JsonView& body, const std::string& user, Complaints& complaints);
    void ring(const base::Uuid& id, const Place& place, const std::string& user);
    void show(const Entry& entry, const model::LogEntry& logged, Complaints& complaints);
    void judge(const Entry& entry, std::size_t& next, Complaints& complaints);
    void end_step(std::size_t next, Complaints& complaints);
    void compare_sinks(const Stock& stock, const std::set<std::string>& erased, Complaints& complaints);

    model::SinkCatalogue sinks_;
    std::map<model::StreamId, std::string> streams_;
    std::map<model::StreamId, model::Sequence> read_;
    std::map<base::Uuid, std::set<std::pair<std::int64_t, std::int64_t>>> sent_;
    std::set<base::Uuid> narrated_;
    std::map<base::Uuid, Place> places_;
    std::map<std::pair<std::string, base::Uuid>, Owed> owed_;  // a sink's calls
    std::vector<Entry> expected_;
    std::vector<Device> devices_;
    std::vector<Sight> sights_;
    AwarenessWitness awareness_;
    std::map<std::string, base::Uuid> texts_;  // and whose they were first
    std::set<std::string> moved_;              // whose interfaces came or went in this step
};

}  // namespace belfry::sim
