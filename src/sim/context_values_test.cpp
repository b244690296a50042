#include "base/context_limits.hpp"
#include "ports/commands/context.hpp"
#include "ports/commands/delivery.hpp"
#include "sim/engine_world_test.hpp"

// Context values on the real store: who reads them, how long they live, and that they announce nothing.
namespace belfry::sim {
namespace {

namespace limits = base::limits;
using Texts = std::vector<std::string>;

class ContextValues : public EngineWorld {
protected:
    void begin(const std::string& agent = {}) {
        open();
        auto command = std::make_unique<ports::PutSession>();
        command->session_id = "s";
        command->user_id = "ada";
        command->agent_id = agent;
        ask(std::move(command));
    }
    static std::unique_ptr<ports::PutContextValue> wish(const std::string& name, const std::string& content,
                                                        const model::Scope& scope = {"ada", "", ""},
                                                        base::Duration ttl = base::minutes(5)) {
        auto command = std::make_unique<ports::PutContextValue>();
        command->key = {name, scope};
        command->content = content;
        command->ttl = ttl;
        return command;
    }
    template <class... Args>
    void set(Args&&... args) {
        ask(wish(std::forward<Args>(args)...));
    }
    // The code of the refusal with its field.
    template <class C>
    std::string refusal(std::unique_ptr<C> command, const model::Principal& who = model::house_principal()) {
        command->principal = who;
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        if (asked->result().ok()) return "ok";
        return std::string(base::code_name(asked->result().error().code)) + " " + asked->result().error().field;
    }
    ports::PullReply read(std::int64_t budget = 0, const model::ContextRequest& request = {true, {}}) {
        auto command = std::make_unique<ports::PullNotifications>();
        command->session_id = "s";
        command->point = InjectAt::after_tool;
        command->budget_tokens = budget;
        command->context = request;
        return ask(std::move(command));
    }
    Texts contents() {
        Texts all;
        for (const model::ContextValue& one : read().context) all.push_back(one.content);
        return all;
    }
    // Of ada, whether they have expired or not.
    std::int64_t rows() {
        static constexpr store::Sql count_rows{"SELECT count(*) FROM context_values WHERE user_id = $1"};
        std::int64_t count = -1;
        EXPECT_TRUE(store_->begin().ok());
        const auto counted = store_->database().run(count_rows, {store::bytes(std::string_view("ada"))},
                                                    [&](const store::Row& row) { count = row.number(0); });
        store_->rollback();
        EXPECT_TRUE(counted.ok());
        return count;
    }
    void set_clock_back(base::Duration by) {
        now_ = now_ - by;
        engine_->clock_was_set_back(by);
    }
};

TEST_F(ContextValues, are_read_by_a_pull_that_asks_and_by_no_other) {
    begin("coder");
    set("a.a", "for the user");
    set("b.b", "for the session", model::Scope{"", "s", ""});
    set("c.c", "for the agent", model::Scope{"ada", "", "coder"});
    set("d.d", "for another session", model::Scope{"ada", "t", ""});
    set("e.e", "for another agent", model::Scope{"ada", "", "planner"});
    set("f.f", "for another user", model::Scope{"eve", "", ""});
    EXPECT_EQ(contents(), (Texts{"for the user", "for the session", "for the agent"}));
    EXPECT_EQ(contents().size(), 3U) << "each pull reads the current values";
    EXPECT_EQ(read(0, {false, {"c.c", "d.d", "f.f"}}).context.size(), 1U);
    EXPECT_TRUE(pull(InjectAt::after_tool).context.empty());
    EXPECT_TRUE(pull(InjectAt::turn_start).items.empty()) << "never a notification";
}

TEST_F(ContextValues, announce_nothing) {
    begin();
    std::vector<ports::AnyCommand> group;
    group.push_back(wish("a.a", "71 %", {"ada", "s", ""}));
    group.back()->principal = model::house_principal();
    const engine::Effects effects = engine_->step(now_, std::move(group));
    EXPECT_TRUE(effects.opened.empty());
    EXPECT_FALSE(effects.has_wakes);
    for (const model::SharedBlock& block : effects.published) EXPECT_TRUE(block->entries.empty());
}

TEST_F(ContextValues, the_fence_is_a_word_that_no_value_holds) {
    begin();
    std::string digits;
    for (int i = 0; i < 256; ++i) digits += "0123456789abcdef";
    set("a.a", digits);
    const ports::PullReply reply = read();
    ASSERT_EQ(reply.context.size(), 1U);
    EXPECT_EQ(reply.context[0].content.find(reply.fence), std::string::npos);
}

TEST_F(ContextValues, expire_and_are_removed) {
    begin();
    set("a.a", "short", model::Scope{"ada", "", ""}, base::seconds(1));
    set("b.b", "long", model::Scope{"ada", "", ""}, base::hours(24));
    pass(base::seconds(1) - base::milliseconds(1));
    EXPECT_EQ(contents(), (Texts{"short", "long"}));
    pass(base::milliseconds(1));
    EXPECT_EQ(contents(), (Texts{"long"}));
    pass(base::minutes(2));
    EXPECT_EQ(rows(), 1) << "the sweep removed the row";
    pass(base::hours(24));
    EXPECT_EQ(contents(), (Texts{}));
}

TEST_F(ContextValues, live_no_longer_when_the_clock_is_set_back) {
    begin();
    set("a.a", "old", model::Scope{"ada", "", ""}, base::hours(1));
    pass(base::minutes(50));
    set_clock_back(base::hours(3));
    EXPECT_EQ(contents(), (Texts{"old"}));
    set("b.b", "new", model::Scope{"ada", "", ""}, base::hours(1));
    pass(base::minutes(10));
    EXPECT_EQ(contents(), (Texts{"new"})) << "10 of 60 minutes were left of the old one";
    pass(base::minutes(50));
    EXPECT_EQ(contents(), (Texts{}));
}

TEST_F(ContextValues, live_once_more_when_the_clock_was_set_back_while_nobody_ran) {
    begin();
    set("a.a", "old", model::Scope{"ada", "", ""}, base::hours(1));
    forget();
    now_ = now_ - base::hours(3);
    open();
    EXPECT_EQ(contents(), (Texts{"old"}));
    pass(base::minutes(61));
    EXPECT_EQ(contents(), (Texts{}));
}

TEST_F(ContextValues, survive_a_crash_and_a_replaced_one_counts) {
    begin();
    set("a.a", "70 %");
    set("a.a", "71 %");
    crash();
    EXPECT_EQ(contents(), (Texts{"71 %"}));
}

TEST_F(ContextValues, a_user_has_so_many_and_expired_ones_do_not_count) {
    begin();
    for (std::size_t i = 0; i < limits::context_values_per_user_max; ++i) {
        set("a.n" + std::to_string(i), "x", model::Scope{"ada", "", ""}, base::seconds(i == 0 ? 1 : 100));
    }
    EXPECT_EQ(refusal(wish("b.b", "one more")), "conflict name");
    EXPECT_EQ(refusal(wish("a.n7", "replaced")), "ok");
    EXPECT_EQ(refusal(wish("b.b", "of another user", {"eve", "", ""})), "ok");
    now_ = now_ + base::seconds(1);
    EXPECT_EQ(refusal(wish("b.b", "in the place of the expired one")), "ok");
    EXPECT_EQ(rows(), static_cast<std::int64_t>(limits::context_values_per_user_max));
}

TEST_F(ContextValues, a_session_of_another_user_or_a_deleted_one_takes_none) {
    begin();
    EXPECT_EQ(refusal(wish("a.a", "x", {"eve", "s", ""})), "forbidden session_id");
    EXPECT_EQ(refusal(wish("a.a", "x", {"eve", "unknown", ""})), "ok");
    set("b.b", "x", model::Scope{"ada", "s", ""});
    set("c.c", "x");
    auto command = std::make_unique<ports::DeleteSession>();
    command->session_id = "s";
    ask(std::move(command));
    EXPECT_EQ(rows(), 1) << "its values went with it";
    EXPECT_EQ(refusal(wish("b.b", "x", {"ada", "s", ""})), "gone ");
}

TEST_F(ContextValues, have_content_of_a_bounded_length_and_live_for_a_bounded_time) {
    begin();
    const model::Scope of_ada{"ada", "", ""};
    EXPECT_EQ(refusal(wish("a.a", "")), "invalid content");
    EXPECT_EQ(refusal(wish("a.a", std::string(limits::context_content_bytes_max + 1, 'x'))), "too_large content");
    EXPECT_EQ(refusal(wish("a.a", "x", of_ada, limits::context_ttl_min - base::microseconds(1))), "invalid ttl_s");
    EXPECT_EQ(refusal(wish("a.a", "x", of_ada, limits::context_ttl_max + base::microseconds(1))), "invalid ttl_s");
    EXPECT_EQ(rows(), 0);
    EXPECT_EQ(refusal(wish("a.a", "x", of_ada, limits::context_ttl_min)), "ok");
    EXPECT_EQ(refusal(wish("a.b", "x", of_ada, limits::context_ttl_max)), "ok");
}

TEST_F(ContextValues, go_with_their_user) {
    begin();
    set("a.a", "of ada");
    set("a.a", "of ada", model::Scope{"ada", "elsewhere", "coder"});
    set("a.a", "of eve", model::Scope{"eve", "", ""});
    erase_user("ada");
    EXPECT_EQ(rows(), 0);
    EXPECT_EQ(refusal([] {
                  auto gone = std::make_unique<ports::DeleteContextValue>();
                  gone->key = {"a.a", {"eve", "", ""}};
                  return gone;
              }()),
              "ok");
}

TEST_F(ContextValues, come_after_the_items_in_the_budget) {
    listen({subscriber("t", "a.*")});
    begin();
    emit("a.b");
    pass(base::seconds(10));
    set("a.a", std::string(2000, 'x'));
    const std::int64_t items = pull(InjectAt::turn_start).model_tokens;
    ASSERT_GT(items, 0);
    auto command = std::make_unique<ports::PullNotifications>();
    command->session_id = "s";
    command->point = InjectAt::turn_start;
    command->budget_tokens = items + 50;
    command->context = {true, {}};
    const ports::PullReply reply = ask(std::move(command));
    EXPECT_EQ(reply.items.size(), 1U);
    EXPECT_TRUE(reply.context.empty());
    EXPECT_EQ(reply.context_left_out, (Texts{"a.a"}));
    EXPECT_LE(reply.model_tokens, items + 50);
}

}  // namespace
}  // namespace belfry::sim
