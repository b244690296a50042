#include "ports/commands/sessions.hpp"

#include <memory>
#include <string>

#include "ports/commands/client_messages.hpp"
#include "sim/delivery_world_test.hpp"

// Messages that a session rejects, and messages that wait in many sessions.
namespace belfry::sim {
namespace {

class Sessions : public DeliveryProtocol {
protected:
    Sessions() { open(); }

    static std::unique_ptr<ports::PostMessage> post(const std::string& content, bool deliver = false) {
        auto command = std::make_unique<ports::PostMessage>();
        command->session_id = "s";
        command->content = content;
        command->deliver = deliver;
        return command;
    }
    static std::string refusal(const base::Result<model::SessionMessage>& result) {
        return result.ok() ? "" : result.error().field + ": " + result.error().message;
    }
};

TEST_F(Sessions, deliver_only_messages_with_words) {
    ask(put("ada"));
    EXPECT_EQ(refusal(try_(post(" \n", true))), "content: what is to be delivered needs words");
    EXPECT_TRUE(try_(post(" \n")).ok()) << "it is recorded as it is";
    EXPECT_TRUE(try_(post("hello", true)).ok());
    EXPECT_EQ(pull().user_messages.size(), 1U);
}

TEST_F(Sessions, take_messages_only_at_nodes_of_their_own) {
    ask(put("ada"));
    const model::SessionMessage said = ask(post("hello"));
    model::NodeId nowhere = said.node;
    nowhere.uuid.bytes[15] ^= 1U;
    auto into = post("into");
    into->node = nowhere;
    EXPECT_EQ(refusal(try_(std::move(into))), "node_id: there is no such node in this session");
    auto below = post("below");
    below->parent = nowhere;
    EXPECT_EQ(refusal(try_(std::move(below))), "parent_id: there is no such node in this session");
    auto elsewhere = post("of another session");
    elsewhere->session_id = "t";
    elsewhere->node = said.node;
    EXPECT_EQ(refusal(try_(std::move(elsewhere))), "node_id: there is no such node in this session");
    auto here = post("here");
    here->node = said.node;
    EXPECT_EQ(ask(std::move(here)).node, said.node);
}

// The sessions are read in pages of 4096.
TEST_F(Sessions, are_all_looked_after_after_a_crash_however_many_have_words_that_wait) {
    constexpr std::size_t count = 4100;
    std::vector<ports::AnyCommand> group;
    for (std::size_t i = 0; i < count; ++i) {
        auto command = post("hello", true);
        command->principal = model::house_principal();
        command->session_id = "s" + std::to_string(i);
        group.push_back(std::move(command));
    }
    (void)engine_->step(now_, std::move(group));
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back("s" + std::to_string(i));
    // As if each agent had reported since, and long ago: nobody was asked for a turn.
    ASSERT_TRUE(store_->begin().ok());
    auto sessions = store_->sessions().find(all);
    ASSERT_TRUE(sessions.ok() && sessions->size() == count);
    for (model::Session& one : *sessions) {
        one.progress.turn_asked = false;
        one.progress.heard_at = now_ - base::hours(2);
    }
    ASSERT_TRUE(store_->sessions().put(*sessions).ok());
    ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    crash();
    std::size_t asked = 0;
    while (engine_->next_due() && *engine_->next_due() <= now_) {
        for (const model::SharedBlock& block : engine_->tend(now_).published) {
            for (const model::LogEntry& entry : block->entries) asked += entry.facets.type == "turn_requested" ? 1 : 0;
        }
    }
    EXPECT_EQ(asked, count);
}

}  // namespace
}  // namespace belfry::sim
