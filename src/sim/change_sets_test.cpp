#include "ports/commands/change_sets.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/change_set_limits.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/interactions.hpp"
#include "ports/commands/sessions.hpp"
#include "ports/commands/tools.hpp"
#include "sim/journal_world_test.hpp"

// What agents ask for and propose instead of doing it, through the real engine and the real store, in time that the
// test gives.
namespace belfry::sim {
namespace {

using model::ChangeItemState;
using model::ToolPolicy;
using model::ToolStatus;
using States = std::vector<ChangeItemState>;

class ChangeSets : public JournalTest {
protected:
    ChangeSets() {
        make("sport", category_wish("Sport"));
        make("home", category_wish("Home"));
        name_session();
    }

    void make_coach(std::map<std::string, ToolPolicy> policies) {
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

TEST_F(ChangeSets, what_is_proposed_is_not_done_and_the_agent_goes_on) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::Wake wake = held();
    const std::size_t changes_before = look().changes.size();
    const ports::CalledTool called = make_task(wake, "Run");
    ASSERT_TRUE(called.result);
    EXPECT_EQ(called.result->metadata.status, ToolStatus::success);
    const model::ProposedChanges found = set_of(wake);
    EXPECT_EQ(called.result->content.bytes(),
              R"({"proposed":true,"changeSetId":")" + base::format_uuid(found.set.id.uuid) + R"(","item":1})");
    EXPECT_TRUE(called.result->tool_result->changed_entity_ids.empty());
    EXPECT_EQ(tasks(), 0U);
    for (const model::Change& change : look().changes) EXPECT_NE(change.unit.kind, "task");
    EXPECT_GT(look().changes.size(), changes_before) << "its own messages";
    ASSERT_EQ(found.items.size(), 1U);
    EXPECT_EQ(found.items[0].changes.bytes(), R"([{"change":"made","kind":"task","title":"Run"}])");
    EXPECT_EQ(found.items[0].arguments.bytes(), R"({"title":"Run","categoryId":"sport"})");
    EXPECT_EQ(found.set.agent_name, "Coach");
    // The same call again is the same proposal.
    EXPECT_FALSE(make_task(wake, "Run").is_new);
    make_task(wake, "Swim");
    EXPECT_EQ(states(set_of(wake)), (States{ChangeItemState::proposed, ChangeItemState::proposed}));
    end(wake);
    const model::Wake other = held();
    make_task(other, "Rest");
    EXPECT_NE(set_of(other).set.id, found.set.id) << "a set for each wake";
}

TEST_F(ChangeSets, there_is_no_way_around_them_into_the_journal) {
    make_coach({{"notify_user", ToolPolicy::ask}});
    const model::Wake wake = held();
    const auto write = [&](const std::string& id) {
        auto command = creation(id, task_wish("Squats"), "sport");
        command->user_id.clear();
        command->claim = ports::JournalClaim{wake.id, wake.fence};
        return try_to(std::move(command));
    };
    EXPECT_TRUE(write("before").ok());  // what is asked about is no matter of the journal
    for (const std::string name : {"*", "create_task"}) {
        ports::AgentPatch patch;
        patch.tool_policies = std::map<std::string, ToolPolicy>{{name, ToolPolicy::propose}};
        change_coach(std::move(patch));
        EXPECT_EQ(error_of(write("after")).reason, "policy") << name;
    }
    EXPECT_EQ(tasks(), 1U);
}

TEST_F(ChangeSets, what_could_not_be_done_is_refused_at_once_and_not_proposed) {
    make_coach({{"*", ToolPolicy::propose}});
    const model::Wake wake = held();
    const auto code = [](const ports::CalledTool& called) { return called.result->metadata.error_code; };
    EXPECT_EQ(code(make_task(wake, "Run", "work")), "out_of_scope");
    EXPECT_EQ(code(call(wake, "o1", "create_task", "{}")), "invalid_arguments");
    EXPECT_EQ(code(call(wake, "o2", "no_such_tool", "{}")), "unknown_tool");
    EXPECT_EQ(code(call(wake, "o3", "notify_user", R"({"text":""})")), "invalid_arguments");
    EXPECT_TRUE(set_of(wake).items.empty());
    EXPECT_TRUE(inbox().empty());
    const ports::CalledTool read = call(wake, "o4", "list_tasks_in_scope", "{}");
    EXPECT_EQ(read.result->content.bytes().find("proposed"), std::string::npos) << "reading is done";
}

TEST_F(ChangeSets, the_person_is_told_once_of_a_set_however_much_is_in_it) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::Wake wake = held();
    make_task(wake, "Run");
    ASSERT_EQ(inbox().size(), 1U);
    EXPECT_EQ(inbox()[0].text, "Coach proposes a change");
    make_task(wake, "Swim");
    make_task(wake, "Rest");
    ASSERT_EQ(inbox().size(), 1U);
    const model::Notification told = inbox()[0];
    const std::string id = base::format_uuid(set_of(wake).set.id.uuid);
    EXPECT_EQ(told.text, "Coach proposes 3 changes");
    EXPECT_EQ(told.emitter, "agent:coach");
    EXPECT_EQ(told.metadata.bytes(), R"({"change_set_id":")" + id + R"("})");
    EXPECT_FALSE(told.acted_at);
    ASSERT_TRUE(reject(set_of(wake).set.id).ok());
    EXPECT_TRUE(inbox().at(0).acted_at) << "it was dealt with";
}

TEST_F(ChangeSets, what_is_accepted_is_done_once_in_the_agents_name) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::ChangeSetId id = proposed({"Run", "Swim"});
    new_changes();
    const auto decided = accept(id, 1);
    EXPECT_EQ(states(decided), (States{ChangeItemState::accepted, ChangeItemState::proposed}));
    EXPECT_FALSE(decided->set.decided_at);
    EXPECT_EQ(decided->items[0].decided_by, "token:ada");
    EXPECT_NE(decided->items[0].result->bytes().find(R"("title":"Run")"), std::string::npos);
    EXPECT_EQ(tasks(), 1U);
    std::size_t by_agent = 0;
    for (const std::string& line : new_changes()) {
        by_agent += line.starts_with("task ") && line.find(" agent:coach") != std::string::npos;
    }
    EXPECT_EQ(by_agent, 1U);
    EXPECT_EQ(states(accept(id, 1)), states(decided));
    crash_and_open();
    EXPECT_EQ(states(accept(id, 1)), states(decided));
    EXPECT_EQ(tasks(), 1U);
    EXPECT_EQ(reject(id, 1).error().reason, "decided");
    const auto rest = accept(id);
    EXPECT_EQ(states(rest), (States{ChangeItemState::accepted, ChangeItemState::accepted}));
    EXPECT_TRUE(rest->set.decided_at);
    EXPECT_EQ(tasks(), 2U);
    EXPECT_EQ(states(accept(id)), states(rest));
    EXPECT_EQ(tasks(), 2U);
}

TEST_F(ChangeSets, of_two_who_decide_at_once_the_first_one_counts) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::ChangeSetId id = proposed({"Run"});
    auto yes = decision(id, 1, true);
    auto no = decision(id, 1, false);
    auto again = decision(id, 1, true);
    ports::DecideChanges* const first = yes.get();
    ports::DecideChanges* const second = no.get();
    ports::DecideChanges* const third = again.get();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(yes));
    group.push_back(std::move(no));
    group.push_back(std::move(again));
    const auto effects = engine_->step(now_, std::move(group));
    EXPECT_EQ(states(first->result()), (States{ChangeItemState::accepted}));
    EXPECT_EQ(second->result().error().reason, "decided");
    EXPECT_EQ(states(third->result()), (States{ChangeItemState::accepted}));
    EXPECT_EQ(tasks(), 1U);
    const model::ChangeSetId other = proposed({"Swim"});
    EXPECT_EQ(states(reject(other, 1)), (States{ChangeItemState::rejected}));
    EXPECT_EQ(accept(other, 1).error().reason, "decided");
    EXPECT_EQ(tasks(), 1U);
}

