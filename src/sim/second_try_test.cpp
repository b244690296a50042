#include "ports/commands/delivery.hpp"
#include "ports/commands/sessions.hpp"
#include "sim/engine_world_test.hpp"

// A group that fails is run again command by command: nothing of the first try may be left in its commands.
namespace belfry::sim {
namespace {

class SecondTry : public EngineWorld {
protected:
    // The store takes no tools from here on: whatever comes in a group with one is tried twice.
    void refuse_tools() {
        const auto refused = store_->database().script(
            "CREATE TRIGGER no_tools BEFORE INSERT ON tools BEGIN SELECT RAISE(ABORT, 'no tools'); END");
        ASSERT_TRUE(refused.ok()) << refused.error().message;
    }

    template <class C>
    typename C::Reply ask_twice(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        auto tool = std::make_unique<ports::PutTool>();
        tool->principal = model::house_principal();
        tool->tool.name = "hammer";
        C* const asked = command.get();
        ports::PutTool* const refused = tool.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        group.push_back(std::move(tool));
        const auto effects = engine_->step(now_, std::move(group));
        EXPECT_FALSE(refused->result().ok()) << "nothing failed, so nothing was tried twice";
        EXPECT_TRUE(asked->result().ok()) << asked->result().error().message;
        return asked->result().ok() ? asked->result().value() : typename C::Reply{};
    }
};

TEST_F(SecondTry, a_message_has_its_words) {
    open();
    refuse_tools();
    auto message = std::make_unique<ports::PostMessage>();
    message->session_id = "s";
    message->content = "all of them";
    EXPECT_EQ(ask_twice(std::move(message)).content, "all of them");
}

TEST_F(SecondTry, a_user_who_was_guessed_is_a_guess_still) {
    open();
    refuse_tools();
    auto emit = std::make_unique<ports::EmitNotification>();
    emit->draft.scope.session_id = "s";
    emit->draft.text = "It burns";
    EXPECT_EQ(ask_twice(std::move(emit)).notification.scope.user_id, "owner");
    auto session = std::make_unique<ports::PutSession>();
    session->session_id = "s";
    session->user_id = "grace";
    EXPECT_EQ(ask(std::move(session)).user_id, "grace");
}

}  // namespace
}  // namespace belfry::sim
