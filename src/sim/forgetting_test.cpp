#include "sim/memory_world_test.hpp"

namespace belfry::sim {
namespace {

using model::FoldState;

class Forgetting : public MemoryWorld {
protected:
    Forgetting() { open(); }

    static std::unique_ptr<ports::ForgetMemory> wish() {
        auto command = std::make_unique<ports::ForgetMemory>();
        command->agent_id = "fixer";
        return command;
    }
    base::Result<ports::ForgottenMemory> forget(const base::Uuid& id) {
        auto command = wish();
        command->message_id = id;
        return try_to(std::move(command));
    }
    base::Result<ports::ForgottenMemory> forget_thread(const std::string& id) {
        auto command = wish();
        command->thread_id = id;
        return try_to(std::move(command));
    }
    base::Result<ports::ForgottenMemory> forget_before(base::Timestamp time) {
        auto command = wish();
        command->before = time;
        return try_to(std::move(command));
    }
    // To somebody who is woken now.
    std::size_t goals_told() {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = "fixer";
        wake->request_id = "told " + std::to_string(++requests_);
        ask(std::move(wake));
        const auto grant = claim();
        EXPECT_TRUE(grant && grant->context);
        if (!grant) return 99;
        end(grant->wake);
        return grant->context->memory.goals.size();
    }
    // All that is said in the store, by messages and by summaries.
    std::string everything() {
        std::string all;
        for (const char* const table : {"agent_messages", "agent_payloads"}) {
            const std::string text = std::string("SELECT content_json FROM ") + table;
            const store::Sql sql{text.c_str()};
            EXPECT_TRUE(store_->begin().ok());
            EXPECT_TRUE(store_->database().run(sql, {}, [&](const store::Row& row) { all += row.bytes(0); }).ok());
            store_->rollback();
        }
        return all;
    }
};

TEST_F(Forgetting, takes_a_message_away_with_its_words) {
    make_agent();
    const model::Wake wake = begin();
    const Messages said = say(wake, {"the harmless one", "the code is xylophone", "another"});
    ASSERT_EQ(recalled({"xylophone"}).size(), 1U);
    const auto gone = forget(said[1].id);
    ASSERT_TRUE(gone.ok()) << gone.error().message;
    EXPECT_EQ(gone->messages, 1U);
    EXPECT_EQ(gone->summaries, 0U);
    EXPECT_FALSE(gone->more);
    EXPECT_TRUE(effects_.erased) << "what it removed is to leave the disk";
    EXPECT_FALSE(message(said[1].id));
    EXPECT_TRUE(recalled({"xylophone"}).empty());
    EXPECT_EQ(recalled({"harmless"}).size(), 1U);
    EXPECT_EQ(thread(wake.thread_id).hot_messages, 2);
    EXPECT_EQ(thread(wake.thread_id).hot_tokens, 20);
    EXPECT_EQ(agent().runtime.hot_message_count, 2);
    std::string told;
    for (const model::SharedBlock& block : effects_.published) told += block->bytes;
    EXPECT_NE(told.find("memory.forget"), std::string::npos) << "who did it is in the audit";
    EXPECT_EQ(told.find("xylophone"), std::string::npos);
    EXPECT_TRUE(say(wake, {"on"}).size() == 1) << "life goes on";
}

TEST_F(Forgetting, leaves_no_summary_that_was_made_of_it) {
    make_agent(wants_hot(4));
    const model::Wake wake = begin();
    const Messages said = say(wake, {"Goal: learn the xylophone", "Decision: buy bread", "three", "four", "five"});
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    const auto folded = finish(*grant, by_rules(grant->job));
    ASSERT_TRUE(folded.ok());
    ASSERT_NE(message(*folded->summary_id)->content.bytes().find("xylophone"), std::string::npos);
    const std::int64_t place = unfolded().at(0).position;
    const auto gone = forget(said[0].id);
    ASSERT_TRUE(gone.ok());
    EXPECT_EQ(gone->summaries, 1U);
    EXPECT_FALSE(message(*folded->summary_id));
    ASSERT_EQ(unfolded().size(), 1U) << "what is left is folded anew";
    const model::SummaryPlace anew = unfolded()[0];
    EXPECT_EQ(anew.position, place) << "in the same place";
    EXPECT_EQ(anew.start_position, said[1].position);
    EXPECT_EQ(anew.end_position, said[2].position);
    const auto summary = model::memory_summary_of(message(anew.message_id)->content.view());
    ASSERT_TRUE(summary);
    EXPECT_TRUE(summary->goals.empty());
    ASSERT_EQ(summary->decisions.size(), 1U);
    EXPECT_EQ(summary->messages(), 2);
    EXPECT_EQ(agent().state.latest_summary_message_id, anew.message_id);
    EXPECT_EQ(thread(wake.thread_id).hot_messages, 2);
    EXPECT_EQ(everything().find("xylophone"), std::string::npos);
}

TEST_F(Forgetting, takes_every_summary_above_away_and_what_they_had_folded_is_folded_again) {
    make_agent();
    std::vector<base::Uuid> said;
    for (std::size_t i = 0; i <= limits::summaries_kept_max; ++i) {
        const model::Wake wake = begin();
        said.push_back(say(wake, {i == 1 ? "Goal: learn the xylophone" : "Goal: number " + std::to_string(i)})[0].id);
        end(wake);
        fold_all();
    }
    ASSERT_EQ(unfolded().at(0).depth, 2);
    const base::Uuid above = unfolded()[0].message_id;
    ASSERT_NE(message(above)->content.bytes().find("xylophone"), std::string::npos);
    const auto gone = forget(said[1]);
    ASSERT_TRUE(gone.ok());
    EXPECT_EQ(gone->summaries, 2U);
    EXPECT_FALSE(message(above));
    EXPECT_EQ(unfolded().size(), limits::summaries_kept_max) << "nothing was left of the span of one";
    for (const model::SummaryPlace& place : unfolded()) EXPECT_EQ(place.depth, 1);
    EXPECT_EQ(everything().find("xylophone"), std::string::npos);
    EXPECT_EQ(fold_all(), 0) << "so many may stay";
    const model::Wake wake = begin();
    say(wake, {"one more"});
    end(wake);
    EXPECT_EQ(fold_all(), 2);
    ASSERT_EQ(unfolded().at(0).depth, 2);
    EXPECT_NE(message(unfolded()[0].message_id)->content.bytes().find("number 0"), std::string::npos);
}

// What had folded the goal is gone, what has closed it stands deeper.
TEST_F(Forgetting, does_not_open_again_what_was_closed_since) {
    make_agent();
    const auto run = [&](const std::vector<std::string>& texts) {
        const model::Wake wake = begin();
        Messages said = say(wake, texts);
        end(wake);
        fold_all();
        return said;
    };
    const Messages first = run({"Goal: learn the xylophone", "of no matter"});
    for (std::size_t i = 0; i < limits::summaries_kept_max; ++i) run({"nothing"});
    run({"Done: learn the xylophone"});
    for (std::size_t i = 0; i < limits::summaries_kept_max; ++i) run({"nothing"});
    ASSERT_TRUE(forget(first[1].id).ok());
    std::int64_t depth_of_goal = 0;
    std::int64_t depth_of_closing = 0;
    for (const model::SummaryPlace& place : unfolded()) {
        const auto summary = model::memory_summary_of(message(place.message_id)->content.view());
        if (!summary->goals.empty()) depth_of_goal = place.depth;
        if (!summary->closed_loops.empty()) depth_of_closing = place.depth;
    }
    ASSERT_EQ(depth_of_goal, 1);
    ASSERT_EQ(depth_of_closing, 2) << "else the summaries are in their order, and nothing is tried here";
    EXPECT_EQ(goals_told(), 0U);
    run({"Goal: learn the xylophone"});
    EXPECT_EQ(goals_told(), 1U) << "and it may be aimed at again, in the same words";
}

TEST_F(Forgetting, fences_whoever_has_read_it) {
    make_agent(wants_hot(4));
    const model::Wake wake = begin();
    const Messages said = say(wake, {"the xylophone", "two", "three", "four", "five"});
    const Grant grant = claim_fold();
    ASSERT_TRUE(grant);
    ASSERT_TRUE(forget(said[0].id).ok());
    EXPECT_EQ(finish(*grant, summary_of("they spoke of the xylophone")).error().reason, "stale_claim");
    EXPECT_TRUE(unfolded().empty());
    say(wake, {"six"});
    const Grant next = claim_fold();
    ASSERT_TRUE(next) << "what is left is due by itself";
    EXPECT_EQ(next->job.start_message_id, said[1].id);
    EXPECT_EQ(everything().find("xylophone"), std::string::npos);
}

TEST_F(Forgetting, of_the_newest_message_leaves_the_order_by_time) {
    make_agent();
    const model::Wake wake = begin();
    const Messages said = say(wake, {"one", "two", "three"});
    ASSERT_TRUE(forget(said[2].id).ok());
    now_ = now_ - base::seconds(1);
    const Messages next = say(wake, {"four"});
    EXPECT_GT(next[0].created_at, said[2].created_at);
}

TEST_F(Forgetting, takes_a_thread_away_in_slices) {
    make_agent();
    const model::Wake wake = begin();
    for (int i = 0; i < 4; ++i) say(wake, std::vector<std::string>(100, "thought"), 1);
    fold_all();
    ASSERT_FALSE(unfolded().empty());
    const auto first = forget_thread(wake.thread_id);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->messages, limits::sweep_slice_rows);
    EXPECT_TRUE(first->more);
    const auto second = forget_thread(wake.thread_id);
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->messages, 400 - limits::sweep_slice_rows);
    EXPECT_FALSE(second->more);
    EXPECT_TRUE(all_of(wake.thread_id).empty());
    EXPECT_TRUE(unfolded().empty());
    EXPECT_EQ(thread(wake.thread_id).hot_messages, 0);
    EXPECT_EQ(agent().runtime.hot_message_count, 0);
    EXPECT_EQ(forget_thread(wake.thread_id)->messages, 0U);
}

