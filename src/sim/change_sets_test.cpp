#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/change_set_limits.hpp"
#include "sim/change_sets_world_test.hpp"

// What agents propose, and what becomes of it.
namespace belfry::sim {
namespace {

using model::ChangeItemState;
using model::ToolPolicy;
using model::ToolStatus;

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

TEST_F(ChangeSets, nothing_is_proposed_while_too_many_sets_wait_for_the_person) {
    make_coach({{"create_task", ToolPolicy::propose}});
    ASSERT_TRUE(store_->begin().ok());
    model::ChangeSet open;
    open.user_id = "ada";
    open.agent_id = "coach";
    for (std::size_t i = 0; i < base::limits::change_sets_open_max; ++i) {
        open.id = {base::make_uuid7(now_, random_.next(), random_.next())};
        open.wake_id = static_cast<model::WakeId>(1'000'000 + i);
        ASSERT_TRUE(store_->change_sets().add(open).ok());
    }
    ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    const model::Wake wake = held();
    const ports::CalledTool called = make_task(wake, "Run");
    ASSERT_TRUE(called.result);
    EXPECT_EQ(called.result->metadata.error_code, "too_many_proposals");
    EXPECT_EQ(called.result->metadata.error_message,
              "1000 sets of changes wait for the person: the person decides first");
    EXPECT_TRUE(set_of(wake).items.empty());
    EXPECT_EQ(tasks(), 0U);
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

}  // namespace
}  // namespace belfry::sim
