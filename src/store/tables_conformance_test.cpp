#include <algorithm>
#include <map>

#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

class Idempotency : public StoreSuite {};
class Tokens : public StoreSuite {};
class OutboxRows : public StoreSuite {};
BELFRY_ON_BOTH_DATABASES(Idempotency);
BELFRY_ON_BOTH_DATABASES(Tokens);
BELFRY_ON_BOTH_DATABASES(OutboxRows);

std::vector<std::string> keys_of(const std::vector<ports::RememberedAnswer>& answers) {
    std::vector<std::string> keys;
    for (const auto& answer : answers) keys.push_back(answer.key);
    std::ranges::sort(keys);
    return keys;
}

TEST_P(Idempotency, finds_what_was_put_and_nothing_else) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    const std::string odd("k\0\xff", 3);
    ASSERT_OK(scribe.store().idempotency().put({{"a", "f1", "r1"}, {odd, "", std::string("\0", 1)}}, at_second(10)));
    scribe.commit();
    const auto found = scribe.store().idempotency().find({"a", "b", odd}, at_second(0));
    ASSERT_OK(found);
    ASSERT_EQ(keys_of(*found), (std::vector<std::string>{"a", odd}));
    for (const auto& answer : *found) {
        EXPECT_EQ(answer.fingerprint, answer.key == "a" ? "f1" : "");
        EXPECT_EQ(answer.answer, answer.key == "a" ? "r1" : std::string("\0", 1));
    }
    EXPECT_TRUE(scribe.store().idempotency().find({}, at_second(0))->empty());
}

TEST_P(Idempotency, does_not_count_what_is_older_and_replaces_it) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& table = scribe.store().idempotency();
    ASSERT_OK(table.put({{"a", "f1", "r1"}}, at_second(10)));
    EXPECT_EQ(table.find({"a"}, at_second(10))->size(), 1U);
    EXPECT_TRUE(table.find({"a"}, at_second(11))->empty());
    ASSERT_OK(table.put({{"a", "f2", "r2"}}, at_second(20)));
    const auto found = table.find({"a"}, at_second(11));
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->at(0).answer, "r2");
    scribe.commit();
}

TEST_P(Idempotency, empties_personal_answers_to_requests_and_keeps_their_keys) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& table = scribe.store().idempotency();
    ASSERT_OK(table.put(
        {{"ra", "f1", "Phello"}, {"rb", "f2", "Nhello"}, {"rc", "f3", "[]"}, {"md", "f4", "Phello"}, {"re", "f5", ""}},
        at_second(10)));
    ASSERT_OK(table.erase_personal());
    const auto found = table.find({"ra", "rb", "rc", "md", "re"}, at_second(0));
    ASSERT_OK(found);
    std::map<std::string, std::string> answers;
    for (const auto& one : *found) answers[one.key] = one.fingerprint + one.answer;
    EXPECT_EQ(answers, (std::map<std::string, std::string>{
                           {"ra", "f1"}, {"rb", "f2Nhello"}, {"rc", "f3[]"}, {"md", "f4Phello"}, {"re", "f5"}}));
    scribe.commit();
}

