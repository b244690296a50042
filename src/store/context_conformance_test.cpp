#include "base/context_limits.hpp"
#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

using model::ContextValue;
using Texts = std::vector<std::string>;

ContextValue value(const std::string& name, const model::Scope& scope, std::int64_t set = 100, std::int64_t ttl = 60) {
    ContextValue made;
    made.key = {name, scope};
    made.content = name + " of " + scope.user_id + scope.session_id + scope.agent_id;
    made.set_at = at_second(set);
    made.expires_at = at_second(set + ttl);
    made.set_by = "token:ci";
    return made;
}

class ContextValues : public TableSuite {
protected:
    ports::ContextTable& table() { return store().context_values(); }
    void put(const std::vector<ContextValue>& values) {
        for (const ContextValue& one : values) ASSERT_OK(table().put(one));
    }
    static Texts contents(const base::Result<std::vector<ContextValue>>& found) {
        EXPECT_OK(found);
        Texts all;
        for (const ContextValue& one : *found) all.push_back(one.content);
        return all;
    }
    Texts seen(const model::Scope& scope, std::int64_t now = 100) {
        return contents(table().in_scope({scope, at_second(now)}));
    }
};
BELFRY_ON_BOTH_DATABASES(ContextValues);

TEST_P(ContextValues, keep_every_byte_and_are_replaced_under_their_key) {
    ContextValue odd = value("a.a", {"ada", "s1", "coder"});
    odd.content = std::string("nul \0 and \xC3\xA4", 12);
    put({odd});
    EXPECT_EQ(table().in_scope({odd.key.scope, at_second(100)})->front(), odd);
    ContextValue next = value("a.a", {"ada", "s1", "coder"}, 110, 5);
    next.set_by = "token:other";
    put({next});
    commit();
    const auto reading = world().reading();
    EXPECT_EQ(**reading->context_values().find(odd.key, at_second(110)), next);
    EXPECT_FALSE(reading->context_values().find(odd.key, at_second(115))->has_value());
    EXPECT_FALSE(reading->context_values().find({"a.a", {"ada", "s1", ""}}, at_second(110))->has_value());
}

TEST_P(ContextValues, a_session_sees_its_users_values_its_own_and_those_of_its_agent) {
    put({value("b.b", {"ada", "", ""}), value("a.a", {"ada", "s1", ""}), value("c.c", {"ada", "", "coder"}),
         value("d.d", {"ada", "s1", "coder"}), value("e.e", {"ada", "s2", ""}), value("f.f", {"ada", "", "other"}),
         value("g.g", {"ada", "s1", "other"}), value("h.h", {"eve", "", ""}), value("i.i", {"eve", "s1", "coder"})});
    EXPECT_EQ(seen({"ada", "s1", "coder"}),
              (Texts{"a.a of adas1", "b.b of ada", "c.c of adacoder", "d.d of adas1coder"}));
    EXPECT_EQ(seen({"ada", "s1", ""}), (Texts{"a.a of adas1", "b.b of ada"}));
    EXPECT_EQ(seen({"eve", "s9", ""}), (Texts{"h.h of eve"}));
    EXPECT_EQ(contents(table().in_scope({{"ada", "s1", "coder"}, at_second(100), {"d.d", "a.a", "d.d", "e.e", "x.x"}})),
              (Texts{"a.a of adas1", "d.d of adas1coder"}));
    EXPECT_EQ(seen({"bob", "s1", "coder"}), (Texts{}));
    commit();
    const auto reading = world().reading();
    EXPECT_EQ(contents(reading->context_values().in_scope({{"ada", "s1", ""}, at_second(100)})),
              (Texts{"a.a of adas1", "b.b of ada"}));
}

TEST_P(ContextValues, are_listed_by_name_and_narrowed_by_session_and_agent) {
    put({value("b.b", {"ada", "s1", ""}), value("a.a", {"ada", "", ""}), value("a.a", {"ada", "", "coder"}),
         value("a.a", {"eve", "", ""}), value("z.z", {"ada", "", ""}, 10, 20)});
    commit();
    const auto reading = world().reading();
    const auto list = [&](const std::string& session, const std::string& agent) {
        return contents(reading->context_values().list({"ada", session, agent, at_second(100)}));
    };
    EXPECT_EQ(list("", ""), (Texts{"a.a of ada", "a.a of adacoder", "b.b of adas1"}));
    EXPECT_EQ(list("s1", ""), (Texts{"b.b of adas1"}));
    EXPECT_EQ(list("", "coder"), (Texts{"a.a of adacoder"}));
    EXPECT_EQ(list("s1", "coder"), (Texts{}));
}

