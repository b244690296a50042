#include <optional>

#include "store/run_table.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

using Ids = std::vector<model::RunId>;

base::Timestamp second(std::int64_t n) {
    return base::Timestamp{n * 1'000'000};
}

model::Run run(model::RunId id) {
    model::Run made;
    made.id = id;
    made.root_id = id;
    made.user_id = "ada";
    made.title = "run " + std::to_string(id);
    made.metadata = model::RawJson::trusted(R"({"a":1})");
    made.created_at = second(id);
    return made;
}

model::Run ended(model::RunId id, std::int64_t at) {
    model::Run made = run(id);
    made.state = model::RunState::completed;
    made.ended_at = second(at);
    return made;
}

Ids ids(const base::Result<std::vector<model::Run>>& runs) {
    EXPECT_OK(runs);
    Ids found;
    if (runs.ok()) {
        for (const model::Run& one : *runs) found.push_back(one.id);
    }
    return found;
}

class Runs : public StoreSuite {
protected:
    void SetUp() override {
        StoreSuite::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        scribe_.emplace(world());
        scribe_->open();
        scribe_->begin();
    }
    ports::RunTable& table() { return scribe_->store().runs(); }
    void put(const std::vector<model::Run>& runs) { EXPECT_OK(table().put(runs)); }
    std::unique_ptr<ports::Reading> seen() {
        scribe_->commit();
        return world().reading();
    }

private:
    std::optional<Scribe> scribe_;
};
BELFRY_ON_BOTH_DATABASES(Runs);

TEST_P(Runs, come_back_with_every_member) {
    model::Run full = run(7);
    full.run_key = std::string("k\0\xff", 3);
    full.parent_id = 3;
    full.root_id = 2;
    full.session_id = "s";
    full.agent_id = "a";
    full.hierarchy_id = "team \"7\"";
    full.caller = model::CallerContext{"id \"q\"", model::AgentType::worker, "Wanda", "north"};
    full.state = model::RunState::failed;
    full.paused = true;
    full.tree = true;
    full.result = model::RawJson::trusted("[1]");
    full.error = model::RunError{"type", ""};
    full.cancel_reason = "";
    full.started_at = second(8);
    full.ended_at = second(9);
    full.events = 12;
    put({full, run(8)});
    const auto found = table().find(Ids{7, 8, 9});
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(found->at(0), full);
    EXPECT_EQ(found->at(1), run(8));
    const auto read = seen()->runs().find(7);
    ASSERT_OK(read);
    EXPECT_EQ(*read, full);
}

TEST_P(Runs, change_their_state_and_keep_the_rest) {
    put({run(1)});
    model::Run changed = run(1);
    changed.state = model::RunState::running;
    changed.started_at = second(5);
    changed.paused = true;
    put({changed});
    EXPECT_EQ(table().find(Ids{1})->at(0), changed);
    EXPECT_EQ(ids(table().load_open()), (Ids{1}));
    put({ended(1, 6)});
    EXPECT_EQ(ids(table().load_open()), (Ids{}));
}

TEST_P(Runs, are_found_by_the_key_of_their_user) {
    model::Run keyed = run(1);
    keyed.run_key = "k";
    model::Run other = run(2);
    other.user_id = "bob";
    other.run_key = "k";
    put({keyed, other, run(3), run(4)});
    const ports::RunTable::Key mine{"ada", "k"};
    EXPECT_EQ(ids(table().find_keys(std::span(&mine, 1))), (Ids{1}));
    const ports::RunTable::Key none{"ada", "other"};
    EXPECT_EQ(ids(table().find_keys(std::span(&none, 1))), (Ids{}));
}

TEST_P(Runs, go_when_their_time_has_come_and_their_ids_stay_given) {
    put({ended(1, 30), ended(2, 10), ended(3, 20), run(4), ended(5, 40)});
    EXPECT_EQ(*table().first_end(), second(10));
    EXPECT_EQ(*table().first_created(), second(1));
    const std::vector<ports::RunTable::Move> moves{{3, 1}, {5, 4}};
    EXPECT_OK(table().move(moves));
    EXPECT_EQ(table().find(Ids{3})->front().parent_id, 1);
    EXPECT_EQ(table().find(Ids{5})->front().parent_id, 4);
    EXPECT_EQ(ids(table().ended_before(second(30), 10)), (Ids{2, 3}));
    EXPECT_EQ(ids(table().ended_before(second(30), 1)), (Ids{2}));
    EXPECT_OK(table().remove(Ids{5, 2, 3}));
    EXPECT_EQ(*table().first_end(), second(30));
    EXPECT_EQ(*table().last_id(), 5) << "given once, whether it is there or not";
    put({run(6)});
    EXPECT_EQ(*table().last_id(), 6);
    EXPECT_EQ(*seen()->runs().last_id(), 6);
}

TEST_P(Runs, of_a_tree_and_of_a_user_are_known) {
    model::Run child = run(2);
    child.root_id = 1;
    child.parent_id = 1;
    model::Run other = run(3);
    other.user_id = "bob";
    put({run(1), child, other});
    EXPECT_TRUE(*table().has_tree(1));
    EXPECT_FALSE(*table().has_tree(2));
    EXPECT_EQ(ids(table().of_user("ada", 10)), (Ids{1, 2}));
    EXPECT_EQ(ids(table().of_user("ada", 1)), (Ids{1}));
    EXPECT_OK(table().remove(Ids{1}));
    EXPECT_TRUE(*table().has_tree(1));
    EXPECT_OK(table().remove(Ids{2}));
    EXPECT_FALSE(*table().has_tree(1));
}

