#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ports/commands/change_sets.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/interactions.hpp"
#include "ports/commands/sessions.hpp"
#include "ports/commands/tools.hpp"
#include "sim/journal_world_test.hpp"

// What agents ask for and propose instead of doing it, through the real engine and the real store, in time that the
// test gives. Only tests include it.
namespace belfry::sim {

class ChangeSets : public JournalTest {
protected:
    using States = std::vector<model::ChangeItemState>;

    ChangeSets() {
        make("sport", category_wish("Sport"));
        make("home", category_wish("Home"));
        name_session();
    }

    void make_coach(std::map<std::string, model::ToolPolicy> policies) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = "coach";
        command->draft.user_id = "ada";
        command->draft.display_name = "Coach";
        command->draft.allowed_category_ids = {"home", "sport"};
        command->draft.capabilities = {"task_read", "task_write"};
        command->draft.tool_policies = std::move(policies);
        ask(std::move(command));
    }
    void change_coach(ports::AgentPatch patch) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = "coach";
        command->patch = std::move(patch);
        ask(std::move(command));
    }
    model::Wake held(const std::string& session = {}) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = "coach";
        command->request_id = "r" + std::to_string(++requests_);
        command->session_id = session;
        ask(std::move(command));
        const auto grant = claim("coach");
        EXPECT_TRUE(grant);
        return grant ? grant->wake : model::Wake{};
    }
    std::unique_ptr<ports::CallTool> call_of(const model::Wake& wake, const std::string& operation,
                                             const std::string& tool, const std::string& arguments) {
        auto command = std::make_unique<ports::CallTool>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->operation_id = operation;
        command->call = ports::ToolWish{tool, model::RawJson::trusted(arguments)};
        return command;
    }
    ports::CalledTool call(const model::Wake& wake, const std::string& operation, const std::string& tool,
                           const std::string& arguments) {
        return ask(call_of(wake, operation, tool, arguments));
    }
    ports::CalledTool make_task(const model::Wake& wake, const std::string& title,
                                const std::string& category = "sport") {
        return call(wake, "make " + title, "create_task",
                    R"({"title":")" + title + R"(","categoryId":")" + category + R"("})");
    }
    std::size_t tasks() {
        std::size_t count = 0;
        for (const auto& [key, record] : look().records) {
            count += record.kind() == model::JournalKind::task && !record.deleted_at;
        }
        return count;
    }

    static model::Principal person() {
        model::Principal ada;
        ada.id = "token:ada";
        ada.role = model::Role::user;
        ada.user_id = "ada";
        return ada;
    }
    std::unique_ptr<ports::DecideChanges> decision(const model::ChangeSetId& id, std::optional<std::int64_t> number,
                                                   bool accept) {
        auto command = std::make_unique<ports::DecideChanges>();
        command->id = id;
        command->number = number;
        command->accept = accept;
        command->principal = person();
        return command;
    }
    template <class C>
    base::Result<typename C::Reply> as_is(std::unique_ptr<C> command) {
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }
    base::Result<model::ProposedChanges> accept(const model::ChangeSetId& id, std::optional<std::int64_t> number = {}) {
        return as_is(decision(id, number, true));
    }
    base::Result<model::ProposedChanges> reject(const model::ChangeSetId& id, std::optional<std::int64_t> number = {}) {
        return as_is(decision(id, number, false));
    }
    static States states(const model::ProposedChanges& changes) {
        States all;
        for (const model::ChangeItem& item : changes.items) all.push_back(item.state);
        return all;
    }
    static States states(const base::Result<model::ProposedChanges>& changes) {
        EXPECT_TRUE(changes.ok()) << changes.error().message;
        return changes.ok() ? states(*changes) : States{};
    }
    model::ProposedChanges set_of(const model::Wake& wake) {
        EXPECT_TRUE(store_->begin().ok());
        auto set = store_->change_sets().of_wake(wake.id);
        EXPECT_TRUE(set.ok());
        model::ProposedChanges found;
        if (set.ok() && *set) {
            found.set = **set;
            found.items = *store_->change_sets().items(found.set.ordinal);
        }
        store_->rollback();
        return found;
    }
    // A set with tasks of these titles.
    model::ChangeSetId proposed(const std::vector<std::string>& titles) {
        const model::Wake wake = held();
        for (const std::string& title : titles) make_task(wake, title);
        end(wake);
        return set_of(wake).set.id;
    }
    std::vector<model::Notification> inbox() {
        auto command = std::make_unique<ports::OpenInbox>();
        command->user_id = "ada";
        return ask(std::move(command)).waiting;
    }
    std::vector<std::string> observations(const std::string& thread) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->agent_messages().newest(thread, 100);
        EXPECT_TRUE(found.ok());
        std::vector<std::string> all;
        for (const model::AgentMessage& one : *found) {
            if (one.kind == model::AgentMessageKind::observation) all.push_back(one.content.bytes());
        }
        store_->rollback();
        std::ranges::reverse(all);
        return all;
    }
    base::Result<model::Interaction> answer(const std::string& id, const std::string& word) {
        auto command = std::make_unique<ports::AnswerInteraction>();
        command->id = {*base::parse_uuid(id)};
        command->answer.decision = word;
        command->principal = person();
        return as_is(std::move(command));
    }

    int requests_ = 0;
};

}  // namespace belfry::sim