TEST_P(ContextValues, expired_ones_are_never_seen_nor_counted_nor_removed_again) {
    put({value("a.a", {"ada", "", ""}, 100, 10), value("b.b", {"ada", "", ""}, 100, 20)});
    EXPECT_EQ(seen({"ada", "", ""}, 109).size(), 2U);
    EXPECT_EQ(seen({"ada", "", ""}, 110), (Texts{"b.b of ada"}));
    EXPECT_EQ(*table().count_others({"c.c", {"ada", "", ""}}, at_second(109)), 2);
    EXPECT_EQ(*table().count_others({"a.a", {"ada", "", ""}}, at_second(109)), 1);
    EXPECT_EQ(*table().count_others({"c.c", {"ada", "", ""}}, at_second(110)), 1);
    EXPECT_FALSE(*table().remove({"a.a", {"ada", "", ""}}, at_second(110)));
    EXPECT_TRUE(*table().remove({"b.b", {"ada", "", ""}}, at_second(110)));
    EXPECT_FALSE(*table().remove({"b.b", {"ada", "", ""}}, at_second(110)));
}

TEST_P(ContextValues, of_a_future_that_the_clock_has_left_are_hidden) {
    put({value("a.a", {"ada", "", ""}, 10'000, 60), value("b.b", {"ada", "", ""}, 9'000, 60)});
    EXPECT_EQ(seen({"ada", "", ""}, 9'990), (Texts{"a.a of ada"})) << "a clock that is set back a little";
    EXPECT_EQ(seen({"ada", "", ""}, 9'000), (Texts{"b.b of ada"}));
    EXPECT_EQ(*table().count_others({"c.c", {"ada", "", ""}}, at_second(9'000)), 1);
    EXPECT_EQ(*table().drop_expired(at_second(9'000), 10), 0U) << "a clock that is behind deletes nothing";
    ASSERT_OK(table().drop_expired_of("ada", at_second(9'000)));
    EXPECT_EQ(seen({"ada", "", ""}, 9'990), (Texts{"a.a of ada"}));
}

TEST_P(ContextValues, move_along_with_a_clock_that_is_set_back) {
    put({value("a.a", {"ada", "", ""}, 10'000, 60)});
    ASSERT_OK(table().set_back(base::seconds(9'000)));
    EXPECT_EQ(seen({"ada", "", ""}, 1'059), (Texts{"a.a of ada"}));
    EXPECT_EQ(seen({"ada", "", ""}, 1'060), (Texts{}));
}

TEST_P(ContextValues, are_dropped_when_they_have_expired_and_with_their_session_and_user) {
    put({value("a.a", {"ada", "", ""}, 100, 10), value("b.b", {"ada", "", ""}, 100, 10),
         value("c.c", {"eve", "", ""}, 100, 10), value("d.d", {"ada", "s1", ""}), value("e.e", {"ada", "", ""}),
         value("f.f", {"ada", "", "coder"}), value("g.g", {"eve", "", ""})});
    EXPECT_EQ(*table().drop_expired(at_second(110), 1), 1U);
    ASSERT_OK(table().drop_expired_of("ada", at_second(110)));
    EXPECT_EQ(*table().drop_expired(at_second(110), 10), 1U) << "eve's is left";
    ASSERT_OK(table().remove_session("s1"));
    EXPECT_EQ(seen({"ada", "s1", "coder"}, 110), (Texts{"e.e of ada", "f.f of adacoder"}));
    EXPECT_EQ(*table().erase_user("ada", 1), 1U);
    EXPECT_EQ(*table().erase_user("ada", 10), 1U);
    EXPECT_EQ(*table().erase_user("ada", 10), 0U);
    EXPECT_EQ(seen({"ada", "s1", "coder"}, 110), (Texts{}));
    EXPECT_EQ(seen({"eve", "", ""}, 110), (Texts{"g.g of eve"}));
}

}  // namespace
}  // namespace belfry::store::testing
