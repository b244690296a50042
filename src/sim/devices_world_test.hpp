#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/journal.hpp"
#include "ports/commands/sync.hpp"
#include "ports/commands/timers.hpp"
#include "ports/commands/tools.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/devices_link.hpp"
#include "sim/devices_look.hpp"
#include "sim/devices_node.hpp"
#include "tools/wish_of.hpp"

// Several devices of one person, each with the real engine and the real store, in time that the test gives. Only tests
// include it.
namespace belfry::sim {

class DevicesTest : public ::testing::Test {
protected:
    using Names = std::vector<std::string>;

    // So many, each paired with all before it.
    void make(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            DeviceNode::Options options{7, i, {}, DeviceNode::fair_weather(7), {}};
            devices_.push_back(std::make_unique<DeviceNode>(options, SeededRandom(100 + i), clock_));
            ASSERT_TRUE(devices_.back()->start());
            for (std::size_t j = 0; j < i; ++j) pair(j, i);
        }
    }
    void pair(std::size_t a, std::size_t b) {
        for (const auto& [at, other] : {std::pair(a, b), std::pair(b, a)}) {
            auto command = std::make_unique<ports::AddPeer>();
            command->peer = on(other).as_peer();
            ask(at, std::move(command));
        }
        links_.push_back(std::make_unique<DevicesLink>(on(a), on(b), SeededRandom(7)));
    }
    DeviceNode& on(std::size_t device) { return *devices_[device]; }

    template <class C>
    base::Result<typename C::Reply> try_on(std::size_t device, std::unique_ptr<C> command) {
        auto told = on(device).ask(std::move(command));
        if (told) return std::move(*told);
        return base::error(base::Code::unavailable, "it is not there");
    }
    template <class C>
    typename C::Reply ask(std::size_t device, std::unique_ptr<C> command) {
        auto told = try_on(device, std::move(command));
        EXPECT_TRUE(told.ok()) << told.error().message;
        return told.ok() ? std::move(*told) : typename C::Reply{};
    }

    // Time goes by on a device, and what its clock brings is done.
    void tend(std::size_t device) {
        while (true) {
            const auto due = on(device).machine().engine().next_due();
            if (!due || *due > on(device).now()) break;
            on(device).tend();
        }
        if (!on(device).take_news()) return;
        for (const auto& link : links_) link->changed(on(device));
    }
    void pass(base::Duration span) {
        clock_.advance(span);
        for (std::size_t i = 0; i < devices_.size(); ++i) tend(i);
    }
    void pass_on(std::size_t device, base::Duration span) {
        clock_.advance(span);
        tend(device);
    }
    // All links are there, and all is told to all.
    void meet() {
        for (const auto& link : links_) link->open(clock_.now());
        for (int round = 0; round < 300; ++round) {
            pass(base::milliseconds(50));
            bool is_quiet = true;
            for (const auto& link : links_) {
                if (!link->is_open())
                    link->open(clock_.now());  // it began anew to tell of a host that it had not known
                link->carry(clock_.now(), {});
                for (const std::string& why : link->take_refusals()) ADD_FAILURE() << why;
                is_quiet = is_quiet && link->is_quiet();
            }
            if (is_quiet && round > 60) return;
        }
        ADD_FAILURE() << "they do not come to an end";
    }
    void part() {
        for (const auto& link : links_) link->cut();
    }
    DevicesLook look(std::size_t device) {
        auto found = look_at_device(on(device).machine().store());
        EXPECT_TRUE(found.ok()) << found.error().message;
        return found.ok() ? std::move(*found) : DevicesLook{};
    }
    void expect_all_alike() {
        for (std::size_t i = 1; i < devices_.size(); ++i) {
            EXPECT_EQ(difference(look(0), look(i)), "");
            EXPECT_EQ(digest(0), digest(i));
        }
    }
    std::string digest(std::size_t device) { return ask(device, std::make_unique<ports::TakeDigest>()).digest; }

