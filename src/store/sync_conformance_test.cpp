#include <optional>

#include "base/sync_limits.hpp"
#include "store/journal_world_test.hpp"
#include "store/memory_world_test.hpp"
#include "store/notification_world_test.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

using Name = std::pair<std::string, std::string>;
using Names = std::vector<Name>;
using Counters = std::vector<std::uint64_t>;

model::VectorClock clock_of(std::initializer_list<std::pair<std::string, std::uint64_t>> counters) {
    model::VectorClock clock;
    for (const auto& [host, counter] : counters) EXPECT_OK(clock.raise(host, counter));
    return clock;
}

ports::KnownRecord known(const std::string& kind, const std::string& id, const std::string& user = "ada") {
    ports::KnownRecord record{kind, id, user, {}};
    record.knowledge.clock = clock_of({{"h", 7}, {"p", 3}});
    record.knowledge.stamps["title"] = {3, "h", 7};
    record.knowledge.stamps["slot.preference.\"\xC3\xBC\n"] = {1, "p", 3};
    record.knowledge.concurrent["lifecycle"] = {{{2, "h", 6}, model::RawJson::trusted("\"active\"")},
                                                {{2, "p", 2}, model::RawJson::trusted("null")}};
    return record;
}

model::Change change(std::int64_t number, std::uint64_t counter, const std::string& batch = "b",
                     const std::string& user = "ada") {
    model::Change made;
    made.number = number;
    made.unit = {"h", counter, "agent", "a"};
    made.user_id = user;
    made.origin = {model::ChangeOrigin::Kind::sync, {}};
    made.clock = clock_of({{"h", counter}});
    made.changed_at = at_second(number);
    made.batch_id = batch;
    return made;
}

model::Change gone(std::int64_t number, std::uint64_t counter) {
    model::Change made = change(number, counter, "", "");
    made.unit.kind = model::gone_kind;
    made.unit.id.clear();
    return made;
}

model::MergeNote note(std::int64_t number, const std::string& user = "ada") {
    model::MergeNote made;
    made.number = number;
    made.at = at_second(number);
    made.kind = "task";
    made.id = "t1";
    made.user_id = user;
    made.field = "title";
    made.rule = "latest";
    made.kept = {4, "h", 9};
    made.lost = {3, "p", 2};
    made.kept_value = odd_text;
    made.lost_value = "null";
    return made;
}

model::Peer peer(const std::string& id) {
    model::Peer made;
    made.id = id;
    made.name = odd_text;
    made.address = "10.0.0.2:7878";
    made.key = "AAEC";
    made.host = "d.1";
    made.added_at = at_second(1);
    made.revoked_at = at_second(2);
    made.last_seen_at = at_second(3);
    made.has = clock_of({{"h", 12}});
    made.last_error = "refused";
    made.whole_cursor = "task/t1";
    return made;
}

ports::SyncTable::Plain plain(const std::string& kind, const std::string& id, std::int64_t second,
                              const std::string& user = "ada") {
    return {kind, id, user, model::RawJson::trusted(R"({"seen_at":1})"), at_second(second)};
}

std::vector<std::string> ids(const base::Result<std::vector<ports::KnownRecord>>& records) {
    EXPECT_OK(records);
    std::vector<std::string> found;
    if (!records.ok()) return found;
    for (const ports::KnownRecord& record : *records) found.push_back(record.id);
    return found;
}

std::vector<std::string> ids(const base::Result<std::vector<ports::SyncTable::Plain>>& records) {
    EXPECT_OK(records);
    std::vector<std::string> found;
    if (!records.ok()) return found;
    for (const ports::SyncTable::Plain& record : *records) found.push_back(record.id);
    return found;
}

std::vector<base::Uuid> ids(const base::Result<std::vector<ports::SyncTable::Forgotten>>& messages) {
    EXPECT_OK(messages);
    std::vector<base::Uuid> found;
    if (!messages.ok()) return found;
    for (const ports::SyncTable::Forgotten& message : *messages) found.push_back(message.message_id);
    return found;
}