TEST_P(Idempotency, takes_many_at_once_of_any_size) {
    SeededRandom random(5);
    Scribe scribe(world());
    scribe.open();
    std::vector<ports::RememberedAnswer> answers;
    std::vector<std::string> keys;
    for (int i = 0; i < 1000; ++i) {
        keys.push_back("key " + std::to_string(i));
        // Large answers too: a driver that only writes while the server only writes would stand still here.
        answers.push_back({keys.back(), "f", random.bytes(i % 50 == 0 ? 300'000 : 40)});
    }
    scribe.begin();
    ASSERT_OK(scribe.store().idempotency().put(answers, at_second(1)));
    scribe.commit();
    auto found = scribe.store().idempotency().find(keys, at_second(1));
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), 1000U);
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(found->at(i).answer, answers[i].answer) << i;
}

TEST_P(Idempotency, forgets_a_rollback_and_goes_on_after_reopening) {
    {
        Scribe scribe(world());
        scribe.open();
        scribe.begin();
        ASSERT_OK(scribe.store().idempotency().put({{"a", "f", "r"}}, at_second(1)));
        scribe.rollback();
        EXPECT_TRUE(scribe.store().idempotency().find({"a"}, at_second(0))->empty());
        scribe.begin();
        ASSERT_OK(scribe.store().idempotency().put({{"b", "f", "r"}, {"c", "f", "r"}}, at_second(2)));
        scribe.commit();
    }
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    ASSERT_OK(scribe.store().idempotency().put({{"d", "f", "r"}}, at_second(3)));
    scribe.commit();
    EXPECT_EQ(keys_of(*scribe.store().idempotency().find({"a", "b", "c", "d"}, at_second(0))),
              (std::vector<std::string>{"b", "c", "d"}));
}

TEST_P(Idempotency, drops_the_old_ones_in_slices) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& table = scribe.store().idempotency();
    for (int i = 1; i <= 5; ++i) {
        const std::string key = "k" + std::to_string(i);
        ASSERT_OK(table.put({{key, "f", "r"}}, at_second(i)));
    }
    ASSERT_OK(table.put({{"k1", "f", "again"}}, at_second(6)));
    EXPECT_EQ(*table.drop(at_second(5), 2), 2U);
    EXPECT_EQ(*table.drop(at_second(5), 2), 1U);
    EXPECT_EQ(*table.drop(at_second(5), 2), 0U);
    EXPECT_EQ(keys_of(*table.find({"k1", "k2", "k3", "k4", "k5"}, at_second(0))),
              (std::vector<std::string>{"k1", "k5"}));
    scribe.commit();
}

TEST_P(Tokens, come_back_as_they_were_put) {
    model::AccessToken full;
    full.id = "t1";
    full.secret_hash = base::sha256("secret");
    full.name = std::string("a \"name\"\0with bytes \xff", 20);
    full.role = model::Role::service;
    full.user_id = "ada";
    full.bounds.users = {"ada", "b\"ob"};
    full.bounds.sessions = {"s1"};
    full.bounds.agents = {"a1", "a \"2\""};
    full.bounds.type_prefixes = {"ci."};
    full.bounds.severity_max = model::Severity::warning;
    full.events_per_second = 12;
    full.created_at = at_second(5);
    full.expires_at = at_second(50);
    full.created_by = "peer:0";
    model::AccessToken bare;
    bare.id = "t0";
    bare.role = model::Role::emitter;
    bare.created_at = at_second(6);
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    ASSERT_OK(scribe.store().tokens().put(full));
    ASSERT_OK(scribe.store().tokens().put(bare));
    scribe.commit();
    const auto tokens = scribe.store().tokens().load();
    ASSERT_OK(tokens);
    ASSERT_EQ(tokens->size(), 2U);
    const model::AccessToken& one = tokens->at(0);
    EXPECT_EQ(one.id, full.id);
    EXPECT_EQ(one.secret_hash, full.secret_hash);
    EXPECT_EQ(one.name, full.name);
    EXPECT_EQ(one.role, full.role);
    EXPECT_EQ(one.user_id, full.user_id);
    EXPECT_EQ(one.bounds, full.bounds);
    EXPECT_EQ(one.events_per_second, 12);
    EXPECT_EQ(one.created_at, full.created_at);
    EXPECT_EQ(one.expires_at, full.expires_at);
    EXPECT_EQ(one.created_by, "peer:0");
    EXPECT_EQ(tokens->at(1).expires_at, std::nullopt);
    EXPECT_EQ(tokens->at(1).bounds, model::Bounds{});
}

TEST_P(Tokens, are_replaced_and_removed) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    model::AccessToken token;
    token.id = "t";
    token.name = "before";
    ASSERT_OK(scribe.store().tokens().put(token));
    token.name = "after";
    ASSERT_OK(scribe.store().tokens().put(token));
    ASSERT_EQ(scribe.store().tokens().load()->size(), 1U);
    EXPECT_EQ(scribe.store().tokens().load()->at(0).name, "after");
    ASSERT_OK(scribe.store().tokens().remove("none"));
    ASSERT_OK(scribe.store().tokens().remove("t"));
    EXPECT_TRUE(scribe.store().tokens().load()->empty());
    scribe.commit();
}

base::Uuid id_of(std::uint8_t n) {
    base::Uuid id;
    id.bytes[15] = n;
    return id;
}

