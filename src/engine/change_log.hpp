#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/capability.hpp"
#include "model/change_log.hpp"

namespace belfry::engine {

// What is noted of a change; the rest is given when it is recorded.
struct NewChange {
    std::string kind;
    std::string id;
    std::string user_id;
    model::ChangeOrigin origin;
    std::vector<model::ChangeToken> tokens;
    bool is_once = false;                  // its record is never changed again: it needs no clock beside it
    std::string clock_id = {};             // its record's name among the clocks of its kind; empty: its id
    std::vector<std::string> fields = {};  // of the body that other devices are told, that were written
};

// The log of changes as the engine's thread sees it: who this host is, what is to be recorded with this transaction,
// what is in no batch yet, and how far all is told. Where a transaction is dropped that has changed it, it is read anew
// before it is used again.
class ChangeLog {
public:
    base::Result<void> rebuild(Unit& unit);
    // Reads it anew where it has to be.
    base::Result<void> refresh(Unit& unit);

    // This device, and which life of it; after a refresh.
    [[nodiscard]] const std::string& host() const { return host_; }
    [[nodiscard]] std::uint64_t last_counter() const { return last_counter_; }

    // Whoever changes a record says so in the same transaction.
    void note(NewChange change) { noted_.push_back(std::move(change)); }
    // What is noted and not recorded yet, and to forget the newest of it: those records were not changed after all.
    [[nodiscard]] std::span<const NewChange> noted() const { return noted_; }
    void forget_since(std::size_t count) { noted_.resize(count); }
    // Records what was noted.
    base::Result<void> flush(Unit& unit);

    // What other devices have changed, as they say it: host, counter, record, batch; and what it touches here. Those
    // that are here already are left out by whoever tells of them.
    base::Result<void> add_foreign(std::vector<model::Change>& changes, Unit& unit);
    // All of a host's changes up to this are known here, though the log has none of them.
    base::Result<void> know_all(const std::string& host, std::uint64_t through, Unit& unit);
    base::Result<void> settle(const std::string& host, Unit& unit);

    // When the next batch is to be made.
    [[nodiscard]] std::optional<base::Timestamp> next_due() const;
    // The next batch that is due, recorded as one; nothing: none is.
    base::Result<std::optional<model::ChangeBatch>> next_batch(Unit& unit);
    // Up to which counter all changes of each host are here and in a batch.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& settled() const { return settled_; }
    [[nodiscard]] model::VectorClock has() const;
    // Whether anything ever came from another device.
    [[nodiscard]] bool knows_others() const { return settled_.size() > settled_.count(host_); }
    // Whether more was settled by what was just committed.
    [[nodiscard]] bool has_news() const { return has_news_; }
    // There is something else that other devices are told, or asked.
    void announce() { has_news_ = true; }

    void clock_was_set_back(base::Duration by);
    void committed();
    void dropped();

private:
    using Collected = std::pair<std::string, bool>;  // whose, and whether they came from another device

    base::Result<void> name_host(Unit& unit);
    // What is known of each record, after each of its changes.
    base::Result<void> set_clocks(std::vector<model::Change>& changes, const std::vector<NewChange>& noted, Unit& unit);

    std::string host_;
    std::uint64_t last_counter_ = 0;
    std::int64_t last_number_ = 0;
    std::vector<NewChange> noted_;
    std::map<Collected, base::Timestamp> due_;
    std::map<std::string, std::uint64_t> settled_;
    bool is_changed_ = false;
    bool has_news_ = false;
    bool stale_ = true;
};

}  // namespace belfry::engine
