#include <algorithm>

#include "rules/message_fork.hpp"
#include "sim/sync_world_test.hpp"

namespace belfry::sim {
namespace {

using model::AgentMessage;

class SyncMessages : public SyncWorld {
protected:
    SyncMessages() : laptop(device("laptop")), phone(device("phone")) {
        pair(laptop, phone);
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = "fixer";
        command->draft.user_id = "ada";
        laptop.ask(std::move(command));
        exchange(laptop, phone);
    }
    // In the session that both work in.
    std::vector<AgentMessage> say(SyncDevice& on, const std::vector<std::string>& texts) {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = "fixer";
        wake->request_id = "r" + std::to_string(++requests_);
        wake->session_id = "s";
        on.ask(std::move(wake));
        auto claim = std::make_unique<ports::ClaimWake>();
        claim->agents = {"fixer"};
        claim->holder = "w";
        const auto grant = on.ask(std::move(claim)).grant;
        EXPECT_TRUE(grant);
        if (!grant) return {};
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = grant->wake.id;
        command->fence = grant->wake.fence;
        for (const std::string& text : texts) {
            AgentMessage& draft = command->drafts.emplace_back();
            draft.kind = model::AgentMessageKind::thought;
            std::string content;
            model::JsonWriter(content).begin_object().field("text", text).end_object();
            draft.content = model::RawJson::trusted(std::move(content));
        }
        const auto said = on.ask(std::move(command)).messages;
        auto end = std::make_unique<ports::EndWake>();
        end->id = grant->wake.id;
        end->fence = grant->wake.fence;
        on.ask(std::move(end));
        return said;
    }
    static std::optional<AgentMessage> find(SyncDevice& on, const base::Uuid& id) {
        const auto found = on.look([&](ports::Store& store) { return store.agent_messages().find(std::span(&id, 1)); });
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    static std::vector<AgentMessage> recall(SyncDevice& on, const std::string& word) {
        return on.look([&](ports::Store& store) {
            ports::RecallFilter filter;
            filter.agent_id = "fixer";
            filter.words = {word};
            filter.limit = 10;
            return store.memory().questions().recall(filter);
        });
    }
    static std::optional<model::AgentThread> thread(SyncDevice& on) {
        return on.look([](ports::Store& store) { return store.memory().questions().thread("fixer:session:s"); });
    }
    static ports::ForgottenMemory forget(SyncDevice& on, const base::Uuid& id) {
        auto command = std::make_unique<ports::ForgetMemory>();
        command->agent_id = "fixer";
        command->message_id = id;
        return on.ask(std::move(command));
    }
    // Folds all that is hot, by rules.
    static base::Uuid fold(SyncDevice& on) {
        auto now = std::make_unique<ports::FoldNow>();
        now->agent_id = "fixer";
        on.ask(std::move(now));
        const auto grant = on.ask(std::make_unique<ports::ClaimFold>());
        EXPECT_TRUE(grant);
        if (!grant) return {};
        auto finish = std::make_unique<ports::FinishFold>();
        finish->id = grant->job.id;
        finish->attempt = grant->job.attempts;
        finish->summary.text = "all of it";
        finish->summary.counts["thought"] = grant->job.messages;
        return on.ask(std::move(finish)).summary_id.value_or(base::Uuid{});
    }
    void expect_same() { SyncWorld::expect_same(laptop, phone); }

    SyncDevice& laptop;
    SyncDevice& phone;
    int requests_ = 0;
};

TEST_F(SyncMessages, what_was_said_on_one_is_remembered_on_the_other) {
    const auto said = say(laptop, {"xylophone lessons", "on Tuesdays"});
    exchange(laptop, phone);
    ASSERT_EQ(said.size(), 2U);
    const auto there = find(phone, said[1].id);
    ASSERT_TRUE(there);
    AgentMessage same = *there;
    same.position = find(laptop, said[1].id)->position;
    EXPECT_EQ(same, *find(laptop, said[1].id));
    EXPECT_EQ(recall(phone, "xylophone").size(), 1U);
    EXPECT_EQ(thread(phone)->hot_messages, 2);
    EXPECT_EQ(phone.agent("fixer")->state.recent_head_message_id, said[1].id);
    EXPECT_EQ(phone.agent("fixer")->runtime.hot_message_count, 2);
    expect_same();
}

TEST_F(SyncMessages, a_long_content_lies_apart_on_both_under_the_same_id) {
    const auto said = say(laptop, {std::string(10'000, 'x')});
    exchange(laptop, phone);
    ASSERT_TRUE(find(phone, said[0].id));
    EXPECT_EQ(find(phone, said[0].id)->content, find(laptop, said[0].id)->content);
    EXPECT_EQ(find(phone, said[0].id)->content_entry_id, find(laptop, said[0].id)->content_entry_id);
    expect_same();
}

TEST_F(SyncMessages, a_fork_is_healed_by_the_next_message_and_both_branches_come_before_it) {
    const auto base = say(laptop, {"before"});
    exchange(laptop, phone);
    const auto left = say(laptop, {"left one", "left two"});
    const auto right = say(phone, {"right one"});
    EXPECT_EQ(left[0].prev_message_id, base[0].id);
    EXPECT_EQ(right[0].prev_message_id, base[0].id);
    exchange(laptop, phone);
    const auto next = say(phone, {"after", "and on"});
    std::vector<base::Uuid> before = rules::also_after(next[0]);
    before.push_back(*next[0].prev_message_id);
    std::ranges::sort(before);
    std::vector<base::Uuid> ends{left[1].id, right[0].id};
    std::ranges::sort(ends);
    EXPECT_EQ(before, ends);
    EXPECT_TRUE(rules::also_after(next[1]).empty());
    EXPECT_EQ(next[1].prev_message_id, next[0].id);
    exchange(laptop, phone);
    const auto last = say(laptop, {"one again"});
    EXPECT_EQ(last[0].prev_message_id, next[1].id);
    EXPECT_TRUE(rules::also_after(last[0]).empty());
    exchange(laptop, phone);
    expect_same();
}

TEST_F(SyncMessages, what_is_forgotten_on_one_is_forgotten_on_both_for_ever) {
    const auto said = say(laptop, {"the secret word", "something else"});
    exchange(laptop, phone);
    // The desk has all of it from the laptop before it is forgotten, and tells it on afterwards.
    SyncDevice& desk = device("desk");
    pair(laptop, desk);
    exchange(laptop, desk);
    pair(desk, phone);
    forget(laptop, said[0].id);
    exchange(laptop, phone);
    EXPECT_FALSE(find(phone, said[0].id));
    EXPECT_TRUE(find(phone, said[1].id));
    EXPECT_TRUE(recall(phone, "secret").empty());
    EXPECT_EQ(thread(phone)->hot_messages, 1);
    expect_same();
    exchange(desk, phone);
    EXPECT_FALSE(find(phone, said[0].id));
    EXPECT_FALSE(find(desk, said[0].id));
    SyncWorld::expect_same(desk, phone);
}

TEST_F(SyncMessages, a_summary_has_its_place_where_its_span_is_what_is_hot) {
    const auto said = say(laptop, {"one", "two", "three"});
    exchange(laptop, phone);
    const base::Uuid summary = fold(laptop);
    exchange(laptop, phone);
    const auto place = phone.look([&](ports::Store& store) { return store.memory().questions().summary(summary); });
    ASSERT_TRUE(place);
    EXPECT_EQ(thread(phone)->hot_messages, 0);
    EXPECT_EQ(phone.agent("fixer")->runtime.hot_message_count, 0);
    EXPECT_EQ(place->start_position, find(phone, said[0].id)->position);
    EXPECT_EQ(place->end_position, find(phone, said[2].id)->position);
    expect_same();
}

TEST_F(SyncMessages, a_summary_of_something_else_than_is_hot_is_one_more_message) {
    say(laptop, {"one"});
    exchange(laptop, phone);
    say(phone, {"between"});
    say(laptop, {"two"});
    const base::Uuid summary = fold(laptop);
    exchange(laptop, phone);
    ASSERT_TRUE(find(phone, summary));
    EXPECT_FALSE(phone.look([&](ports::Store& store) { return store.memory().questions().summary(summary); }));
    EXPECT_EQ(thread(phone)->hot_messages, 3);
    expect_same();
}

TEST_F(SyncMessages, a_summary_without_a_place_goes_with_what_it_was_made_of) {
    const auto said = say(laptop, {"the secret word"});
    exchange(laptop, phone);
    say(phone, {"between"});
    say(laptop, {"two"});
    const base::Uuid summary = fold(laptop);
    exchange(laptop, phone);
    ASSERT_TRUE(find(phone, summary));
    ASSERT_FALSE(phone.look([&](ports::Store& store) { return store.memory().questions().summary(summary); }));
    forget(laptop, said[0].id);
    exchange(laptop, phone);
    for (SyncDevice* const one : {&laptop, &phone}) {
        EXPECT_FALSE(find(*one, said[0].id));
        EXPECT_FALSE(find(*one, summary));
    }
    EXPECT_EQ(thread(phone)->hot_messages, 2);
    expect_same();
}

TEST_F(SyncMessages, what_told_of_something_forgotten_goes_on_both_and_is_told_anew_without_it) {
    const auto said = say(laptop, {"one", "the secret word", "three"});
    exchange(laptop, phone);
    const base::Uuid summary = fold(laptop);
    exchange(laptop, phone);
    ASSERT_TRUE(find(phone, summary));
    forget(phone, said[1].id);
    exchange(laptop, phone);
    for (SyncDevice* const one : {&laptop, &phone}) {
        EXPECT_FALSE(find(*one, said[1].id));
        EXPECT_FALSE(find(*one, summary));
        const auto places = one->look([](ports::Store& store) { return store.memory().questions().unfolded("fixer"); });
        ASSERT_EQ(places.size(), 1U);
        EXPECT_EQ(find(*one, places[0].message_id)->content.bytes().find("secret"), std::string::npos);
    }
    expect_same();
}

TEST_F(SyncMessages, two_that_fold_the_same_have_one_summary) {
    say(laptop, {"one", "two"});
    exchange(laptop, phone);
    phone.live(base::seconds(10));
    const base::Uuid here = fold(laptop);
    const base::Uuid there = fold(phone);
    EXPECT_EQ(here, there);
    exchange(laptop, phone);
    EXPECT_EQ(find(laptop, here)->created_at, find(phone, here)->created_at);
    expect_same();
}

}  // namespace
}  // namespace belfry::sim