ports::Obligation owed(std::uint8_t n, std::int64_t due_second) {
    ports::Obligation obligation;
    obligation.id = id_of(n);
    obligation.kind = "erase_user";
    obligation.detail = model::RawJson::trusted(R"({"user_id":"ada"})");
    obligation.progress = model::RawJson::trusted("{}");
    obligation.created_at = at_second(1);
    obligation.due_at = at_second(due_second);
    return obligation;
}

TEST_P(OutboxRows, come_back_as_they_were_put) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    ASSERT_OK(scribe.store().outbox().put(owed(1, 5)));
    scribe.commit();
    const auto found = world().reading()->obligation(id_of(1));
    ASSERT_OK(found);
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ((*found)->kind, "erase_user");
    EXPECT_EQ((*found)->detail.bytes(), R"({"user_id":"ada"})");
    EXPECT_EQ((*found)->due_at, at_second(5));
    EXPECT_EQ((*found)->claimed_until, std::nullopt);
    EXPECT_EQ((*found)->finished_at, std::nullopt);
    EXPECT_FALSE(world().reading()->obligation(id_of(2))->has_value());
}

TEST_P(OutboxRows, are_claimed_once_when_they_are_due) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& outbox = scribe.store().outbox();
    for (std::uint8_t n = 1; n <= 4; ++n) ASSERT_OK(outbox.put(owed(n, n * 10)));
    EXPECT_TRUE(outbox.claim(at_second(9), at_second(100), 10)->empty());
    const auto first = outbox.claim(at_second(35), at_second(100), 2);
    ASSERT_EQ(first->size(), 2U);
    for (const auto& obligation : *first) {
        EXPECT_LE(obligation.due_at, at_second(20));
        EXPECT_EQ(obligation.fence, 1);
        EXPECT_EQ(obligation.attempts, 1);
        EXPECT_EQ(obligation.claimed_until, at_second(100));
    }
    EXPECT_EQ(outbox.claim(at_second(35), at_second(100), 10)->size(), 1U);
    EXPECT_TRUE(outbox.claim(at_second(35), at_second(100), 10)->empty());
    // A claim that ran out is anybody's, under the next fence.
    const auto again = outbox.claim(at_second(100), at_second(200), 10);
    ASSERT_EQ(again->size(), 4U);
    EXPECT_EQ(std::ranges::count(*again, 2, &ports::Obligation::fence), 3);
    scribe.commit();
}

TEST_P(OutboxRows, that_were_given_up_are_listed_with_the_latest_first_and_can_be_owed_again) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& outbox = scribe.store().outbox();
    for (std::uint8_t n = 1; n <= 5; ++n) {
        ports::Obligation call = owed(n, 1);
        call.kind = n == 5 ? "other" : "sink";
        if (n != 4) call.finished_at = at_second(n < 3 ? 7 : 9);
        if (n != 3) call.last_error = "no route";
        ASSERT_OK(outbox.put(call));
    }
    scribe.commit();
    const auto ids = [&](const std::optional<ports::GivenUpPlace>& after, std::size_t limit) {
        std::vector<base::Uuid> found;
        const auto calls = world().reading()->given_up("sink", after, limit);
        for (const ports::Obligation& call : *calls) found.push_back(call.id);
        return found;
    };
    EXPECT_EQ(ids(std::nullopt, 9), (std::vector{id_of(2), id_of(1)})) << "of this kind, ended, with a reason";
    EXPECT_EQ(ids(std::nullopt, 1), std::vector{id_of(2)});
    const ports::GivenUpPlace behind_second{at_second(7), id_of(2)};
    EXPECT_EQ(ids(behind_second, 9), std::vector{id_of(1)});
    EXPECT_EQ(ids(ports::GivenUpPlace{at_second(7), id_of(1)}, 9), std::vector<base::Uuid>{});
    scribe.begin();
    EXPECT_TRUE(*outbox.reopen(id_of(2), at_second(20)));
    scribe.commit();
    EXPECT_EQ(ids(behind_second, 9), std::vector{id_of(1)}) << "the page goes on where its last one is owed again";
    scribe.begin();
    ASSERT_EQ(outbox.claim(at_second(20), at_second(30), 9)->size(), 2U);
    ports::Obligation second = outbox.find(id_of(2))->value();
    second.finished_at = at_second(21);
    second.last_error = "no route";
    EXPECT_TRUE(*outbox.update(second, second.fence));
    scribe.commit();
    EXPECT_EQ(ids(behind_second, 9), std::vector{id_of(1)}) << "and where it was given up again";
    scribe.begin();
    EXPECT_TRUE(*outbox.reopen(id_of(1), at_second(20)));
    EXPECT_FALSE(*outbox.reopen(id_of(4), at_second(20))) << "it has not ended";
    scribe.commit();
    const auto again = world().reading()->obligation(id_of(1));
    ASSERT_TRUE(again->has_value());
    EXPECT_EQ((*again)->finished_at, std::nullopt);
    EXPECT_EQ((*again)->due_at, at_second(20));
    EXPECT_EQ((*again)->last_error, "");
    EXPECT_EQ(ids(std::nullopt, 9), std::vector{id_of(2)});
}

