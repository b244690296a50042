#include "ports/commands/client_messages.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/sessions.hpp"
#include "sim/engine_world_test.hpp"

// What of a hand-over counts as having arrived: a person's words are never lost with an answer that was.
namespace belfry::sim {
namespace {

using Words = std::vector<std::string>;
using Pull = std::optional<base::Uuid>;

class HandedWords : public EngineWorld {
protected:
    void begin() {
        open();
        name_session();
        report(ports::TurnEdge::start);
    }
    void say(const std::string& text) {
        auto command = std::make_unique<ports::SendClientMessage>();
        command->message.session_id = "s";
        command->message.message_type = "user_input";
        command->message.timestamp = now_;
        command->message.payload = model::RawJson::trusted("{\"text\":\"" + text + "\"}");
        ask(std::move(command));
    }
    Words hear(InjectAt point = InjectAt::after_tool, const Pull& named = std::nullopt) {
        auto command = std::make_unique<ports::PullNotifications>();
        command->session_id = "s";
        command->point = point;
        command->pull_id = named;
        last_ = ask(std::move(command));
        Words words;
        for (const model::SessionMessage& one : last_.user_messages) words.push_back(one.content);
        return words;
    }
    Pull had() const { return last_.pull_id; }
    void report(ports::TurnEdge edge, const Pull& named = std::nullopt) {
        auto command = std::make_unique<ports::ReportTurn>();
        command->session_id = "s";
        command->edge = edge;
        command->pull_id = named;
        step(std::move(command));
    }
    void call(const Pull& named = std::nullopt) {
        auto command = std::make_unique<ports::ReportToolCall>();
        command->session_id = "s";
        command->tool_name = "t";
        command->call_id = "c";
        command->payload = model::RawJson::trusted(R"({"tool_name":"t","call_id":"c","duration_ms":1})");
        command->pull_id = named;
        step(std::move(command));
    }
    template <class C>
    void step(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        effects_ = engine_->step(now_, std::move(group));
        EXPECT_TRUE(asked->result().ok()) << asked->result().error().message;
    }
    template <class C>
    base::Result<typename C::Reply> try_as(model::Principal who, std::unique_ptr<C> command) {
        command->principal = std::move(who);
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        effects_ = engine_->step(now_, std::move(group));
        return asked->result();
    }
    std::size_t turns_requested() const {
        std::size_t count = 0;
        for (const model::SharedBlock& block : effects_.published) {
            for (const model::LogEntry& entry : block->entries) count += entry.facets.type == "turn_requested" ? 1 : 0;
        }
        return count;
    }
    // Passive context that comes after a tool.
    void note(const std::string& type) {
        emit(type);
        pass(base::seconds(3));
    }

