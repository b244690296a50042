#include "store/notification_world_test.hpp"
#include "store/row_reader.hpp"
#include "store/schema.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

constexpr const char* timer_id = "\x01\x98\xA1\xB2\xC3\xD4\x75\xE6\x87\xF8\x09\x1A\x2B\x3C\x4D\x5E";
constexpr const char* timer_name = "0198a1b2-c3d4-75e6-87f8-091a2b3c4d5e";

// A store of version 10 with an agent of ada that has a rule and a timer.
class StoreOfVersion10 : public StoreSuite {
protected:
    void SetUp() override {
        StoreSuite::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        const auto options = writer_options(world().location(), {});
        auto connection = options.connect();
        ASSERT_OK(connection);
        old_ = std::move(*connection);
        ASSERT_OK(migrate(*old_, migrations().first(10), [](std::int64_t) -> base::Result<void> { return {}; }));
        static constexpr Sql agent{
            "INSERT INTO agents (agent_id, user_id, kind, display_name, lifecycle, mode, allowed_categories_json, "
            "capabilities_json, config_version, config_extension_json, workflow, workflow_json, state_id, created_at, "
            "updated_at) VALUES ($1, $2, $1, $1, 0, 0, $3, $3, 1, $3, 0, $3, $4, 1, 1)"};
        static constexpr Sql rule{
            "INSERT INTO agent_subscriptions (subscription_id, agent_id, active, rule_json, created_at, updated_at) "
            "VALUES ($1, $2, 1, $3, 1, 1)"};
        static constexpr Sql timer{
            "INSERT INTO agent_timers (timer_id, agent_id, user_id, name, schedule_json, active, next_run_at, "
            "counted_from, input_json, priority, created_at, updated_at) VALUES ($1, $2, $3, $2, $4, 1, 1, 1, $4, 0, "
            "1, 1)"};
        ASSERT_OK(old_->run(agent, {bytes("coach"), bytes("ada"), bytes("{}"), bytes(uuid_of(1))}));
        ASSERT_OK(old_->run(rule, {bytes(uuid_of(2)), bytes("coach"), bytes("{}")}));
        ASSERT_OK(old_->run(timer, {bytes(timer_id), bytes("coach"), bytes("ada"), bytes("{}")}));
    }
    void add_change(std::int64_t number, const std::string& host, std::int64_t counter) {
        static constexpr Sql change{
            "INSERT INTO changes (change_no, host, counter, kind, record_id, user_id, origin, synced, tokens_json, "
            "clock_json, changed_at) VALUES ($1, $2, $3, $4, $4, $4, $5, 0, $6, $7, 1)"};
        ASSERT_OK(
            old_->run(change, {number, bytes(host), counter, bytes("x"), bytes("user"), bytes("[]"), bytes("{}")}));
    }
    void settle(const std::string& host, std::int64_t counter) {
        static constexpr Sql settled{"INSERT INTO change_hosts (host, settled) VALUES ($1, $2)"};
        ASSERT_OK(old_->run(settled, {bytes(host), counter}));
    }
    void put_clock(const std::string& kind, const std::string& id) {
        static constexpr Sql clock{
            "INSERT INTO record_clocks (kind, record_id, user_id, clock_json) VALUES ($1, $2, $3, $4)"};
        ASSERT_OK(old_->run(clock, {bytes(kind), bytes(id), bytes("ada"), bytes(R"({"h":3})")}));
    }
    // As this program finds it.
    std::unique_ptr<SqlStore> open() {
        old_.reset();
        auto store = world().store();
        EXPECT_OK(store->open());
        EXPECT_OK(store->begin());
        return store;
    }

private:
    std::unique_ptr<Database> old_;
};

TEST_P(StoreOfVersion10, names_its_agents_rules_and_timers_among_what_devices_tell_each_other) {
    put_clock("agent", "coach");
    const auto store = open();
    const auto only = [&](std::string_view kind) {
        const auto all = store->sync().knowledge_after(kind, "", 10);
        EXPECT_OK(all);
        EXPECT_EQ(all->size(), 1U) << kind;
        return all.ok() && !all->empty() ? all->front() : ports::KnownRecord{};
    };
    EXPECT_EQ(only("agent").knowledge.clock.counter_of("h"), 3U) << "what is known of it stays";
    EXPECT_EQ(only("agent_state"), (ports::KnownRecord{"agent_state", "coach", "ada", {}}));
    EXPECT_EQ(only("agent_subscription"),
              (ports::KnownRecord{"agent_subscription", base::format_uuid(uuid_of(2)), "ada", {}}));
    EXPECT_EQ(only("agent_timer"), (ports::KnownRecord{"agent_timer", timer_name, "ada", {}}));
    store->rollback();
}

// Its log tells neither of rules nor of timers: who has nothing of it needs the whole.
TEST_P(StoreOfVersion10, tells_nobody_from_its_log_alone) {
    add_change(1, "h", 1);
    add_change(2, "h", 2);
    settle("h", 2);
    add_change(3, "fresh", 1);
    const auto store = open();
    EXPECT_EQ(*store->sync().hosts(),
              (std::vector<ports::HostPlace>{{"fresh", 0, 1, std::nullopt}, {"h", 2, 2, std::nullopt}}));
    EXPECT_EQ(*store->changes().settled(), (std::map<std::string, std::uint64_t>{{"h", 2}}));
    store->rollback();
}

BELFRY_ON_BOTH_DATABASES(StoreOfVersion10);

}  // namespace
}  // namespace belfry::store::testing