class SyncRows : public StoreSuite {
protected:
    void SetUp() override {
        StoreSuite::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        scribe_.emplace(world());
        scribe_->open();
        scribe_->begin();
    }
    ports::SyncTable& table() { return scribe_->store().sync(); }
    SqlStore& store() { return scribe_->store(); }
    ports::ChangeTable& changes() { return scribe_->store().changes(); }
    void begin() { scribe_->begin(); }
    void commit() { scribe_->commit(); }
    void add(const std::vector<model::Change>& some) { EXPECT_OK(changes().add(some)); }
    ports::HostPlace host(const std::string& name) {
        const auto all = table().hosts();
        EXPECT_OK(all);
        for (const ports::HostPlace& place : *all) {
            if (place.host == name) return place;
        }
        return {};
    }
    std::uint64_t erase(const std::string& user) {
        std::uint64_t rows = 0;
        for (std::uint64_t slice = 1; slice > 0; rows += slice) slice = *table().erase_user(user, 1);
        return rows;
    }

private:
    std::optional<Scribe> scribe_;
};

TEST_P(SyncRows, of_what_is_known_come_back_as_they_were) {
    const ports::KnownRecord one = known("task", "t1");
    const ports::KnownRecord bare{"task", "t2", "bob", {}};
    EXPECT_OK(table().put_knowledge(std::vector{one, bare}));
    EXPECT_EQ(*table().knowledge(Names{{"task", "t1"}}), std::vector{one});
    EXPECT_EQ(*table().knowledge(Names{{"task", "t2"}, {"agent", "t1"}}), std::vector{bare});
    ports::KnownRecord later = one;
    later.user_id = "bob";
    later.knowledge.stamps["title"] = {4, "p", 4};
    later.knowledge.concurrent.clear();
    EXPECT_OK(later.knowledge.clock.raise("p", 4));
    EXPECT_OK(table().put_knowledge(std::vector{later}));
    EXPECT_EQ(*table().knowledge(Names{{"task", "t1"}}), std::vector{later});
    EXPECT_TRUE(table().knowledge(Names{})->empty());
}

TEST_P(SyncRows, of_what_is_known_are_walked_through_by_kind_and_id) {
    std::vector<ports::KnownRecord> all;
    for (const char* id : {"b", "a", "\xFF", "c", "B"}) all.push_back(known("task", id));
    all.push_back(known("agent", "a"));
    all.push_back(known("time_entry", "a"));
    EXPECT_OK(table().put_knowledge(all));
    using Ids = std::vector<std::string>;
    EXPECT_EQ(ids(table().knowledge_after("task", "", 3)), (Ids{"B", "a", "b"})) << "in the order of bytes";
    EXPECT_EQ(ids(table().knowledge_after("task", "b", 3)), (Ids{"c", "\xFF"}));
    EXPECT_EQ(ids(table().knowledge_after("task", "\xFF", 3)), Ids{});
    EXPECT_EQ(table().knowledge_after("task", "b", 1)->front(), known("task", "c"));
}

TEST_P(SyncRows, of_messages_are_named_in_the_order_of_their_coming) {
    SqlStore& store = this->store();
    EXPECT_OK(store.agents().put(std::vector{agent_of("a", "ada"), agent_of("b", "bob")}));
    const std::vector said{remembered(1, "a:1"), remembered(2, "b:1"), remembered(4, "a:2")};
    EXPECT_OK(store.agent_messages().add(said));
    using Places = std::vector<ports::MessagePlace>;
    const Places all{{1, said[0].id, "a", "ada"}, {2, said[1].id, "b", "bob"}, {4, said[2].id, "a", "ada"}};
    EXPECT_EQ(*table().messages_after(0, 10), all);
    EXPECT_EQ(*table().messages_after(1, 1), Places{all[1]});
    EXPECT_EQ(*table().messages_after(2, 10), Places{all[2]});
    EXPECT_TRUE(table().messages_after(4, 10)->empty());
}