TEST_P(OutboxRows, refuse_a_write_under_a_stale_fence) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& outbox = scribe.store().outbox();
    ASSERT_OK(outbox.put(owed(1, 1)));
    ports::Obligation old = outbox.claim(at_second(1), at_second(10), 1)->at(0);
    ports::Obligation held = outbox.claim(at_second(10), at_second(20), 1)->at(0);
    old.last_error = "late";
    EXPECT_FALSE(*outbox.update(old, old.fence));
    held.progress = model::RawJson::trusted(R"({"n":1})");
    EXPECT_TRUE(*outbox.update(held, held.fence));
    held.finished_at = at_second(15);
    EXPECT_TRUE(*outbox.update(held, held.fence));
    EXPECT_FALSE(*outbox.update(held, held.fence)) << "what is finished stays as it is";
    const auto found = outbox.find(id_of(1));
    EXPECT_EQ((*found)->last_error, "");
    EXPECT_EQ((*found)->progress.bytes(), R"({"n":1})");
    EXPECT_EQ((*found)->finished_at, at_second(15));
    EXPECT_TRUE(outbox.claim(at_second(99), at_second(100), 1)->empty());
    scribe.commit();
}

TEST_P(OutboxRows, are_free_again_after_a_release_of_all) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& outbox = scribe.store().outbox();
    ASSERT_OK(outbox.put(owed(1, 1)));
    ASSERT_EQ(outbox.claim(at_second(1), at_second(1000), 1)->size(), 1U);
    ASSERT_OK(outbox.release_all());
    const auto again = outbox.claim(at_second(2), at_second(1000), 1);
    ASSERT_EQ(again->size(), 1U);
    EXPECT_EQ(again->at(0).fence, 2);
    scribe.commit();
}

TEST_P(OutboxRows, tell_when_the_next_one_is_due) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& outbox = scribe.store().outbox();
    EXPECT_EQ(*outbox.next_due(), std::nullopt);
    ASSERT_OK(outbox.put(owed(1, 30)));
    ASSERT_OK(outbox.put(owed(2, 20)));
    EXPECT_EQ(*outbox.next_due(), at_second(20));
    ports::Obligation held = outbox.claim(at_second(20), at_second(25), 1)->at(0);
    EXPECT_EQ(*outbox.next_due(), at_second(25)) << "a claim may run out";
    held.finished_at = at_second(21);
    ASSERT_TRUE(*outbox.update(held, held.fence));
    EXPECT_EQ(*outbox.next_due(), at_second(30));
    EXPECT_EQ(*outbox.drop_finished(at_second(21), 10), 0U);
    EXPECT_EQ(*outbox.drop_finished(at_second(22), 10), 1U);
    EXPECT_FALSE(outbox.find(id_of(2))->has_value());
    scribe.commit();
}

TEST_P(OutboxRows, that_were_done_go_before_those_that_were_given_up) {
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    auto& outbox = scribe.store().outbox();
    for (std::uint8_t n = 1; n <= 5; ++n) {
        ports::Obligation call = owed(n, 1);
        call.kind = n == 2 ? "other" : "sink";
        if (n == 3) call.last_error = "no route";
        if (n != 4) call.finished_at = at_second(n == 5 ? 9 : 7);
        ASSERT_OK(outbox.put(call));
    }
    EXPECT_EQ(*outbox.drop_done("sink", at_second(9), 10), 1U);
    EXPECT_FALSE(outbox.find(id_of(1))->has_value());
    for (std::uint8_t n = 2; n <= 5; ++n) EXPECT_TRUE(outbox.find(id_of(n))->has_value()) << int{n};
    scribe.commit();
}

}  // namespace
}  // namespace belfry::store::testing