    ports::PullReply last_;
    engine::Effects effects_;
};

TEST_F(HandedWords, are_not_confirmed_by_a_report_that_names_nothing) {
    begin();
    say("one");
    EXPECT_EQ(hear(), (Words{"one"}));  // and the answer is lost
    call();
    pass(base::limits::lease_default);
    EXPECT_EQ(hear(), (Words{"one"}));
}

TEST_F(HandedWords, are_renewed_by_a_heartbeat_of_their_holder_also_where_another_one_holds_the_rest) {
    begin();
    auto alert = std::make_unique<ports::EmitNotification>();
    alert->draft.text = "the matter";
    alert->draft.scope = {"ada", "s", ""};
    alert->draft.target = model::Target::agent;
    alert->draft.handler = model::Handler::agent;
    ask(std::move(alert));
    hear(InjectAt::turn_start);
    ASSERT_EQ(last_.items.size(), 1U);
    say("one");
    model::Principal other = model::house_principal();
    other.id = "token:other";
    auto pull = std::make_unique<ports::PullNotifications>();
    pull->session_id = "s";
    pull->point = InjectAt::after_tool;
    EXPECT_EQ(try_as(other, std::move(pull))->user_messages.size(), 1U);
    pass(base::seconds(60));
    auto beat = std::make_unique<ports::Heartbeat>();
    beat->session_id = "s";
    beat->lease = base::seconds(600);
    const auto renewed = try_as(other, std::move(beat));
    ASSERT_TRUE(renewed.ok()) << renewed.error().message;
    EXPECT_EQ(renewed->renewed, 0);
    EXPECT_EQ(renewed->lease_until, now_ + base::seconds(600));
}

TEST_F(HandedWords, are_confirmed_by_a_report_that_names_their_pull_and_only_theirs) {
    begin();
    say("one");
    EXPECT_EQ(hear(), (Words{"one"}));
    const Pull first = had();
    call();
    say("two");
    EXPECT_EQ(hear(), (Words{"two"}));
    call(first);
    report(ports::TurnEdge::end);
    EXPECT_EQ(turns_requested(), 1U) << "who names once names always: what he did not name waits for the next turn";
    report(ports::TurnEdge::start);
    EXPECT_EQ(hear(InjectAt::turn_start), (Words{"two"}));
    report(ports::TurnEdge::end, had());
    EXPECT_EQ(turns_requested(), 0U);
    report(ports::TurnEdge::start);
    EXPECT_EQ(hear(InjectAt::turn_start), Words{});
}

TEST_F(HandedWords, of_a_turn_that_names_nothing_are_confirmed_by_its_end) {
    begin();
    say("one");
    EXPECT_EQ(hear(), (Words{"one"}));
    call();
    report(ports::TurnEdge::end);
    EXPECT_EQ(turns_requested(), 0U);
    report(ports::TurnEdge::start);
    EXPECT_EQ(hear(InjectAt::turn_start), Words{});
}

TEST_F(HandedWords, whose_lease_has_run_out_are_not_confirmed_by_the_end_of_the_turn) {
    begin();
    say("one");
    EXPECT_EQ(hear(), (Words{"one"}));
    pass(base::limits::lease_default);
    report(ports::TurnEdge::end);
    EXPECT_EQ(turns_requested(), 1U);
    EXPECT_EQ(hear(InjectAt::turn_start), (Words{"one"}));
}

TEST_F(HandedWords, are_held_for_as_long_as_reports_come) {
    begin();
    say("one");
    EXPECT_EQ(hear(), (Words{"one"}));
    for (int i = 0; i < 4; ++i) {
        pass(base::seconds(600));
        call();
        EXPECT_EQ(hear(), Words{}) << "a simple runtime does not hear them twice";
    }
}

TEST_F(HandedWords, come_again_at_the_same_point_where_nothing_was_reported_since) {
    begin();
    say("one");
    EXPECT_EQ(hear(), (Words{"one"}));
    EXPECT_EQ(hear(), (Words{"one"})) << "the first answer was lost";
    EXPECT_EQ(hear(), (Words{"one"})) << "the second, too";
    EXPECT_EQ(hear(InjectAt::turn_end), Words{}) << "another point is no repetition";
    call();
    EXPECT_EQ(hear(InjectAt::turn_end), Words{});
    say("two");
    EXPECT_EQ(hear(InjectAt::immediate), (Words{"two"}));
    EXPECT_EQ(hear(InjectAt::immediate), Words{}) << "which may be asked as often as one likes";
}

TEST_F(HandedWords, that_a_naming_pull_does_not_name_come_with_it) {
    begin();
    say("one");
    EXPECT_EQ(hear(), (Words{"one"}));
    const Pull first = had();
    EXPECT_EQ(hear(InjectAt::after_tool, first), Words{}) << "it has them";
    const Pull second = had();
    say("two");
    EXPECT_EQ(hear(InjectAt::immediate, second), (Words{"two"}));  // lost
    EXPECT_EQ(hear(InjectAt::turn_end, second), (Words{"two"}));
    report(ports::TurnEdge::end, had());
    report(ports::TurnEdge::start);
    EXPECT_EQ(hear(InjectAt::turn_start), Words{});
}

TEST_F(HandedWords, of_two_tools_at_once_are_confirmed_each_by_its_own) {
    begin();
    say("one");
    EXPECT_EQ(hear(), (Words{"one"}));
    const Pull a = had();
    call();  // of the other tool, whose runtime knows nothing of them
    hear();
    const Pull b = had();
    call(b);
    call(a);
    report(ports::TurnEdge::end, b);
    EXPECT_EQ(turns_requested(), 0U);
}

TEST_F(HandedWords, named_late_stay_with_the_hand_over_that_has_them_now) {
    begin();
    say("one");
    hear();
    const Pull first = had();
    EXPECT_EQ(hear(), (Words{"one"}));
    call(first);
    report(ports::TurnEdge::end);
    EXPECT_EQ(turns_requested(), 1U) << "said twice is better than not at all";
}

TEST_F(HandedWords, survive_a_crash_in_all_of_this) {
    begin();
    say("one");
    hear();
    const Pull first = had();
    crash();
    EXPECT_EQ(hear(), (Words{"one"})) << "nothing was reported since";
    call(had());
    crash();
    report(ports::TurnEdge::end, first);
    EXPECT_EQ(turns_requested(), 0U);
}

TEST_F(HandedWords, have_company_in_notifications_that_never_arrived) {
    model::Subscriber tool = subscriber("tool", "build.*");
    tool.inject_at = InjectAt::after_tool;
    tool.window = base::Duration{};
    listen({tool});
    begin();
    note("build.one");
    hear();
    ASSERT_EQ(last_.items.size(), 1U);
    const Pull first = had();
    note("build.two");
    hear();
    ASSERT_EQ(last_.items.size(), 1U);  // and lost
    call(first);
    report(ports::TurnEdge::end);
    report(ports::TurnEdge::start);
    hear(InjectAt::turn_start);
    ASSERT_EQ(last_.items.size(), 1U) << "the one that was named was carried by the turn, the other was not";
    EXPECT_TRUE(last_.items[0].again);
    report(ports::TurnEdge::end, had());
    report(ports::TurnEdge::start);
    hear(InjectAt::turn_start);
    EXPECT_TRUE(last_.items.empty());
}

TEST_F(HandedWords, have_company_in_what_the_person_has_seen) {
    open();
    auto put = std::make_unique<ports::PutSession>();
    put->session_id = "s";
    put->user_id = "ada";
    ask(std::move(put));
    pass(base::seconds(1));
    auto shown = std::make_unique<ports::EmitNotification>();
    shown->draft.scope.user_id = "ada";
    shown->draft.text = shown->draft.content = "Tea is ready";
    shown->draft.address = model::Address::user;
    shown->draft.target = model::Target::user;
    shown->draft.handler = model::Handler::system;
    auto seen = std::make_unique<ports::AckNotification>();
    const model::Notification one = ask(std::move(shown)).notification;
    seen->which.key = base::format_uuid(one.id.uuid);
    seen->lease = one.lease;
    seen->version = one.version;
    ask(std::move(seen));
    pass(base::seconds(1));
    report(ports::TurnEdge::start);
    hear(InjectAt::turn_start);
    ASSERT_FALSE(last_.digest.empty());
    call();
    report(ports::TurnEdge::start);  // the turn before was lost
    hear(InjectAt::turn_start);
    EXPECT_FALSE(last_.digest.empty()) << "a report that names nothing tells nothing";
    call(had());
    report(ports::TurnEdge::start);
    hear(InjectAt::turn_start);
    EXPECT_TRUE(last_.digest.empty());
}

}  // namespace
}  // namespace belfry::sim