    void create_agent(std::size_t device, const std::string& id) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = "ada";
        command->draft.allowed_category_ids = {"general"};
        command->draft.capabilities = {"task_write", "task_read"};
        ask(device, std::move(command));
    }
    model::AgentRecord change_agent(std::size_t device, const std::string& id, ports::AgentPatch patch,
                                    ports::AgentStatePatch state = {}) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = id;
        command->patch = std::move(patch);
        command->state = std::move(state);
        return ask(device, std::move(command));
    }
    model::AgentRecord agent(std::size_t device, const std::string& id) { return change_agent(device, id, {}); }
    static ports::AgentPatch called(const std::string& name) {
        ports::AgentPatch patch;
        patch.display_name = name;
        return patch;
    }
    static ports::AgentPatch dormant(bool is_dormant) {
        ports::AgentPatch patch;
        patch.dormant = is_dormant;
        return patch;
    }

    void create_task(std::size_t device, const std::string& id, const std::string& title) {
        auto command = std::make_unique<ports::CreateRecord>();
        command->user_id = "ada";
        command->id = id;
        tools::WishOf<model::Task> wish;
        command->wish = wish.set(&model::Task::title, title);
        ask(device, std::move(command));
    }
    base::Result<model::JournalRecord> change_task(std::size_t device, const std::string& id,
                                                   const std::string& title) {
        auto command = std::make_unique<ports::ChangeRecord>();
        command->user_id = "ada";
        command->id = id;
        tools::WishOf<model::Task> wish;
        command->wish = wish.set(&model::Task::title, title);
        return try_on(device, std::move(command));
    }
    void delete_task(std::size_t device, const std::string& id) {
        auto command = std::make_unique<ports::DeleteRecord>();
        command->user_id = "ada";
        command->kind = model::JournalKind::task;
        command->id = id;
        ask(device, std::move(command));
    }

    model::AgentTimer add_timer(std::size_t device, const std::string& agent_id, const std::string& interval) {
        auto command = std::make_unique<ports::AddTimer>();
        command->agent_id = agent_id;
        command->name = interval;
        command->schedule.kind = "every";
        command->schedule.interval = interval;
        return ask(device, std::move(command)).shown.timer;
    }
    std::optional<model::Wake> claim(std::size_t device, const std::string& agent_id) {
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {agent_id};
        command->holder = on(device).name();
        auto reply = ask(device, std::move(command));
        if (!reply.grant) return std::nullopt;
        return reply.grant->wake;
    }
    // What the run is there for: a task that is called like it.
    ports::CalledTool make_task(std::size_t device, const model::Wake& wake) {
        auto plan = std::make_unique<ports::StorePlan>();
        plan->id = wake.id;
        plan->fence = wake.fence;
        model::PlannedAction& action = plan->actions.emplace_back();
        action.tool_name = "create_task";
        action.arguments = model::RawJson::trusted(R"({"title":"run )" + wake.run_key + R"("})");
        const auto stored = ask(device, std::move(plan));
        auto call = std::make_unique<ports::CallTool>();
        call->id = wake.id;
        call->fence = wake.fence;
        call->operation_id = stored.plan.plan.actions.front().operation_id;
        auto done = ask(device, std::move(call));
        EXPECT_TRUE(done.result && done.result->metadata.error_message.empty())
            << (done.result ? done.result->metadata.error_message : "no result");
        return done;
    }
    void say(std::size_t device, const model::Wake& wake, const std::string& text) {
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = wake.id;
        command->fence = wake.fence;
        model::AgentMessage& thought = command->drafts.emplace_back();
        thought.kind = model::AgentMessageKind::thought;
        thought.content = model::RawJson::trusted('"' + text + '"');
        ask(device, std::move(command));
    }
    model::Wake end(std::size_t device, const model::Wake& wake) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        return ask(device, std::move(command));
    }
    void wake_now(std::size_t device, const std::string& agent_id, const std::string& request) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = agent_id;
        command->request_id = request;
        ask(device, std::move(command));
    }
    std::size_t tasks_of_runs(std::size_t device) {
        std::size_t count = 0;
        for (const auto& [id, task] : look(device).tasks) count += task.title.starts_with("run ") ? 1 : 0;
        return count;
    }

    MadeUpClock clock_;
    std::vector<std::unique_ptr<DeviceNode>> devices_;
    std::vector<std::unique_ptr<DevicesLink>> links_;
};

}  // namespace belfry::sim
