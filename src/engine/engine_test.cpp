#include "engine/engine.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

#include "engine/empty_tables_test.hpp"
#include "ports/commands/access.hpp"
#include "ports/commands/erasure.hpp"
#include "ports/commands/intake.hpp"
#include "ports/commands/outbox.hpp"

namespace belfry::engine {
namespace {

// A store that fails where a test wants it to. The real stores are tested by their own suite and by the simulator; here
// it is the engine's conduct towards a failing one that counts.
class FailingStore final : public ports::Store,
                           ports::LogTable,
                           ports::IdempotencyTable,
                           ports::TokenTable,
                           ports::OutboxTable {
public:
    enum class Fault { none, at_open, at_begin, before_commit, rolled_back, unknown_lost, unknown_kept };
    Fault fault = Fault::none;
    std::string poison;  // an entry whose body holds this cannot be written
    std::vector<std::string> committed_bodies;
    int commits = 0;
    int opens = 0;

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
    [[nodiscard]] std::uint64_t commit_number() const override { return static_cast<std::uint64_t>(commits); }
    ports::LogTable& log() override { return *this; }
    ports::IdempotencyTable& idempotency() override { return *this; }
    ports::TokenTable& tokens() override { return *this; }
    ports::OutboxTable& outbox() override { return *this; }
    ports::WaitingTable& waiting() override { return waiting_; }
    ports::NotificationTable& notifications() override { return notifications_; }
    ports::SessionTable& sessions() override { return sessions_; }
    ports::SettingsTable& settings() override { return settings_; }
    ports::ToolTable& tools() override { return tools_; }
    ports::UserMessageTable& user_messages() override { return user_messages_; }
    ports::InteractionTable& interactions() override { return interactions_; }
    ports::RunTable& runs() override { return runs_; }

private:
    testing::EmptyWaiting waiting_;
    testing::EmptyNotifications notifications_;
    testing::EmptySessions sessions_;
    testing::EmptySettings settings_;
    testing::EmptyTools tools_;
    testing::EmptyUserMessages user_messages_;
    testing::EmptyInteractions interactions_;
    testing::EmptyRuns runs_;

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
        if (fault == Fault::before_commit) return base::error(base::Code::io, "disk full");
        auto block = std::make_shared<model::Block>();
        block->first_position = first;
        return std::vector<model::SharedBlock>{block};
    }
    base::Result<Dropped> drop(model::RetentionClass, base::Timestamp, std::int64_t, std::size_t) override {
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
        fresh_answers_ = answers;
        return {};
    }
    base::Result<std::uint64_t> drop(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
    base::Result<std::vector<model::AccessToken>> load() override { return std::vector<model::AccessToken>{}; }
    base::Result<void> put(const model::AccessToken&) override { return {}; }
    base::Result<void> remove(std::string_view) override { return {}; }
    base::Result<void> put(const ports::Obligation&) override { return {}; }
    base::Result<std::vector<ports::Obligation>> claim(base::Timestamp, base::Timestamp, std::size_t) override {
        return std::vector<ports::Obligation>{};
    }
    base::Result<void> release_all() override { return {}; }
    base::Result<bool> update(const ports::Obligation&, std::int64_t) override { return true; }
    base::Result<std::optional<ports::Obligation>> find(const base::Uuid&) override {
        return std::optional<ports::Obligation>{};
    }
    base::Result<bool> reopen(const base::Uuid&, base::Timestamp) override { return false; }
    base::Result<std::optional<base::Timestamp>> next_due() override { return std::optional<base::Timestamp>{}; }
    base::Result<std::uint64_t> drop_finished(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }

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

using Replies = std::vector<base::Result<ports::EmitReply>>;

class EngineTest : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(engine.open(now).ok()); }