TEST_P(SyncRows, of_links_are_named_without_those_of_agents) {
    model::Link his = link("blocks", "r1", "r2");
    his.user_id = "bob";
    model::Link gone = link("blocks", "r1", "r3");
    gone.deleted_at = at_second(3);
    EXPECT_OK(store().journal().put_links(std::vector{link("blocks", "r2", "r1"), gone, his, link("about", "r1", "r3"),
                                                      link("message_prev", "m1", "m2")}));
    using Links = std::vector<ports::LinkName>;
    const Links all{{"ada", "about", "r1", "r3"},
                    {"ada", "blocks", "r1", "r3"},
                    {"ada", "blocks", "r2", "r1"},
                    {"bob", "blocks", "r1", "r2"}};
    EXPECT_EQ(*table().links_after({}, 10), all);
    EXPECT_EQ(*table().links_after({}, 1), Links{all[0]});
    EXPECT_EQ(*table().links_after(all[0], 2), (Links{all[1], all[2]}));
    EXPECT_EQ(*table().links_after(all[2], 2), Links{all[3]});
    EXPECT_TRUE(table().links_after(all[3], 2)->empty());
}

TEST_P(SyncRows, of_hosts_keep_place_floor_and_seal_apart) {
    const model::HostSeal seal{"d.1", "key", "signature"};
    EXPECT_OK(table().put_seal(seal));
    EXPECT_TRUE(changes().settled()->empty()) << "a host that nothing is known from has no place";
    EXPECT_OK(changes().put_settled("d.1", 5));
    EXPECT_OK(table().put_floor("d.1", 3));
    EXPECT_EQ(host("d.1"), (ports::HostPlace{"d.1", 5, 3, seal}));
    EXPECT_OK(table().put_floor("d.1", 2));
    EXPECT_EQ(host("d.1").floor, 3U) << "never back";
    EXPECT_OK(changes().put_settled("d.1", 6));
    EXPECT_EQ(host("d.1"), (ports::HostPlace{"d.1", 6, 3, seal}));
    EXPECT_OK(table().put_floor("e.1", 9));
    EXPECT_EQ(host("e.1"), (ports::HostPlace{"e.1", 0, 9, std::nullopt}));
    EXPECT_OK(table().put_seal({"e.1", "k", "s"}));
    EXPECT_EQ(host("e.1"), (ports::HostPlace{"e.1", 0, 9, model::HostSeal{"e.1", "k", "s"}}));
    EXPECT_EQ(table().hosts()->size(), 2U);
}

TEST_P(SyncRows, of_changes_are_given_by_their_host_when_they_are_in_a_batch) {
    add({change(1, 1), change(2, 2, ""), change(3, 4), change(4, 3), gone(5, 5)});
    model::Change other = change(6, 1);
    other.unit.host = "p";
    add({other});
    EXPECT_EQ(*table().changes_after("h", 0, 10), (std::vector{change(1, 1), change(4, 3), change(3, 4), gone(5, 5)}));
    EXPECT_EQ(*table().changes_after("h", 1, 2), (std::vector{change(4, 3), change(3, 4)}));
    EXPECT_EQ(*table().here("h", 1, 10), (Counters{1, 2, 3, 4, 5}));
    EXPECT_EQ(*table().here("h", 2, 4), (Counters{2, 3, 4}));
    EXPECT_EQ(*table().here("x", 1, 9), Counters{});
    EXPECT_EQ(changes().unbatched()->size(), 1U) << "one that came in its batch is in no other";
    EXPECT_EQ(*changes().batched_after("h", 0, 10), (Counters{1, 3, 4, 5}));
}

TEST_P(SyncRows, of_changes_of_somebody_who_was_erased_are_given_as_places) {
    model::Change erasure = change(3, 3);
    erasure.unit.kind = model::erasure_kind;
    erasure.unit.id = "ada";
    add({change(1, 1), change(2, 2, ""), erasure, change(4, 4, "b", "bob")});
    model::Change told = change(5, 5, "", "");
    told.unit.kind.clear();
    told.unit.id.clear();
    add({told});
    EXPECT_OK(table().put_knowledge(std::vector{known("task", "t1"), known(std::string(model::erasure_kind), "ada")}));
    while (*changes().erase_user("ada", 1) > 0) {
    }
    const auto left = table().changes_after("h", 0, 10);
    ASSERT_OK(left);
    ASSERT_EQ(left->size(), 5U) << "nobody misses them";
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
        EXPECT_EQ(left->at(i).unit, (model::ChangeUnit{"h", i + 1, "", ""}));
        EXPECT_EQ(left->at(i).batch_id, "");
        EXPECT_EQ(left->at(i).user_id, "");
    }
    EXPECT_EQ(left->at(2), erasure) << "that is what the others are told";
    EXPECT_EQ(left->at(3).user_id, "bob");
    EXPECT_TRUE(table().knowledge(Names{{"task", "t1"}})->empty());
    EXPECT_EQ(table().knowledge(Names{{"erasure", "ada"}})->size(), 1U);
}