TEST_F(ChangeSets, a_crash_before_the_commit_leaves_it_proposed_and_undone) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::ChangeSetId id = proposed({"Run"});
    // Another node takes the ledger: what this one decides is not recorded.
    store::SqlStoreOptions options;
    options.connect = [this]() -> base::Result<std::unique_ptr<store::Database>> {
        store::SqliteOptions sqlite;
        sqlite.path = folder_ + "/belfry.db";
        return store::open_sqlite(std::move(sqlite));
    };
    store::SqlStore other(std::move(options), random_);
    ASSERT_TRUE(other.open().ok());
    EXPECT_FALSE(accept(id, 1).ok());
    other.close();
    crash_and_open();
    EXPECT_EQ(tasks(), 0U);
    EXPECT_EQ(states(accept(id, 1)), (States{ChangeItemState::accepted}));
    EXPECT_EQ(tasks(), 1U);
}

TEST_F(ChangeSets, what_the_agent_may_not_do_any_more_fails_and_is_not_done) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::Wake wake = held();
    make_task(wake, "Run", "sport");
    make_task(wake, "Tidy", "home");
    end(wake);
    const model::ChangeSetId id = set_of(wake).set.id;
    ports::AgentPatch narrower;
    narrower.allowed_category_ids = {{"home"}};
    change_coach(narrower);
    const auto decided = accept(id);
    EXPECT_EQ(states(decided), (States{ChangeItemState::failed, ChangeItemState::accepted}));
    EXPECT_EQ(decided->items[0].error_code, "out_of_scope");
    EXPECT_FALSE(decided->items[0].error_message.empty());
    EXPECT_FALSE(decided->items[0].result);
    EXPECT_EQ(tasks(), 1U);
    const model::Wake again = held();
    make_task(again, "Sweep", "home");
    end(again);
    ports::AgentPatch without;
    without.capabilities = {{"task_read"}};
    change_coach(without);
    const auto late = accept(set_of(again).set.id, 1);
    EXPECT_EQ(states(late), (States{ChangeItemState::failed}));
    EXPECT_EQ(late->items[0].error_code, "not_permitted");
    EXPECT_EQ(tasks(), 1U);
    EXPECT_EQ(states(accept(set_of(again).set.id, 1)), (States{ChangeItemState::failed})) << "one try";
}