    ports::AnyCommand emit(const std::string& type, const std::string& id = {}, const std::string& key = {},
                           std::uint8_t print = 0) {
        auto command = std::make_unique<ports::EmitEvents>();
        command->principal.id = "token:t";
        command->principal.role = model::Role::admin;
        model::Event event;
        event.type = type;
        event.source = "tests";
        event.source_id = id;
        command->entries.push_back({std::move(event), {print}});
        command->idempotency_key = key;
        command->request_fingerprint = {print};
        command->done = [this](base::Result<ports::EmitReply> reply) { replies.push_back(std::move(reply)); };
        return command;
    }
    Effects step(std::vector<ports::AnyCommand> commands) {
        replies.clear();
        Effects effects = engine.step(now, std::move(commands));
        EXPECT_TRUE(replies.empty()) << "nothing is answered before the effects are let out";
        for (auto& command : effects.answered) command->deliver();
        return effects;
    }
    Effects step(ports::AnyCommand command) {
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        return step(std::move(group));
    }

    base::Timestamp now{1'700'000'000'000'000};
    FailingStore store;
    Counting random;
    testing::NoSubscribers subscribers;
    Engine engine{store, random, subscribers, {}};
    Replies replies;
};

TEST_F(EngineTest, commits_a_group_once_and_answers_each) {
    std::vector<ports::AnyCommand> group;
    for (int i = 0; i < 10; ++i) group.push_back(emit("a.b"));
    const int before = store.commits;
    const Effects effects = step(std::move(group));
    EXPECT_EQ(store.commits, before + 1);
    ASSERT_EQ(replies.size(), 10U);
    std::set<model::Sequence> sequences;
    for (const auto& reply : replies) sequences.insert(reply->entries.at(0)->sequence);
    EXPECT_EQ(*sequences.begin(), 1U);
    EXPECT_EQ(sequences.size(), 10U);
    EXPECT_EQ(effects.published.size(), 1U);
}

TEST_F(EngineTest, answers_a_repeat_like_the_first_in_the_same_group_and_later) {
    std::vector<ports::AnyCommand> group;
    group.push_back(emit("a.b", "id1"));
    group.push_back(emit("a.b", "id1"));
    step(std::move(group));
    ASSERT_EQ(replies.size(), 2U);
    const ports::Admitted first = *replies[0]->entries.at(0);
    EXPECT_EQ(*replies[1]->entries.at(0), first);
    EXPECT_TRUE(replies[1]->replayed);
    EXPECT_FALSE(replies[0]->replayed);
    step(emit("a.b", "id1"));
    EXPECT_EQ(*replies[0]->entries.at(0), first);
    EXPECT_EQ(store.committed_bodies.size(), 1U);
}

TEST_F(EngineTest, refuses_another_body_under_the_same_key) {
    step(emit("a.b", "", "key", 1));
    step(emit("a.b", "", "key", 2));
    EXPECT_EQ(replies[0].error().code, base::Code::conflict);
    step(emit("a.b", "id", "", 1));
    step(emit("a.b", "id", "", 2));
    EXPECT_EQ(replies[0]->entries.at(0).error().code, base::Code::conflict);
}

TEST_F(EngineTest, does_not_remember_a_request_of_which_nothing_was_taken) {
    step(emit("wrong", "", "key", 1));
    EXPECT_FALSE(replies[0]->entries.at(0).ok());
    step(emit("a.b", "", "key", 2));
    EXPECT_TRUE(replies[0]->entries.at(0).ok());
}

TEST_F(EngineTest, lets_a_bad_command_hurt_only_itself) {
    store.poison = "poison.pill";
    std::vector<ports::AnyCommand> group;
    group.push_back(emit("a.b"));
    group.push_back(emit("poison.pill"));
    group.push_back(emit("c.d"));
    step(std::move(group));
    ASSERT_EQ(replies.size(), 3U);
    EXPECT_EQ(replies[0]->entries.at(0)->sequence, 1U);
    EXPECT_EQ(replies[1].error().code, base::Code::unavailable);
    EXPECT_EQ(replies[2]->entries.at(0)->sequence, 2U) << "the sequence has no gap where one was refused";
}

TEST_F(EngineTest, runs_a_group_again_when_its_commit_was_rolled_back) {
    store.fault = FailingStore::Fault::rolled_back;
    std::vector<ports::AnyCommand> group;
    group.push_back(emit("a.b"));
    group.push_back(emit("c.d"));
    step(std::move(group));
    EXPECT_EQ(replies[0]->entries.at(0)->sequence, 1U);
    EXPECT_EQ(replies[1]->entries.at(0)->sequence, 2U);
}

TEST_F(EngineTest, says_outcome_unknown_and_learns_from_the_store_what_became_of_it) {
    for (const auto fault : {FailingStore::Fault::unknown_kept, FailingStore::Fault::unknown_lost}) {
        const std::size_t before = store.committed_bodies.size();
        store.fault = fault;
        const Effects effects = step(emit("a.b", fault == FailingStore::Fault::unknown_kept ? "kept" : "lost"));
        EXPECT_EQ(replies[0].error().code, base::Code::outcome_unknown);
        EXPECT_TRUE(effects.published.empty());
        EXPECT_EQ(engine.state(), State::down);
        now = *engine.next_due();
        engine.tend(now);
        ASSERT_EQ(engine.state(), State::open);
        step(emit("a.b", fault == FailingStore::Fault::unknown_kept ? "kept" : "lost"));
        EXPECT_EQ(replies[0]->entries.at(0)->sequence, before + 1) << "once, whether the first try was kept or not";
        EXPECT_EQ(store.committed_bodies.size(), before + 1);
    }
}

TEST_F(EngineTest, refuses_everything_while_the_store_is_down_and_tries_to_reopen_at_growing_intervals) {
    store.fault = FailingStore::Fault::unknown_lost;
    step(emit("a.b"));
    store.fault = FailingStore::Fault::at_open;
    base::Duration last{0};
    for (int i = 0; i < 4; ++i) {
        step(emit("a.b"));
        EXPECT_EQ(replies[0].error().code, base::Code::unavailable);
        const base::Timestamp due = *engine.next_due();
        EXPECT_GT(due - now, last);
        last = due - now;
        now = due;
        engine.tend(now);
        EXPECT_EQ(engine.state(), State::down);
    }
    store.fault = FailingStore::Fault::none;
    now = *engine.next_due();
    EXPECT_FALSE(engine.tend(now).streams.empty()) << "readers are told where the streams stand";
    step(emit("a.b"));
    EXPECT_TRUE(replies[0]->entries.at(0).ok());
}

TEST_F(EngineTest, shows_a_token_once_and_keeps_its_hash) {
    auto mint = std::make_unique<ports::MintToken>();
    mint->principal = model::house_principal();
    mint->name = "ci";
    mint->role = model::Role::emitter;
    std::optional<ports::MintedToken> minted;
    mint->done = [&](base::Result<ports::MintedToken> reply) { minted = *reply; };
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(mint));
    const Effects effects = step(std::move(group));
    ASSERT_TRUE(minted);
    EXPECT_EQ(minted->secret_text.find("bf_" + minted->token.id + "_"), 0U);
    ASSERT_TRUE(effects.tokens);
    EXPECT_EQ(effects.tokens->size(), 1U);
    ASSERT_EQ(store.committed_bodies.size(), 1U) << "and the audit says so";
    EXPECT_NE(store.committed_bodies[0].find("token.mint"), std::string::npos);
    EXPECT_EQ(store.committed_bodies[0].find(minted->secret_text.substr(17)), std::string::npos);
}

TEST_F(EngineTest, names_what_is_wrong_with_a_wish_for_a_token) {
    const auto refused_field = [&](auto change) {
        auto mint = std::make_unique<ports::MintToken>();
        mint->principal = model::house_principal();
        mint->name = "n";
        change(*mint);
        std::string field;
        mint->done = [&](base::Result<ports::MintedToken> reply) { field = reply.ok() ? "" : reply.error().field; };
        step(std::move(mint));
        return field;
    };
    EXPECT_EQ(refused_field([](auto& wish) { wish.name.clear(); }), "name");
    EXPECT_EQ(refused_field([](auto& wish) { wish.role = model::Role::user; }), "user_id");
    EXPECT_EQ(refused_field([](auto& wish) { wish.user_id = "u"; }), "user_id");
    EXPECT_EQ(refused_field([](auto& wish) { wish.life = base::Duration{0}; }), "ttl_s");
    EXPECT_EQ(refused_field([](auto& wish) { wish.bounds.users.assign(101, "u"); }), "bounds.users");
    EXPECT_EQ(refused_field([](auto& wish) { wish.events_per_second = -1; }), "events_per_second");
}

}  // namespace
}  // namespace belfry::engine