TEST_P(Runs, are_listed_newest_first_by_whatever_narrows_them) {
    std::vector<model::Run> runs;
    for (model::RunId id = 1; id <= 8; ++id) {
        model::Run made = id % 2 == 0 ? ended(id, id) : run(id);
        made.user_id = id <= 6 ? "ada" : "bob";
        made.session_id = id <= 4 ? "s" : "";
        made.agent_id = id % 4 == 0 ? "a" : "";
        made.root_id = id <= 3 ? 1 : id;
        runs.push_back(made);
    }
    put(runs);
    const auto reading = seen();
    using State = std::optional<model::RunState>;
    const auto listed = [&](const std::string& user, const std::string& session = {}, const std::string& agent = {},
                            State state = {}, model::RunId root = 0) {
        return ids(reading->runs().list({user, session, agent, state, root, 0, 10}));
    };
    constexpr auto completed = model::RunState::completed;
    EXPECT_EQ(listed(""), (Ids{8, 7, 6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(ids(reading->runs().list({"", "", "", {}, 0, 6, 2})), (Ids{5, 4}));
    EXPECT_EQ(listed("ada"), (Ids{6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(listed("ada", "", "", completed), (Ids{6, 4, 2}));
    EXPECT_EQ(listed("", "", "", model::RunState::pending), (Ids{7, 5, 3, 1}));
    EXPECT_EQ(listed("", "", "", completed), (Ids{8, 6, 4, 2}));
    EXPECT_EQ(listed("", "s"), (Ids{4, 3, 2, 1}));
    EXPECT_EQ(listed("", "s", "a"), (Ids{4}));
    EXPECT_EQ(listed("bob", "s"), (Ids{}));
    EXPECT_EQ(listed("", "", "a"), (Ids{8, 4}));
    EXPECT_EQ(listed("bob", "", "a"), (Ids{8}));
    EXPECT_EQ(listed("", "", "", {}, 1), (Ids{3, 2, 1}));
    EXPECT_EQ(listed("", "other", "", {}, 1), (Ids{}));
    EXPECT_EQ(listed("", "s", "", completed, 1), (Ids{2}));
}

TEST_P(Runs, in_the_queue_know_their_position) {
    std::vector<model::Run> runs{run(1), run(2), run(3), run(4)};
    runs[0].queued = 9;
    runs[1].queued = 4;
    runs[3].queued = 12;
    put(runs);
    const auto reading = seen();
    EXPECT_EQ((*reading->runs().find(1))->queue_position, 2);
    EXPECT_EQ((*reading->runs().find(2))->queue_position, 1);
    EXPECT_EQ((*reading->runs().find(3))->queue_position, 0);
    EXPECT_EQ((*reading->runs().find(4))->queue_position, 3);
    ports::RunFilter all;
    all.limit = 10;
    std::vector<std::int64_t> positions;
    const auto listed = reading->runs().list(all);
    for (const model::Run& one : *listed) positions.push_back(one.queue_position);
    EXPECT_EQ(positions, (std::vector<std::int64_t>{3, 0, 1, 2})) << "newest first";
    all.limit = 1;
    EXPECT_EQ(reading->runs().list(all)->front().queue_position, 3) << "also of those that the page does not hold";
}

TEST_P(Runs, that_nobody_started_hold_up_nothing) {
    model::Run old = run(1);
    model::Run started = run(2);
    started.created_at = second(5);
    started.state = model::RunState::running;
    put({old, started});
    EXPECT_EQ(*table().first_created(), second(5));
}

class RemovedStreams : public StoreSuite {};
BELFRY_ON_BOTH_DATABASES(RemovedStreams);

TEST_P(RemovedStreams, leave_nothing_and_their_numbers_are_not_given_again) {
    Scribe scribe(world(), {3, 1 << 20});
    scribe.open_with_streams();
    scribe.begin();
    scribe.add_stream(3, "run:1", model::RetentionClass::runs);
    scribe.add_stream(4, "run:2", model::RetentionClass::runs);
    scribe.commit();
    for (int i = 1; i <= 10; ++i) {
        scribe.write(3, "a" + std::to_string(i));
        scribe.write(4, "b" + std::to_string(i));
    }
    scribe.begin();
    EXPECT_EQ(*scribe.log().last_stream(), 4U);
    EXPECT_OK(scribe.log().remove_streams(std::vector<model::StreamId>{4}));
    EXPECT_EQ(*scribe.log().last_stream(), 4U);
    scribe.commit();
    for (int i = 11; i <= 20; ++i) scribe.write(3, "a" + std::to_string(i));  // the index goes on without it
    const auto reading = world().reading();
    EXPECT_EQ(read_all(*reading, 3).size(), 20U);
    EXPECT_FALSE(reading->blocks(4, 0, 1 << 20).ok());
    static constexpr Sql orphans{"SELECT count(*) FROM stream_index WHERE stream_id = 4"};
    EXPECT_OK(scribe.store().database().run(orphans, {}, [](const Row& row) { EXPECT_EQ(row.number(0), 0); }));
}

}  // namespace
}  // namespace belfry::store::testing
