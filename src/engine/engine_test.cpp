#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include "engine/failing_store_test.hpp"
#include "ports/commands/access.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/erasure.hpp"
#include "ports/commands/intake.hpp"
#include "ports/commands/interactions.hpp"
#include "ports/commands/outbox.hpp"
#include "ports/commands/runs.hpp"
#include "ports/commands/wakes.hpp"

namespace belfry::engine {
namespace {

using testing::Counting;
using testing::FailingStore;
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
        if (!key.empty()) command->idempotency = ports::IdempotencyKey{key, {print}};
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

TEST_F(EngineTest, decides_any_command_with_a_key_once_and_replays_its_stored_answer) {
    std::vector<std::string> heard;
    const auto mint = [&](const std::string& name, std::uint8_t print, const std::string& by = "token:t") {
        auto command = std::make_unique<ports::MintToken>();
        command->principal.id = by;
        command->principal.role = model::Role::admin;
        command->name = name;
        command->idempotency = ports::IdempotencyKey{"k", {print}};
        command->store = [](const base::Result<ports::MintedToken>& result) {
            return result.ok() ? std::optional(result->token.id) : std::nullopt;
        };
        command->done = [&heard](const base::Result<ports::MintedToken>& result) {
            heard.push_back(result.ok() ? "made " + result->token.id : base::code_name(result.error().code));
        };
        command->replayed = [&heard](const std::string& stored) { heard.push_back("stored " + stored); };
        return command;
    };
    const auto step_all = [&](auto... commands) {
        std::vector<ports::AnyCommand> group;
        (group.push_back(std::move(commands)), ...);
        heard.clear();
        step(std::move(group));
    };
    step_all(mint("", 1), mint("a", 2), mint("a", 2), mint("a", 3));
    ASSERT_EQ(heard.size(), 4U);
    EXPECT_EQ(heard[0], "invalid");  // stores nothing, so that the key is free
    ASSERT_TRUE(heard[1].starts_with("made "));
    const std::string stored = "stored " + heard[1].substr(5);
    EXPECT_EQ(heard[2], stored);
    EXPECT_EQ(heard[3], "conflict");
    step_all(mint("a", 2), mint("a", 2, "token:u"));
    EXPECT_EQ(heard[0], stored);
    EXPECT_TRUE(heard[1].starts_with("made "));
    now = now + base::limits::idempotency_kept - base::seconds(1);
    step_all(mint("a", 2));
    EXPECT_EQ(heard[0], stored);
    // A commit that was not made leaves no key behind.
    store.fault = FailingStore::Fault::unknown_lost;
    step_all(mint("b", 9, "token:v"));
    EXPECT_EQ(heard[0], "outcome_unknown");
    ASSERT_TRUE(engine.open(now).ok());
    step_all(mint("b", 9, "token:v"));
    EXPECT_TRUE(heard[0].starts_with("made "));
    store.fault = FailingStore::Fault::unknown_kept;
    step_all(mint("c", 9, "token:w"));
    EXPECT_EQ(heard[0], "outcome_unknown");
    ASSERT_TRUE(engine.open(now).ok());
    step_all(mint("c", 9, "token:w"));
    EXPECT_TRUE(heard[0].starts_with("stored "));
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

TEST_F(EngineTest, rests_from_a_slice_that_fails_for_good_and_does_everything_else) {
    store.is_damaged = true;
    std::size_t told = 0;
    const base::Timestamp began = now;
    while (now < began + base::minutes(1)) {
        now = *engine.next_due();
        told += engine.tend(now).setbacks.size();
        ASSERT_EQ(engine.state(), State::open);
        step(emit("a.b"));
        ASSERT_TRUE(replies[0].ok()) << replies[0].error().message;
    }
    EXPECT_EQ(store.opens, 1);
    EXPECT_EQ(told, 1U);
    EXPECT_LT(store.drops, 20);
    store.is_damaged = false;
    now = *engine.next_due();
    engine.tend(now);
    EXPECT_EQ(*engine.next_due(), now + base::minutes(1)) << "and goes on as ever";
}

TEST_F(EngineTest, says_that_a_full_disk_has_no_room_until_as_much_as_a_group_fits_again) {
    store.fault = FailingStore::Fault::no_room;
    std::vector<ports::AnyCommand> group;
    for (int i = 0; i < 40; ++i) group.push_back(emit("a.b"));
    step(std::move(group));
    EXPECT_EQ(replies[0].error().code, base::Code::outcome_unknown);
    base::Duration last{0};
    for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(engine.state(), State::down);
        engine.tend(now = *engine.next_due());
        ASSERT_EQ(engine.state(), State::open);
        EXPECT_TRUE(engine.lacks_room()) << "it can be opened, but that proves nothing";
        step(emit("a.b"));
        EXPECT_TRUE(replies[0].ok()) << "what fits is recorded";
        EXPECT_TRUE(engine.lacks_room());
        const base::Timestamp opened = now;
        for (int tries = 0; tries < 100 && engine.state() == State::open; ++tries) {
            engine.tend(now = std::max(now, *engine.next_due()));
        }
        EXPECT_GE(now - opened, last) << "tried less and less often";
        last = now - opened;
    }
    EXPECT_GT(last, base::limits::reopen_pause_min);
    store.fault = FailingStore::Fault::none;
    for (int tries = 0; tries < 100 && engine.lacks_room(); ++tries) {
        engine.tend(now = std::max(now, *engine.next_due()));
    }
    EXPECT_FALSE(engine.lacks_room());
    EXPECT_LT(store.answer_bytes(), 1000U) << "what was written to try is taken back";
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
    EXPECT_EQ(refused_field([](auto& wish) { wish.bounds.users = {"a\nb"}; }), "bounds.users");
    EXPECT_EQ(refused_field([](auto& wish) { wish.bounds.sessions = {"a\x7F"}; }), "bounds.sessions");
    const auto bell = [](auto& wish) {
        wish.role = model::Role::user;
        wish.user_id = "x\a";
    };
    EXPECT_EQ(refused_field(bell), "user_id");
    EXPECT_EQ(refused_field([](auto& wish) { wish.events_per_second = -1; }), "events_per_second");
}

TEST_F(EngineTest, lets_go_of_calls_of_sinks_that_were_made_after_their_own_time) {
    EngineOptions options;
    options.retention.sink_calls_kept = base::days(30);
    Engine short_memory(store, random, subscribers, options);
    ASSERT_TRUE(short_memory.open(now).ok());
    short_memory.tend(now);
    EXPECT_EQ(store.dropped_done, "sink " + std::to_string((now - base::days(30)).us));
}

// A hundred thousand runs: in memory, because a real store would take its time.
TEST_F(EngineTest, opens_so_many_runs_and_so_many_of_one_tree) {
    const auto run = [](model::RunId parent) {
        auto command = std::make_unique<ports::CreateRun>();
        command->principal = model::house_principal();
        command->user_id = "ada";
        command->parent_id = parent;
        command->tree = true;
        return command;
    };
    const auto refusal = [&](auto command) {
        std::optional<base::Error> error;
        command->done = [&](const auto& result) {
            if (!result.ok()) error = result.error();
        };
        step(std::move(command));
        return error.value_or(base::error(base::Code::internal, "it was taken"));
    };
    std::size_t open = 0;
    const auto fill = [&](std::size_t until, model::RunId parent) {
        while (open < until) {
            std::vector<ports::AnyCommand> group;
            for (; open < until && group.size() < 1000; ++open) group.push_back(run(parent));
            step(std::move(group));
        }
    };
    fill(1, 0);
    fill(base::limits::run_tree_max, 1);
    const base::Error large = refusal(run(1));
    EXPECT_EQ(large.code, base::Code::too_large);
    EXPECT_EQ(large.field, "parent_id");
    fill(base::limits::runs_open_max - 1, 0);
    EXPECT_EQ(refusal(run(0)).code, base::Code::internal) << "it is the last one";
    EXPECT_EQ(refusal(run(0)).code, base::Code::overloaded);

    // A user's wake is a run from its beginning. The empty store knows an agent only where it was made.
    auto agent = std::make_unique<ports::CreateAgent>();
    agent->principal = model::house_principal();
    agent->draft.id = "fixer";
    agent->draft.user_id = "ada";
    auto wake = std::make_unique<ports::WakeAgent>();
    wake->principal = model::house_principal();
    wake->agent_id = "fixer";
    wake->reason = model::WakeReason::user_initiated;
    wake->session_id = "s";
    wake->request_id = "t";
    std::optional<base::Error> error;
    wake->done = [&](const base::Result<ports::AddedWake>& result) {
        if (!result.ok()) error = result.error();
    };
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(agent));
    group.push_back(std::move(wake));
    step(std::move(group));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, base::Code::overloaded);
    EXPECT_EQ(error->message, "at most 100000 runs may be open; end some first");
}