TEST_P(SyncRows, of_changes_that_go_raise_the_floor_of_their_host) {
    add({change(1, 1), change(2, 2), change(3, 3), change(4, 4), change(5, 5)});
    EXPECT_OK(changes().put_settled("h", 4));
    EXPECT_EQ(host("h").floor, 0U);
    EXPECT_EQ(*changes().drop(at_second(3), 1), 1U);
    EXPECT_EQ(host("h").floor, 1U);
    EXPECT_EQ(*changes().drop(at_second(3), 10), 1U);
    EXPECT_EQ(host("h").floor, 2U);
    EXPECT_EQ(*changes().drop(at_second(9), 10), 2U);
    EXPECT_EQ(host("h"), (ports::HostPlace{"h", 4, 4, std::nullopt}));
    EXPECT_EQ(*table().here("h", 1, 9), Counters{5}) << "one that is not settled is still needed";
}

// A clock that was set back between them makes the later one the older.
TEST_P(SyncRows, of_changes_above_the_floor_are_all_there_whatever_the_clock_did) {
    model::Change late = change(2, 2);
    late.changed_at = at_second(1);
    model::Change early = change(1, 1);
    early.changed_at = at_second(9);
    add({early, late, change(3, 3)});
    EXPECT_OK(changes().put_settled("h", 3));
    EXPECT_EQ(*changes().drop(at_second(2), 10), 1U);
    EXPECT_EQ(host("h").floor, 2U);
    EXPECT_EQ(*table().here("h", host("h").floor + 1, 9), Counters{3});
    EXPECT_EQ(*changes().drop(at_second(10), 1), 1U) << "the third";
    EXPECT_EQ(*changes().drop(at_second(10), 1), 1U) << "the first";
    EXPECT_EQ(host("h").floor, 3U) << "not back to the one that went last";
}

TEST_P(SyncRows, of_gaps_keep_who_spoke_of_them_first) {
    const std::vector<ports::MissingChange> gaps{
        {"h", 3, "peer1", at_second(1)}, {"h", 4, "peer1", at_second(1)}, {"g", 9, "peer2", at_second(2)}};
    EXPECT_OK(table().put_missing(gaps));
    EXPECT_OK(table().put_missing(std::vector<ports::MissingChange>{{"h", 3, "peer3", at_second(9)}}));
    EXPECT_EQ(*table().missing(10), (std::vector{gaps[2], gaps[0], gaps[1]}));
    EXPECT_EQ(table().missing(1)->size(), 1U);
    EXPECT_OK(table().remove_missing("h", 4, 100));
    EXPECT_OK(table().remove_missing("g", 1, 8));
    EXPECT_EQ(*table().missing(10), (std::vector{gaps[2], gaps[0]}));
}

TEST_P(SyncRows, of_forgotten_messages_stay_for_good) {
    using Forgotten = ports::SyncTable::Forgotten;
    EXPECT_OK(table().add_forgotten(std::vector<Forgotten>{{uuid_of(2), "coach", "ada"}, {uuid_of(1), "x", "ada"}}));
    EXPECT_OK(table().add_forgotten(std::vector<Forgotten>{{uuid_of(2), "coach", "ada"}, {uuid_of(3), "x", "bob"}}));
    const auto found = table().forgotten(std::vector{uuid_of(2), uuid_of(9)});
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->front().message_id, uuid_of(2));
    EXPECT_EQ(found->front().agent_id, "coach");
    EXPECT_EQ(found->front().user_id, "ada");
    EXPECT_EQ(ids(table().forgotten_after({}, 2)), (std::vector{uuid_of(1), uuid_of(2)}));
    EXPECT_EQ(ids(table().forgotten_after(uuid_of(2), 2)), std::vector{uuid_of(3)});
}