TEST_F(Forgetting, takes_away_what_is_before_a_time) {
    make_agent();
    const model::Wake early = begin();
    const Messages old = say(early, {"old"});
    end(early);
    now_ = now_ + base::hours(1);
    const base::Timestamp noon = now_;
    const model::Wake late = begin();
    const Messages young = say(late, {"young"});
    EXPECT_EQ(forget_before(noon)->messages, 1U);
    EXPECT_FALSE(message(old[0].id));
    EXPECT_TRUE(message(young[0].id));
}

TEST_F(Forgetting, wants_to_be_told_what) {
    make_agent(wants_hot(4));
    const model::Wake wake = begin();
    const Messages said = say(wake, {"one", "two", "three", "four", "five"});
    fold_all();
    EXPECT_EQ(try_to(wish()).error().field, "message_id");
    auto both = wish();
    both->message_id = said[0].id;
    both->thread_id = wake.thread_id;
    EXPECT_EQ(try_to(std::move(both)).error().code, base::Code::invalid);
    EXPECT_EQ(forget(unfolded().at(0).message_id).error().code, base::Code::invalid) << "a summary is no message";
    base::Uuid nobody;
    nobody.bytes[0] = 1;
    EXPECT_EQ(forget(nobody).error().code, base::Code::not_found);
    auto of_another = wish();
    of_another->agent_id = "nobody";
    of_another->thread_id = wake.thread_id;
    EXPECT_EQ(try_to(std::move(of_another)).error().code, base::Code::not_found);
    EXPECT_EQ(all_of(wake.thread_id).size(), 6U);
}

