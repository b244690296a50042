#include <string>
#include <vector>

#include "ports/commands/erasure.hpp"
#include "sim/sync_world_test.hpp"

// Records of other devices that cannot stand where they belong: they are kept, told on and not shown.
namespace belfry::sim {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;

base::Uuid uuid(int number) {
    base::Uuid id;
    id.bytes[0] = 9;
    id.bytes[6] = 0x70;
    id.bytes[8] = 0x80;
    id.bytes[15] = static_cast<std::uint8_t>(number);
    return id;
}

class SyncShelves : public SyncWorld {
protected:
    SyncShelves() : laptop(device("laptop")), phone(device("phone")) { pair(laptop, phone); }

    static void make_agent(SyncDevice& on, const std::string& id, const std::string& user) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = user;
        on.ask(std::move(command));
    }
    // In the session that all work in.
    std::vector<AgentMessage> append(SyncDevice& on, const std::string& agent_id, std::vector<AgentMessage> drafts) {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = agent_id;
        wake->request_id = "r" + std::to_string(++requests_);
        wake->session_id = "s";
        on.ask(std::move(wake));
        auto claim = std::make_unique<ports::ClaimWake>();
        claim->agents = {agent_id};
        const auto grant = on.ask(std::move(claim)).grant;
        EXPECT_TRUE(grant);
        if (!grant) return {};
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = grant->wake.id;
        command->fence = grant->wake.fence;
        command->drafts = std::move(drafts);
        auto said = on.ask(std::move(command)).messages;
        auto end = std::make_unique<ports::EndWake>();
        end->id = grant->wake.id;
        end->fence = grant->wake.fence;
        on.ask(std::move(end));
        return said;
    }
    static AgentMessage thought(const std::string& text) {
        AgentMessage draft;
        draft.kind = AgentMessageKind::thought;
        draft.content = model::RawJson::trusted('"' + text + '"');
        return draft;
    }
    static AgentMessage action(const std::string& operation, int id) {
        AgentMessage draft;
        draft.kind = AgentMessageKind::action;
        draft.action.emplace().tool_name = "mail";
        draft.metadata.operation_id = operation;
        draft.id = uuid(id);
        return draft;
    }
    static std::optional<AgentMessage> find(SyncDevice& on, const base::Uuid& id) {
        const auto found = on.look([&](ports::Store& store) { return store.agent_messages().find(std::span(&id, 1)); });
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    // The body of a message that is kept beside the others; empty: there is none.
    static std::string beside(SyncDevice& on, const base::Uuid& id) {
        const std::pair<std::string, std::string> name(model::agent_message_kind, base::format_uuid(id));
        const auto found = on.look([&](ports::Store& store) { return store.sync().plain(std::span(&name, 1)); });
        return found.empty() ? "" : found.front().body.bytes();
    }
    // The message in a frame, with other text in place of `from`.
    static void replace(model::SyncFrame& frame, const base::Uuid& id, const std::string& from, const std::string& to) {
        for (model::SyncEntry& entry : frame.entries) {
            if (entry.record.id != base::format_uuid(id)) continue;
            std::string body = entry.record.body.bytes();
            const std::size_t at = body.find(from);
            ASSERT_NE(at, std::string::npos) << body;
            body.replace(at, from.size(), to);
            entry.record.body = model::RawJson::trusted(std::move(body));
            return;
        }
        FAIL() << "the message is not in the frame";
    }
    // Of this device's own changes, all that come after these.
    static model::SyncFrame own_frame(SyncDevice& from, SyncDevice& to, const model::VectorClock& has) {
        from.live();
        const auto frame = give(from, to, has);
        EXPECT_TRUE(frame && frame->host == hello(from, to).host);
        return frame.value_or(model::SyncFrame{});
    }

    SyncDevice& laptop;
    SyncDevice& phone;
    int requests_ = 0;
};

TEST_F(SyncShelves, keep_a_record_whose_id_is_another_kinds_here) {
    laptop.make_task("x", "a task");
    model::Label label;
    label.name = "a label";
    auto made = std::make_unique<ports::CreateRecord>();
    made->user_id = "ada";
    made->id = "x";
    made->wish.values = label;
    made->wish.given = 1;
    phone.ask(std::move(made));
    exchange(laptop, phone);
    EXPECT_EQ(laptop.record("x")->kind(), model::JournalKind::task);
    EXPECT_EQ(phone.record("x")->kind(), model::JournalKind::label);
    SyncWorld::expect_same(laptop, phone);
    EXPECT_TRUE(dump(phone, laptop).contains("task x")) << "it is told on";
}

TEST_F(SyncShelves, keep_a_second_action_of_an_operation_and_what_becomes_of_it) {
    make_agent(laptop, "fixer", "ada");
    exchange(laptop, phone);
    const model::VectorClock before = phone.has();
    append(laptop, "fixer", {action("op", 1)});
    append(phone, "fixer", {action("op", 2)});
    model::SyncFrame frame = own_frame(laptop, phone, before);
    take(phone, laptop, frame);
    EXPECT_FALSE(find(phone, uuid(1))) << "an action is done once under its operation";
    EXPECT_NE(beside(phone, uuid(1)), "");
    exchange(laptop, phone);
    EXPECT_TRUE(find(laptop, uuid(1)));
    EXPECT_NE(beside(laptop, uuid(2)), "");
    SyncWorld::expect_same(laptop, phone);
    // Told once more with a smaller body, which is the one that is kept.
    replace(frame, uuid(1), R"("content":{)", R"("content":{"a":1)");
    take(phone, laptop, frame);
    EXPECT_NE(beside(phone, uuid(1)).find(R"("a":1)"), std::string::npos);
    EXPECT_FALSE(find(phone, uuid(1)));
    EXPECT_TRUE(find(phone, uuid(2)));
}

// Both devices make the summary again without the forgotten messages. All devices keep the smaller of two summaries.
TEST_F(SyncShelves, keep_the_smaller_of_two_summaries_that_were_made_anew) {
    make_agent(laptop, "fixer", "ada");
    const auto said = append(laptop, "fixer", {thought("one"), thought("the secret"), thought("three")});
    auto now = std::make_unique<ports::FoldNow>();
    now->agent_id = "fixer";
    laptop.ask(std::move(now));
    const auto job = laptop.ask(std::make_unique<ports::ClaimFold>());
    ASSERT_TRUE(job);
    auto finish = std::make_unique<ports::FinishFold>();
    finish->id = job->job.id;
    finish->attempt = job->job.attempts;
    finish->summary.text = "all of it";
    finish->summary.counts["thought"] = job->job.messages;
    ASSERT_TRUE(laptop.ask(std::move(finish)).summary_id);
    exchange(laptop, phone);
    const model::VectorClock before = laptop.has();
    auto forget = std::make_unique<ports::ForgetMemory>();
    forget->agent_id = "fixer";
    forget->message_id = said[1].id;
    phone.ask(std::move(forget));
    const auto places = phone.look([](ports::Store& store) { return store.memory().questions().unfolded("fixer"); });
    ASSERT_EQ(places.size(), 1U);
    const base::Uuid fresh = places[0].message_id;
    ASSERT_FALSE(find(laptop, fresh));
    model::SyncFrame frame = own_frame(phone, laptop, before);
    replace(frame, fresh, R"("content":{)", R"("content":{"a":1,)");
    take(laptop, phone, frame);
    ASSERT_TRUE(find(laptop, fresh));
    EXPECT_NE(find(laptop, fresh)->content.bytes().find(R"("a":1)"), std::string::npos);
    exchange(laptop, phone);
    EXPECT_EQ(find(phone, fresh)->content, find(laptop, fresh)->content);
    SyncWorld::expect_same(laptop, phone);
}

TEST_F(SyncShelves, take_no_messages_of_a_user_who_was_erased) {
    make_agent(laptop, "bens", "ben");
    const auto said = append(laptop, "bens", {thought("of ben")});
    const model::SyncFrame frame = own_frame(laptop, phone, {});
    const auto page = give(laptop, phone, {}, {}, {}, true);
    ASSERT_TRUE(page && page->is_whole() && page->next_cursor.empty());
    exchange(laptop, phone);
    ASSERT_TRUE(find(phone, said[0].id));
    auto erase = std::make_unique<ports::EraseUser>();
    erase->user_id = "ben";
    phone.ask(std::move(erase));
    for (const ports::Obligation& owed : phone.engine().tend(phone.now()).owed) {
        for (bool is_over = false; !is_over;) {
            auto slice = std::make_unique<ports::EraseSlice>();
            slice->obligation = owed.id;
            slice->fence = owed.fence;
            is_over = phone.ask(std::move(slice)).finished;
        }
    }
    for (const model::SyncFrame& late : {frame, *page}) {
        EXPECT_EQ(take(phone, laptop, late).records, 0U);
        EXPECT_FALSE(find(phone, said[0].id));
        EXPECT_FALSE(phone.agent("bens"));
    }
    // Messages of the user after the erasure stay.
    make_agent(phone, "new", "ben");
    const auto again = append(phone, "new", {thought("ben again")});
    exchange(laptop, phone);
    EXPECT_TRUE(find(phone, again[0].id));
}

}  // namespace
}  // namespace belfry::sim