TEST_P(SyncRows, without_a_table_of_their_own_come_back_as_they_were) {
    EXPECT_OK(table().put_plain(std::vector{plain("read_mark", "n1", 1), plain("run_claim", "n1", 1, "bob")}));
    ports::SyncTable::Plain later = plain("read_mark", "n1", 5, "eve");
    later.body = model::RawJson::trusted(R"({"seen_at":2})");
    EXPECT_OK(table().put_plain(std::vector{later}));
    const auto found = table().plain(Names{{"read_mark", "n1"}, {"read_mark", "n2"}});
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->front().kind, "read_mark");
    EXPECT_EQ(found->front().user_id, "eve");
    EXPECT_EQ(found->front().body, later.body);
    EXPECT_EQ(found->front().updated_at, at_second(5));
    EXPECT_EQ(table().plain(Names{{"run_claim", "n1"}})->front().user_id, "bob");
}

TEST_P(SyncRows, without_a_table_of_their_own_go_by_kind_and_age_with_what_is_known_of_them) {
    EXPECT_OK(table().put_plain(std::vector{plain("run_claim", "a", 1), plain("run_claim", "b", 2),
                                            plain("run_claim", "c", 3), plain("read_mark", "a", 1)}));
    EXPECT_OK(
        table().put_knowledge(std::vector{known("run_claim", "a"), known("run_claim", "c"), known("read_mark", "a")}));
    EXPECT_EQ(*table().drop_plain("run_claim", at_second(3), 1), 1U);
    EXPECT_EQ(*table().drop_plain("run_claim", at_second(3), 5), 1U);
    EXPECT_EQ(*table().drop_plain("run_claim", at_second(3), 5), 0U);
    const Names all{{"run_claim", "a"}, {"run_claim", "b"}, {"run_claim", "c"}, {"read_mark", "a"}};
    EXPECT_EQ(ids(table().plain(all)), (std::vector<std::string>{"c", "a"}));
    EXPECT_EQ(ids(table().knowledge(all)), (std::vector<std::string>{"c", "a"}));
}

TEST_P(SyncRows, without_a_table_of_their_own_are_walked_through_and_go_by_name) {
    EXPECT_OK(table().put_plain(std::vector{plain("agent_timer", "n2", 1), plain("agent_timer", "n1", 2),
                                            plain("agent_timer", "n3", 3), plain("read_mark", "n1", 1)}));
    EXPECT_OK(table().put_knowledge(std::vector<ports::KnownRecord>{{"agent_timer", "n1", "ada", {}}}));
    EXPECT_EQ(ids(table().plain_after("agent_timer", "", 2)), (std::vector<std::string>{"n1", "n2"}));
    EXPECT_EQ(ids(table().plain_after("agent_timer", "n2", 2)), std::vector<std::string>{"n3"});
    EXPECT_OK(table().remove_plain(Names{{"agent_timer", "n1"}, {"agent_timer", "none"}}));
    EXPECT_EQ(ids(table().plain_after("agent_timer", "", 9)), (std::vector<std::string>{"n2", "n3"}));
    EXPECT_EQ(ids(table().plain_after("read_mark", "", 9)), std::vector<std::string>{"n1"});
    EXPECT_TRUE(table().knowledge(Names{{"agent_timer", "n1"}})->empty());
}

TEST_P(SyncRows, of_notes_go_with_their_record) {
    model::MergeNote other = note(2);
    other.id += "x";
    EXPECT_OK(table().add_notes(std::vector{note(1), other, note(3)}));
    EXPECT_EQ(*table().notes_of_kind(note(1).kind), (std::vector{note(1), other, note(3)}));
    EXPECT_TRUE(table().notes_of_kind("none")->empty());
    EXPECT_OK(table().remove_notes(Names{{note(1).kind, note(1).id}, {"none", other.id}}));
    EXPECT_EQ(*table().notes_of_kind(note(1).kind), std::vector{other});
    EXPECT_EQ(*table().last_note(), 3) << "no number is given twice";
}

