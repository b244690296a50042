#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/empty_tables_test.hpp"
#include "ports/random.hpp"

// A store and chance of the engine's tests.
namespace belfry::engine::testing {

// One row each, at which somebody else is faster so many times.
class ContestedNotifications final : public testing::EmptyNotifications {
public:
    base::Result<Maybe> find(const model::NotificationId& id) override { return row && row->id == id ? row : Maybe{}; }
    base::Result<bool> update(const model::Notification&, std::int64_t) override { return --lost < 0; }

    Maybe row;
    int lost = 0;
};
class ContestedInteractions final : public testing::EmptyInteractions {
public:
    base::Result<std::optional<model::Interaction>> find(const model::InteractionId& id) override {
        return row && row->id == id ? row : std::nullopt;
    }
    base::Result<bool> settle(const model::Interaction&) override { return false; }

    std::optional<model::Interaction> row;
};

// A store that fails where a test wants it to. The real stores are tested by their own suite and by the simulator; here
// it is the engine's conduct towards a failing one that counts.
class FailingStore final : public ports::Store,
                           ports::LogTable,
                           ports::IdempotencyTable,
                           ports::TokenTable,
                           ports::OutboxTable {
public:
    enum class Fault { none, at_open, at_begin, before_commit, no_room, rolled_back, unknown_lost, unknown_kept };
    Fault fault = Fault::none;
    std::string poison;  // an entry whose body holds this cannot be written
    std::vector<std::string> committed_bodies;
    int commits = 0;
    int opens = 0;
    [[nodiscard]] std::size_t answer_bytes() const {
        std::size_t bytes = 0;
        for (const auto& [key, answer] : answers_) bytes += answer.answer.size();
        return bytes;
    }

    ContestedNotifications contested;
    ContestedInteractions questions;
    std::string dropped_done;
    bool is_damaged = false;  // no block can be dropped
    int drops = 0;
    std::optional<ports::Obligation> obligation;  // that somebody else has taken by the time it is written

    base::Result<void> open() override {
        ++opens;
        if (fault == Fault::at_open) return base::error(base::Code::io, "no disk");
        open_ = true;
        return {};
    }
    void close() override { open_ = false; }
    [[nodiscard]] bool is_open() const override { return open_; }
    base::Result<void> begin() override {
        if (fault == Fault::at_begin) return base::error(base::Code::io, "cannot begin");
        bodies_.clear();
        fresh_answers_.clear();
        return {};
    }
    ports::CommitResult commit() override {
        if (fault == Fault::rolled_back) {
            fault = Fault::none;
            return {ports::CommitOutcome::rolled_back, base::error(base::Code::io, "busy")};
        }
        if (fault == Fault::no_room && written_bytes() > 1000) {
            open_ = false;
            return {ports::CommitOutcome::unknown, base::error(base::Code::io, "disk full", {}, ports::no_room)};
        }
        const bool kept = fault != Fault::unknown_lost;
        if (kept) keep();
        if (fault == Fault::unknown_lost || fault == Fault::unknown_kept) {
            fault = Fault::none;
            open_ = false;
            return {ports::CommitOutcome::unknown, base::error(base::Code::io, "fsync failed")};
        }
        return {ports::CommitOutcome::committed, {}};
    }
    void rollback() override {}
    base::Result<void> begin_trial() override { return {}; }
    base::Result<void> keep_trial() override { return {}; }
    base::Result<void> undo_trial() override { return {}; }
    [[nodiscard]] std::uint64_t commit_number() const override { return static_cast<std::uint64_t>(commits); }
    ports::LogTable& log() override { return *this; }
    ports::IdempotencyTable& idempotency() override { return *this; }
    ports::TokenTable& tokens() override { return *this; }
    ports::OutboxTable& outbox() override { return *this; }
    ports::WaitingTable& waiting() override { return waiting_; }
    ports::NotificationTable& notifications() override { return contested; }
    ports::SessionTable& sessions() override { return sessions_; }
    ports::SettingsTable& settings() override { return settings_; }
    ports::ToolTable& tools() override { return tools_; }
    ports::UserMessageTable& user_messages() override { return user_messages_; }
    ports::InteractionTable& interactions() override { return questions; }
    ports::RunTable& runs() override { return runs_; }
    ports::AgentTable& agents() override { return agents_; }
    ports::WakeTable& wakes() override { return wakes_; }
    ports::TimerTable& timers() override { return timers_; }
    ports::ChangeTable& changes() override { return changes_; }
    ports::AgentMessageTable& agent_messages() override { return agent_messages_; }
    ports::MemoryTable& memory() override { return memory_; }
    ports::JournalTable& journal() override { return journal_; }
    ports::ChangeSetTable& change_sets() override { return change_sets_; }
    ports::OutsideCallTable& outside_calls() override { return outside_calls_; }
    ports::SyncTable& sync() override { return sync_; }
    ports::ContextTable& context_values() override { return context_values_; }

private:
    testing::EmptyWaiting waiting_;
    testing::EmptySessions sessions_;
    testing::EmptySettings settings_;
    testing::EmptyTools tools_;
    testing::EmptyUserMessages user_messages_;
    testing::EmptyRuns runs_;
    testing::EmptyAgents agents_;
    testing::EmptyWakes wakes_;
    testing::EmptyTimers timers_;
    testing::EmptyChanges changes_;
    testing::EmptyAgentMessages agent_messages_;
    testing::EmptyMemory memory_;
    testing::EmptyJournal journal_;
    testing::EmptyChangeSets change_sets_;
    testing::EmptyOutsideCalls outside_calls_;
    testing::EmptySync sync_;
    testing::EmptyContextValues context_values_;

    void keep() {
        ++commits;
        for (auto& body : bodies_) committed_bodies.push_back(std::move(body));
        for (auto& answer : fresh_answers_) answers_[answer.key] = answer;
        bodies_.clear();
        fresh_answers_.clear();
    }

    base::Result<std::vector<model::StreamInfo>> load_streams() override {
        std::vector<model::StreamInfo> streams(2);
        streams[0].id = 1;
        streams[0].name = "events";
        streams[0].head = committed_bodies.size();
        streams[1].id = 2;
        streams[1].name = "audit";
        streams[1].retention = model::RetentionClass::audit;
        return streams;
    }
    base::Result<model::Position> next_position() override { return committed_bodies.size() + 1; }
    base::Result<model::StreamId> last_stream() override { return model::StreamId{2}; }
    base::Result<void> put_stream(const model::StreamInfo&) override { return {}; }
    base::Result<void> remove_streams(std::span<const model::StreamId>) override { return {}; }
    void append(model::RetentionClass, model::StreamId, model::Sequence, const model::Facets&,
                std::string_view body) override {
        bodies_.emplace_back(body);
    }
    base::Result<std::vector<model::SharedBlock>> seal(model::Position first, base::Timestamp) override {
        for (const std::string& body : bodies_) {
            if (!poison.empty() && body.find(poison) != std::string::npos) {
                bodies_.clear();
                return base::error(base::Code::io, "this row cannot be written");
            }
        }
        if (fault == Fault::before_commit) return base::error(base::Code::io, "cannot write");
        auto block = std::make_shared<model::Block>();
        block->first_position = first;
        return std::vector<model::SharedBlock>{block};
    }
    base::Result<Dropped> drop(model::RetentionClass, base::Timestamp, std::int64_t, std::size_t) override {
        ++drops;
        if (is_damaged) return base::error(base::Code::io, "a block cannot be read");
        return Dropped{};
    }
    base::Result<Erased> erase_user(std::string_view, model::Position, std::size_t) override { return Erased{}; }
    base::Result<std::vector<ports::RememberedAnswer>> find(const std::vector<std::string>& keys,
                                                            base::Timestamp) override {
        std::vector<ports::RememberedAnswer> found;
        for (const auto& key : keys) {
            if (answers_.contains(key)) found.push_back(answers_[key]);
        }
        return found;
    }
    base::Result<void> put(const std::vector<ports::RememberedAnswer>& answers, base::Timestamp) override {
        fresh_answers_.insert(fresh_answers_.end(), answers.begin(), answers.end());
        return {};
    }
    base::Result<std::uint64_t> drop(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
    base::Result<void> erase_personal() override { return {}; }
    base::Result<std::vector<model::AccessToken>> load() override { return std::vector<model::AccessToken>{}; }
    base::Result<void> put(const model::AccessToken&) override { return {}; }
    base::Result<void> remove(std::string_view) override { return {}; }
    base::Result<void> put(const ports::Obligation&) override { return {}; }
    base::Result<std::vector<ports::Obligation>> claim(base::Timestamp, base::Timestamp, std::size_t) override {
        return std::vector<ports::Obligation>{};
    }
    base::Result<void> release_all() override { return {}; }
    base::Result<bool> update(const ports::Obligation&, std::int64_t) override { return false; }
    base::Result<std::optional<ports::Obligation>> find(const base::Uuid&) override { return obligation; }
    base::Result<bool> reopen(const base::Uuid&, base::Timestamp) override { return false; }
    base::Result<std::optional<base::Timestamp>> next_due() override { return std::optional<base::Timestamp>{}; }
    base::Result<std::uint64_t> drop_finished(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
    base::Result<std::uint64_t> drop_done(std::string_view kind, base::Timestamp older_than, std::size_t) override {
        dropped_done = std::string(kind) + " " + std::to_string(older_than.us);
        return std::uint64_t{0};
    }

    [[nodiscard]] std::size_t written_bytes() const {
        std::size_t bytes = 0;
        for (const std::string& body : bodies_) bytes += body.size();
        for (const ports::RememberedAnswer& answer : fresh_answers_) bytes += answer.answer.size();
        return bytes;
    }

    bool open_ = false;
    std::vector<std::string> bodies_;
    std::vector<ports::RememberedAnswer> fresh_answers_;
    std::map<std::string, ports::RememberedAnswer> answers_;
};

class Counting final : public ports::Random {
public:
    std::uint64_t next() override { return ++count_ * 0x9E3779B97F4A7C15ULL; }

private:
    std::uint64_t count_ = 0;
};

}  // namespace belfry::engine::testing