TEST_F(Forgetting, is_not_for_others) {
    make_agent();
    const model::Wake wake = begin();
    const Messages said = say(wake, {"mine"});
    auto command = wish();
    command->message_id = said[0].id;
    command->principal.id = "token:bob";
    command->principal.role = model::Role::user;
    command->principal.user_id = "bob";
    ports::ForgetMemory* const asked = command.get();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(command));
    const auto effects = engine_->step(now_, std::move(group));
    EXPECT_EQ(asked->result().error().code, base::Code::not_found);
    EXPECT_TRUE(message(said[0].id));
}

class Retention : public MemoryWorld {};

TEST_F(Retention, of_a_kind_lets_go_of_what_a_summary_covers_and_of_nothing_else) {
    options_.retention.messages_kept[model::AgentMessageKind::thought] = base::days(2);
    open();
    make_agent(wants_hot(4));
    name_session();
    const model::Wake wake = begin("s");
    const Messages said = say(wake, {"one", "two", "three", "four", "five"});
    ASSERT_EQ(fold_all(), 1);
    end(wake);
    pass(base::days(1));
    EXPECT_TRUE(message(said[0].id)) << "it is kept for two days";
    pass(base::days(2));
    EXPECT_FALSE(message(said[0].id));
    EXPECT_FALSE(message(said[2].id));
    EXPECT_TRUE(message(said[3].id)) << "nothing covers it yet";
    EXPECT_TRUE(message(unfolded().at(0).message_id)) << "the summary still tells of them";
    EXPECT_EQ(fold_all(), 1);
    pass(base::hours(1));
    EXPECT_FALSE(message(said[3].id));
}

}  // namespace
}  // namespace belfry::sim