TEST_P(SyncRows, of_notes_are_read_from_the_newest_on_and_counted_for_ever) {
    EXPECT_EQ(*table().last_note(), 0);
    EXPECT_OK(table().add_notes(std::vector{note(1), note(2)}));
    EXPECT_OK(table().add_notes(std::vector{note(3)}));
    EXPECT_OK(table().add_notes(std::vector<model::MergeNote>{}));
    EXPECT_EQ(*table().last_note(), 3);
    commit();
    const auto reading = world().reading();
    EXPECT_EQ(*reading->sync().notes(0, 2), (std::vector{note(3), note(2)}));
    EXPECT_EQ(*reading->sync().notes(2, 2), std::vector{note(1)});
    EXPECT_TRUE(reading->sync().notes(1, 2)->empty());
    const model::MergeNote one = note(1);
    EXPECT_EQ(*table().notes_of(Names{{one.kind, one.id}}), (std::vector{note(1), note(2), note(3)}));
    EXPECT_TRUE(table().notes_of(Names{{one.kind, one.id + "x"}, {"entry", one.id}})->empty());
    EXPECT_TRUE(table().notes_of(Names{})->empty());
    EXPECT_OK(table().drop_notes(2));
    EXPECT_EQ(*reading->sync().notes(0, 9), std::vector{note(3)});
    EXPECT_OK(table().drop_notes(3));
    EXPECT_EQ(*table().last_note(), 3) << "no number is given twice";
    EXPECT_EQ(reading->sync().status()->merges, 3);
}

TEST_P(SyncRows, of_peers_come_back_as_they_were) {
    EXPECT_OK(table().put_peer(peer("b")));
    EXPECT_OK(table().put_peer(peer("a")));
    EXPECT_EQ(*table().peers(), (std::vector{peer("a"), peer("b")}));
    model::Peer again;
    again.id = "b";
    again.name = "phone";
    again.added_at = at_second(9);
    EXPECT_OK(table().put_peer(again));
    EXPECT_EQ(*table().peers(), (std::vector{peer("a"), again}));
}

TEST_P(SyncRows, of_somebody_who_is_erased_go_and_his_erasure_stays) {
    using Forgotten = ports::SyncTable::Forgotten;
    const std::string erasure(model::erasure_kind);
    EXPECT_OK(table().add_forgotten(std::vector<Forgotten>{{uuid_of(1), "x", "ada"}, {uuid_of(2), "x", "bob"}}));
    EXPECT_OK(table().add_notes(std::vector{note(1), note(2, "bob"), note(3)}));
    EXPECT_OK(table().put_plain(std::vector{plain("read_mark", "n1", 1), plain("read_mark", "n2", 1, "bob"),
                                            plain(erasure, "ada", 1), plain("agent_timer", "n1", 1)}));
    EXPECT_EQ(erase("ada"), 5U);
    EXPECT_EQ(ids(table().forgotten_after({}, 9)), std::vector{uuid_of(2)});
    const Names all{{"read_mark", "n1"}, {"read_mark", "n2"}, {erasure, "ada"}, {"agent_timer", "n1"}};
    EXPECT_EQ(ids(table().plain(all)), (std::vector<std::string>{"n2", "ada"}));
    commit();
    EXPECT_EQ(*world().reading()->sync().notes(0, 9), (std::vector{note(2, "bob")}));
}

TEST_P(SyncRows, are_told_together_as_they_stand) {
    EXPECT_EQ(world().reading()->sync().status()->host, "") << "it has no name yet";
    EXPECT_OK(changes().put_host({"d", ""}));
    commit();
    EXPECT_EQ(world().reading()->sync().status()->host, "") << "it has only half of one";
    begin();
    EXPECT_OK(changes().put_host({"d", "i"}));
    EXPECT_OK(table().put_peer(peer("a")));
    EXPECT_OK(changes().put_settled("d.i", 5));
    EXPECT_OK(table().put_missing(std::vector<ports::MissingChange>{{"h", 3, "a", at_second(1)}}));
    EXPECT_OK(table().add_notes(std::vector{note(7)}));
    commit();
    ports::SyncStatus expected;
    expected.host = "d.i";
    expected.peers = {peer("a")};
    expected.hosts = {{"d.i", 5, 0, std::nullopt}};
    expected.missing = {{"h", 3, "a", at_second(1)}};
    expected.merges = 7;
    EXPECT_EQ(*world().reading()->sync().status(), expected);
}

BELFRY_ON_BOTH_DATABASES(SyncRows);

}  // namespace
}  // namespace belfry::store::testing