TEST_F(ChangeSets, the_agent_remembers_what_was_decided) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::Wake wake = held();
    make_task(wake, "Run");
    make_task(wake, "Swim");
    end(wake);
    const model::ChangeSet set = set_of(wake).set;
    const std::vector<std::string> before = observations(set.thread_id);
    ASSERT_TRUE(reject(set.id, 2).ok());
    ASSERT_TRUE(accept(set.id, 1).ok());
    const std::vector<std::string> after = observations(set.thread_id);
    ASSERT_EQ(after.size(), before.size() + 2);
    const std::string id = base::format_uuid(set.id.uuid);
    EXPECT_EQ(after[before.size()], R"({"change_set_id":")" + id +
                                        R"(","item":2,"tool_name":"create_task","operation_id":"make Swim",)"
                                        R"("outcome":"rejected"})");
    EXPECT_NE(after.back().find(R"("item":1)"), std::string::npos);
    EXPECT_NE(after.back().find(R"("outcome":"accepted","result":{)"), std::string::npos);
}

TEST_F(ChangeSets, of_a_destroyed_agent_can_only_be_rejected) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::ChangeSetId id = proposed({"Run", "Swim"});
    ASSERT_TRUE(accept(id, 1).ok());
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "coach";
    ask(std::move(destroy));
    EXPECT_EQ(accept(id, 2).error().reason, "agent_gone");
    EXPECT_EQ(accept(id).error().reason, "agent_gone");
    EXPECT_TRUE(accept(id, 1).ok()) << "that was done before";
    EXPECT_EQ(states(reject(id)), (States{ChangeItemState::accepted, ChangeItemState::rejected}));
    EXPECT_EQ(tasks(), 1U);
}