class LostRace : public EngineTest {
protected:
    template <class C>
    base::Error refusal(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        std::optional<base::Result<typename C::Reply>> got;
        command->done = [&](base::Result<typename C::Reply> reply) { got.emplace(std::move(reply)); };
        step(std::move(command));
        return got && !got->ok() ? got->error() : base::error(base::Code::internal, "it was taken");
    }
    static std::string words(const base::Error& error) {
        return std::string(base::code_name(error.code)) + " " + error.reason;
    }
    std::unique_ptr<ports::AckNotification> ack() {
        auto command = std::make_unique<ports::AckNotification>();
        command->which.key = base::format_uuid(store.contested.row->id.uuid);
        command->lease = command->version = 1;
        return command;
    }
    void SetUp() override {
        EngineTest::SetUp();
        model::Notification row;
        row.id.uuid = id;
        row.scope.user_id = "ada";
        row.address = model::Address::user;
        row.target = model::Target::user;
        store.contested.row = row;
    }

    const base::Uuid id = *base::parse_uuid("018f0000-0000-7000-8000-000000000001");
};

TEST_F(LostRace, is_a_conflict_with_its_word_and_leaves_the_engine_open) {
    store.contested.lost = 1000;
    EXPECT_EQ(words(refusal(ack())), "conflict stale_lease");
    EXPECT_EQ(engine.state(), State::open);
    store.contested.lost = 0;
    EXPECT_EQ(words(refusal(ack())), "internal ") << "it was taken";
}

