#include <functional>
#include <string>
#include <vector>

#include "ports/commands/sessions.hpp"
#include "sim/delivery_world_test.hpp"

// Reports of turns, tool calls and notes that are rejected, and that change nothing then.
namespace belfry::sim {
namespace {

class Reports : public DeliveryProtocol {
protected:
    Reports() {
        open();
        ask(put("ada"));
    }

    static std::unique_ptr<ports::NotifySelf> note(const std::string& message = "look again") {
        auto command = std::make_unique<ports::NotifySelf>();
        command->session_id = "s";
        command->message = message;
        return command;
    }
    model::Session session() {
        const std::string id = "s";
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->sessions().find(std::span(&id, 1));
        store_->rollback();
        return found.ok() && !found->empty() ? found->front() : model::Session{};
    }
    // The state that a turn changes.
    std::pair<model::Progress, std::int64_t> turns() {
        model::Session now = session();
        return {std::move(now.progress), now.turns_started};
    }
    static std::string too_long() { return std::string(base::limits::scope_id_bytes_max + 1, 'a'); }
};

TEST_F(Reports, name_the_field_of_a_note_that_does_not_fit) {
    using Change = std::function<void(ports::NotifySelf&)>;
    const std::vector<std::pair<std::string, Change>> wrong{
        {"message", [](auto& one) { one.message.clear(); }},
        {"message", [](auto& one) { one.message.assign(base::limits::self_message_bytes_max + 1, 'x'); }},
        {"priority", [](auto& one) { one.priority = "urgent"; }},
        {"deliver_at", [](auto& one) { one.deliver_at = "tomorrow"; }},
        {"after_turns", [](auto& one) { one.after_turns = -1; }},
        {"after_turns", [](auto& one) { one.after_turns = base::limits::reminder_turns_max + 1; }},
        {"when.context_above", [](auto& one) { one.context_above = 1.5; }},
        {"agent_id", [](auto& one) { one.agent_id = too_long(); }},
    };
    for (const auto& [field, change] : wrong) {
        auto command = note();
        change(*command);
        const auto rejected = try_(std::move(command));
        ASSERT_FALSE(rejected.ok()) << field;
        EXPECT_EQ(rejected.error().field, field);
        EXPECT_EQ(rejected.error().code, base::Code::invalid) << field;
    }
    auto fits = note();
    fits->priority = "high";
    fits->deliver_at = "after_tool";
    EXPECT_TRUE(try_(std::move(fits)).ok());
}

TEST_F(Reports, leave_room_for_a_hundred_reminders_of_a_session) {
    const auto later = [] {
        auto command = note();
        command->after_turns = 1;
        return command;
    };
    for (std::size_t i = 0; i < base::limits::reminders_per_session_max; ++i) {
        ASSERT_TRUE(try_(later())->reminder) << i;
    }
    const auto rejected = try_(later());
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::too_large);
    EXPECT_TRUE(try_(note()).ok()) << "a note that is told at once needs no place";
    EXPECT_EQ(ask(turn(ports::TurnEdge::start)).events.size(), 1U + base::limits::reminders_per_session_max);
    EXPECT_TRUE(try_(later()).ok()) << "those that were told have left their places";
}

TEST_F(Reports, of_a_turn_that_do_not_fit_begin_and_end_none) {
    const auto before = turns();
    auto wrong = turn(ports::TurnEdge::start);
    wrong->agent_id = too_long();
    EXPECT_EQ(try_(std::move(wrong)).error().field, "agent_id");
    EXPECT_TRUE(turns() == before);
    start();
    const auto begun = turns();
    EXPECT_TRUE(begun.first.in_turn);
    auto end = turn(ports::TurnEdge::end);
    end->agent_id = too_long();
    EXPECT_EQ(try_(std::move(end)).error().field, "agent_id");
    EXPECT_TRUE(turns() == begun);
}

TEST_F(Reports, of_a_guest_that_do_not_fit_change_nothing_of_the_session) {
    auto given = put("");
    given->agent_id = "own";
    ask(std::move(given));
    const auto before = turns();
    const auto visit = [](const std::string& agent_id) {
        auto command = turn(ports::TurnEdge::start);
        command->agent_id = agent_id;
        return command;
    };
    EXPECT_EQ(try_(visit(too_long()), model::house_worker("guest")).error().field, "agent_id");
    EXPECT_TRUE(turns() == before);
    ASSERT_TRUE(try_(visit("guest"), model::house_worker("guest")).ok());
    EXPECT_FALSE(session().progress.in_turn) << "it is a turn beside those of the session's own agent";
}

TEST_F(Reports, of_an_external_tool_that_do_not_fit_promote_nothing) {
    const Row held = emit_one(Target::agent, Handler::agent);
    start();
    ASSERT_EQ(pull().items.size(), 1U);
    for (const auto status : {ports::ToolCallStatus::pending, ports::ToolCallStatus::success}) {
        auto wrong = call_of("mail", status);
        wrong->source.assign(base::limits::event_source_bytes_max + 1, 'x');
        EXPECT_EQ(try_(std::move(wrong)).error().field, "source");
        auto other = call_of("mail", status);
        model::Principal narrow = model::house_principal();
        narrow.bounds.type_prefixes = {"ci."};
        EXPECT_EQ(try_(std::move(other), narrow).error().code, base::Code::forbidden);
    }
    EXPECT_EQ(row(held).target, Target::agent);
    EXPECT_TRUE(session().progress.effect_calls.empty());
    call("mail", ports::ToolCallStatus::pending);
    EXPECT_EQ(row(held).target, Target::user);
}

}  // namespace
}  // namespace belfry::sim