TEST_F(ChangeSets, are_decided_by_the_person_alone) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::ChangeSetId id = proposed({"Run"});
    const auto by = [&](model::Role role, const std::string& user, model::Proof proof) {
        auto command = decision(id, 1, true);
        command->principal.role = role;
        command->principal.user_id = user;
        command->principal.bounds.users = {"ada"};
        command->principal.proof = proof;
        return as_is(std::move(command)).error().code;
    };
    EXPECT_EQ(by(model::Role::agent, "", model::Proof::token), base::Code::forbidden);
    EXPECT_EQ(by(model::Role::user, "bob", model::Proof::token), base::Code::forbidden);
    EXPECT_EQ(by(model::Role::admin, "", model::Proof::peer), base::Code::forbidden);
    EXPECT_EQ(accept(id, 2).error().code, base::Code::not_found);
    EXPECT_EQ(accept({}, 1).error().code, base::Code::not_found);
    EXPECT_EQ(tasks(), 0U);
}

TEST_F(ChangeSets, what_the_agent_would_tell_waits_as_well) {
    make_coach({{"*", ToolPolicy::propose}});
    const model::Wake wake = held();
    call(wake, "o", "notify_user", R"({"text":"Get up"})");
    call(wake, "e", "emit_event", R"({"type":"coach.done"})");
    end(wake);
    const model::ProposedChanges found = set_of(wake);
    EXPECT_EQ(found.items.at(0).changes.bytes(), "[]");
    EXPECT_EQ(inbox().size(), 1U);
    EXPECT_EQ(states(accept(found.set.id)), (States{ChangeItemState::accepted, ChangeItemState::accepted}));
    ASSERT_EQ(inbox().size(), 2U);
    EXPECT_EQ(inbox()[1].text, "Get up");
}

TEST_F(ChangeSets, have_an_end) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::Wake wake = held();
    for (std::size_t i = 0; i < base::limits::change_items_max; ++i) {
        EXPECT_EQ(make_task(wake, "t" + std::to_string(i)).result->metadata.status, ToolStatus::success);
    }
    EXPECT_EQ(make_task(wake, "more").result->metadata.error_code, "too_many_proposals");
    EXPECT_EQ(set_of(wake).items.size(), base::limits::change_items_max);
}

TEST_F(ChangeSets, are_kept_as_long_as_the_inbox_once_they_are_decided) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::Wake first = held();
    make_task(first, "Run");
    end(first);
    const model::Wake second = held();
    make_task(second, "Swim");
    end(second);
    ASSERT_TRUE(reject(set_of(first).set.id).ok());
    now_ = now_ + options_.retention.notifications_kept - base::hours(1);
    crash_and_open();
    (void)engine_->tend(now_);
    EXPECT_EQ(set_of(first).items.size(), 1U);
    now_ = now_ + base::hours(3);
    crash_and_open();
    (void)engine_->tend(now_);
    EXPECT_TRUE(set_of(first).items.empty());
    EXPECT_EQ(set_of(second).items.size(), 1U) << "nobody has decided that";
}

TEST_F(ChangeSets, go_with_their_person) {
    make_coach({{"create_task", ToolPolicy::propose}});
    const model::Wake wake = held();
    make_task(wake, "Run");
    end(wake);
    const model::ChangeSetId id = set_of(wake).set.id;
    erase_user("ada");
    EXPECT_TRUE(set_of(wake).items.empty());
    EXPECT_EQ(accept(id).error().code, base::Code::not_found);
}

class Asking : public ChangeSets {
protected:
    Asking() { make_coach({{"*", ToolPolicy::ask}}); }

    // Time goes by, and whoever works goes on holding his wake.
    void hold_on(const model::Wake& wake, base::Duration span) {
        for (base::Duration gone; gone < span; gone = gone + base::seconds(10)) {
            live(base::seconds(10));
            auto renew = std::make_unique<ports::RenewWake>();
            renew->id = wake.id;
            renew->fence = wake.fence;
            ask(std::move(renew));
        }
    }
};