TEST_F(LostRace, of_one_command_is_run_again_and_does_not_hurt_its_group) {
    store.contested.lost = 1;
    std::vector<ports::AnyCommand> group;
    group.push_back(emit("a.b"));
    auto command = ack();
    command->principal = model::house_principal();
    bool is_taken = false;
    command->done = [&](const base::Result<model::Notification>& reply) { is_taken = reply.ok(); };
    group.push_back(std::move(command));
    step(std::move(group));
    EXPECT_TRUE(is_taken) << "at the second try nobody else was there";
    ASSERT_EQ(replies.size(), 1U);
    EXPECT_TRUE(replies[0].ok());
}

TEST_F(LostRace, at_an_interaction_or_an_obligation_has_its_own_word) {
    model::Interaction question;
    question.id.uuid = id;
    question.expires_at = now + base::seconds(60);
    store.questions.row = question;
    auto withdraw = std::make_unique<ports::WithdrawInteraction>();
    withdraw->id = question.id;
    EXPECT_EQ(words(refusal(std::move(withdraw))), "conflict not_pending");
    auto answer = std::make_unique<ports::AnswerInteraction>();
    answer->id = question.id;
    answer->answer.decision = "deny";
    EXPECT_EQ(words(refusal(std::move(answer))), "conflict not_pending");

    store.obligation.emplace().id = id;
    store.obligation->kind = "sink";
    store.obligation->fence = 1;
    auto finish = std::make_unique<ports::FinishObligation>();
    finish->obligation = id;
    finish->fence = 1;
    EXPECT_EQ(words(refusal(std::move(finish))), "conflict not_held");
    store.obligation->finished_at = now;
    store.obligation->last_error = "no";
    auto again = std::make_unique<ports::RetrySinkCall>();
    again->obligation = id;
    EXPECT_EQ(words(refusal(std::move(again))), "conflict not_given_up");
}

}  // namespace
}  // namespace belfry::engine
