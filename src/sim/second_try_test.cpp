#include <algorithm>

#include "ports/commands/delivery.hpp"
#include "ports/commands/erasure.hpp"
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

    static std::unique_ptr<ports::PutTool> tool() {
        auto tool = std::make_unique<ports::PutTool>();
        tool->principal = model::house_principal();
        tool->tool.name = "hammer";
        return tool;
    }

    template <class C>
    typename C::Reply ask_twice(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        auto unwritten = tool();
        C* const asked = command.get();
        ports::PutTool* const refused = unwritten.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        group.push_back(std::move(unwritten));
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

// The stream of the erased session gives up its name, and the new session's stream takes the name.
TEST_F(SecondTry, a_session_that_is_made_again_while_its_user_is_erased_has_a_stream_of_its_own) {
    open();
    name_session();
    auto erase = std::make_unique<ports::EraseUser>();
    erase->user_id = "ada";
    ask(std::move(erase));
    const auto owed = engine_->tend(now_).owed;
    ASSERT_EQ(owed.size(), 1U);
    refuse_tools();
    const auto slice = [&] {
        auto command = std::make_unique<ports::EraseSlice>();
        command->principal = model::house_principal();
        command->obligation = owed[0].id;
        command->fence = owed[0].fence;
        return command;
    };
    auto session = std::make_unique<ports::PutSession>();
    session->principal = model::house_principal();
    session->session_id = "s";
    session->user_id = "grace";
    const ports::PutSession* const made = session.get();
    std::vector<ports::AnyCommand> group;
    group.push_back(slice());
    group.push_back(std::move(session));
    group.push_back(tool());
    const auto effects = engine_->step(now_, std::move(group));
    ASSERT_TRUE(made->result().ok()) << made->result().error().message;
    bool is_finished = false;
    for (int i = 0; i < 10 && !is_finished; ++i) is_finished = ask(slice()).finished;
    EXPECT_TRUE(is_finished);
    ASSERT_TRUE(store_->begin().ok());
    const auto streams = store_->log().load_streams();
    store_->rollback();
    ASSERT_TRUE(streams.ok());
    EXPECT_EQ(std::ranges::count(*streams, "grace", &model::StreamInfo::owner), 1);
    EXPECT_EQ(std::ranges::count(*streams, "ada", &model::StreamInfo::owner), 0);
}

}  // namespace
}  // namespace belfry::sim