TEST_F(Asking, a_call_waits_for_the_persons_yes_and_is_done_then) {
    const model::Wake wake = held("s");
    const ports::CalledTool first = make_task(wake, "Run");
    EXPECT_FALSE(first.result);
    ASSERT_TRUE(first.waits_for);
    EXPECT_EQ(first.waits_for->whom, ports::ToolWait::For::person);
    EXPECT_EQ(tasks(), 0U);
    crash_and_open();
    const ports::CalledTool again = make_task(wake, "Run");
    ASSERT_TRUE(again.waits_for);
    EXPECT_EQ(again.waits_for->id, first.waits_for->id) << "the same question";
    EXPECT_EQ(again.action.id, first.action.id);
    const auto answered = answer(first.waits_for->id, "allow_once");
    ASSERT_TRUE(answered.ok()) << answered.error().message;
    EXPECT_EQ(answered->message, "Coach wants to use create_task");
    const ports::CalledTool done = make_task(wake, "Run");
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->metadata.status, ToolStatus::success);
    EXPECT_EQ(tasks(), 1U);
    EXPECT_FALSE(make_task(wake, "Run").is_new);
    EXPECT_EQ(tasks(), 1U);
    EXPECT_TRUE(make_task(wake, "Swim").waits_for) << "once is once";
}

TEST_F(Asking, no_means_no_and_so_does_silence) {
    const model::Wake wake = held("s");
    const auto code = [](const ports::CalledTool& called) {
        return called.result ? called.result->metadata.error_code : "none yet";
    };
    ASSERT_TRUE(answer(make_task(wake, "Run").waits_for->id, "deny").ok());
    EXPECT_EQ(code(make_task(wake, "Run")), "denied");
    auto withdraw = std::make_unique<ports::WithdrawInteraction>();
    withdraw->id = {*base::parse_uuid(make_task(wake, "Rest").waits_for->id)};
    ask(std::move(withdraw));
    EXPECT_EQ(code(make_task(wake, "Rest")), "denied");
    const std::string silent = make_task(wake, "Swim").waits_for->id;
    hold_on(wake, base::limits::interaction_time_max - base::seconds(10));
    EXPECT_EQ(code(make_task(wake, "Swim")), "none yet");
    hold_on(wake, base::seconds(10));
    EXPECT_EQ(code(make_task(wake, "Swim")), "denied");
    EXPECT_EQ(answer(silent, "allow_once").error().reason, "not_pending");
    EXPECT_EQ(code(make_task(wake, "Swim")), "denied");
    EXPECT_EQ(tasks(), 0U);
}

TEST_F(Asking, what_is_always_allowed_is_not_asked_again) {
    const model::Wake wake = held("s");
    ASSERT_TRUE(answer(make_task(wake, "Run").waits_for->id, "always_allow").ok());
    EXPECT_TRUE(make_task(wake, "Run").result);
    EXPECT_TRUE(make_task(wake, "Swim").result);
    EXPECT_EQ(tasks(), 2U);
    EXPECT_TRUE(call(wake, "o", "notify_user", R"({"text":"x"})").waits_for) << "another tool";
}

TEST_F(Asking, nobody_is_asked_for_what_would_be_refused) {
    const model::Wake wake = held("s");
    EXPECT_EQ(make_task(wake, "Run", "work").result->metadata.error_code, "out_of_scope");
    EXPECT_EQ(call(wake, "", "notify_user", R"({"text":"x"})").result->metadata.error_code, "missing_operation_id");
    EXPECT_EQ(look().records.size(), 2U);
}

TEST_F(Asking, where_there_is_no_session_it_is_proposed) {
    const model::Wake wake = held();
    const ports::CalledTool called = make_task(wake, "Run");
    ASSERT_TRUE(called.result);
    EXPECT_TRUE(called.result->content.bytes().starts_with(R"({"proposed":true)"));
    EXPECT_EQ(set_of(wake).items.size(), 1U);
}

}  // namespace
}  // namespace belfry::sim
