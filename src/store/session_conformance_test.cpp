#include <algorithm>

#include "codec/json.hpp"
#include "ports/queries.hpp"
#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

class Sessions : public TableSuite {
protected:
    std::vector<std::string> ids(const base::Result<std::vector<model::Session>>& found) {
        EXPECT_OK(found);
        std::vector<std::string> list;
        for (const model::Session& one : *found) list.push_back(one.id);
        return list;
    }
};
class History : public TableSuite {
protected:
    static constexpr std::size_t plenty = 1 << 30;
    static ports::HistoryPlace at_node(const base::Uuid& id) { return {{id}}; }
    // Page after page as one reads them, `|` between them.
    std::string pages(ports::HistoryShape shape_of_it, std::size_t limit, std::size_t bytes_max) {
        const auto reading = world().reading();
        std::string out;
        std::optional<ports::HistoryPlace> place;
        for (int count = 0; count < 20; ++count) {
            const auto page = shape_of_it == ports::HistoryShape::tree
                                  ? reading->sessions().tree("s1", place, limit, bytes_max)
                                  : reading->sessions().path("s1", place, limit, bytes_max);
            out += shape(page);
            if (!page.ok() || !page->next) return out;
            place = page->next;
            out += "|";
        }
        return out + " and so on";
    }
    // The numbers of nodes and, in brackets, of their messages.
    static std::string shape(const base::Result<ports::HistoryPage>& history) {
        EXPECT_OK(history);
        if (!history.ok()) return "";
        std::string out;
        for (const ports::HistoryNode& one : history->nodes) {
            out += std::to_string(one.node.id.uuid.bytes[15]) + "[";
            for (const model::SessionMessage& said : one.messages) out += std::to_string(said.ordinal) + ",";
            out += "]";
        }
        return out;
    }
    void add(const model::ContextNode& made) { ASSERT_OK(sessions().add_node(made)); }
    void add(const model::SessionMessage& made) { ASSERT_OK(sessions().add_message(made)); }
    // 1 → 2 → 3, and 4 below 1. Another session has 9.
    void grow_tree() {
        model::Session mine = session("s1");
        mine.head.uuid = uuid_of(3, 2);
        model::Session other = session("s2", "bob");
        other.head.uuid = uuid_of(9, 2);
        ASSERT_OK(sessions().put(std::vector{mine, other}));
        add(node(1));
        add(node(2, "s1", 1));
        add(node(9, "s2"));
        add(node(4, "s1", 1));
        add(node(3, "s1", 2));
        add(message(2, 1));
        add(message(1, 1));
        add(message(3, 3));
        add(message(4, 4));
        add(message(5, 9, "s2"));
    }
};
BELFRY_ON_BOTH_DATABASES(Sessions);
BELFRY_ON_BOTH_DATABASES(History);

// Each member has a value: a member that a store does not keep makes the comparison fail.
model::Progress full_progress() {
    model::Progress progress;
    progress.turn = 5;
    progress.in_turn = true;
    progress.tokens_used = 5'000'000'000;
    progress.context_used = 77;
    progress.counting_since = at_second(3);
    progress.told_tokens_warning = true;
    progress.told_iterations_exceeded = true;
    progress.told_context = true;
    progress.actions = {{odd_text, odd_text, odd_text, at_second(4)}, {"b", "b#1", "", at_second(5)}};
    progress.loop_pattern = odd_text;
    progress.loop_told_at = at_second(6);
    progress.answered_through = 5'000'000'001;
    progress.turn_pulled = true;
    progress.lease = base::seconds(77);
    progress.told_tokens_exceeded = true;
    progress.told_iterations_warning = true;
    progress.told_timeout = true;
    progress.aware_pull = uuid_of(3, 1);
    progress.aware_next = 31;
    progress.digest_next = 32;
    progress.digest_no = 33;
    progress.open_pull = uuid_of(3, 2);
    progress.open_point = 2;
    progress.has_named = true;
    progress.unnamed = {uuid_of(3, 3), uuid_of(3, 4)};
    progress.pulls = {
        {uuid_of(4, 1), uuid_of(4, 2), true, true, true, odd_text, true, 3, {odd_text, "b"}},
        {uuid_of(4, 3), uuid_of(4, 3), false, false, false, "b", false, {}, {}},
    };
    progress.spoken = {{odd_text, uuid_of(3, 5), true}, {"b", uuid_of(3, 6), false}};
    progress.effect_calls = {odd_text, "c"};
    progress.decided = {uuid_of(3, 7)};
    progress.decided_by_guests = {{odd_text, uuid_of(3, 8)}, {"b", uuid_of(3, 9)}};
    progress.named_by_guests = {odd_text, "b"};
    progress.heard_at = at_second(7);
    progress.turn_asked = true;
    progress.turn_by = odd_text;
    progress.turn_agents = {odd_text, "b"};
    progress.guest_agent = odd_text;
    progress.output_node = uuid_of(3, 10);
    progress.alert_next = 34;
    progress.alert_end = 35;
    return progress;
}

model::Session full_session() {
    model::Session made = session(odd_text, odd_text);
    made.user_is_default = true;
    made.agent_id = odd_text;
    made.title = odd_text;
    made.metadata = model::RawJson::trusted(R"({"a":[1,2]})");
    made.budget = {1, 2, 3, 4'000'000'000};
    made.progress = full_progress();
    made.head.uuid = uuid_of(1, 2);
    made.head_system_messages = 9;
    made.next_handle = 8;
    made.next_message = 7;
    made.last_turn_started_at = at_second(10);
    made.last_turn_ended_at = at_second(11);
    made.timeout_due_at = at_second(12);
    made.created_at = at_second(13);
    made.updated_at = at_second(14);
    return made;
}

void expect_same(const model::Session& seen, const model::Session& wanted) {
    EXPECT_EQ(seen.id, wanted.id);
    EXPECT_EQ(seen.user_id, wanted.user_id);
    EXPECT_EQ(seen.user_is_default, wanted.user_is_default);
    EXPECT_EQ(seen.agent_id, wanted.agent_id);
    EXPECT_EQ(seen.title, wanted.title);
    EXPECT_EQ(seen.metadata, wanted.metadata);
    EXPECT_TRUE(seen.budget == wanted.budget);
    EXPECT_TRUE(seen.progress == wanted.progress);
    EXPECT_EQ(seen.head, wanted.head);
    EXPECT_EQ(seen.head_system_messages, wanted.head_system_messages);
    EXPECT_EQ(seen.next_handle, wanted.next_handle);
    EXPECT_EQ(seen.next_message, wanted.next_message);
    EXPECT_EQ(seen.last_turn_started_at, wanted.last_turn_started_at);
    EXPECT_EQ(seen.last_turn_ended_at, wanted.last_turn_ended_at);
    EXPECT_EQ(seen.timeout_due_at, wanted.timeout_due_at);
    EXPECT_EQ(seen.created_at, wanted.created_at);
    EXPECT_EQ(seen.updated_at, wanted.updated_at);
}

TEST_P(Sessions, know_a_message_by_its_id) {
    ASSERT_OK(sessions().put(std::vector{session("s1")}));
    ASSERT_OK(sessions().add_node(node(1)));
    ASSERT_OK(sessions().add_message(message(20, 1)));
    EXPECT_EQ(*sessions().message_ordinal(message(20, 1).id), message(20, 1).ordinal)
        << "in the transaction that adds it";
    reopen();
    EXPECT_EQ(*sessions().message_ordinal(message(20, 1).id), message(20, 1).ordinal);
    EXPECT_EQ(*sessions().message_ordinal(message(21, 1).id), std::nullopt);
}

TEST_P(Sessions, come_back_as_they_were_and_are_replaced_whole) {
    ASSERT_OK(sessions().put(std::vector{session("plain"), full_session()}));
    reopen();
    auto found = sessions().find(std::vector<std::string>{odd_text, "none"});
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), 1U);
    expect_same(found->front(), full_session());
    model::Session other = session(odd_text, "bob");
    ASSERT_OK(sessions().put(std::vector{other}));
    found = sessions().find(std::vector<std::string>{odd_text});
    ASSERT_EQ(found->size(), 1U);
    expect_same(found->front(), other);
    EXPECT_EQ(sessions().find(std::vector<std::string>{"plain", odd_text})->size(), 2U);
    EXPECT_TRUE(sessions().find({})->empty());
    commit();
    const auto beside = world().reading()->sessions().find("plain");
    ASSERT_TRUE(beside.ok() && beside->has_value());
    expect_same(**beside, session("plain"));
    EXPECT_FALSE(world().reading()->sessions().find("none")->has_value());
}

TEST_P(Sessions, remember_each_threshold_that_was_told) {
    const std::vector<bool model::Progress::*> flags{
        &model::Progress::told_tokens_warning,
        &model::Progress::told_tokens_exceeded,
        &model::Progress::told_iterations_warning,
        &model::Progress::told_iterations_exceeded,
        &model::Progress::told_timeout,
        &model::Progress::told_context,
        &model::Progress::in_turn,
    };
    for (const auto flag : flags) {
        model::Session told = session("s");
        told.progress.*flag = true;
        ASSERT_OK(sessions().put(std::vector{told}));
        const auto found = sessions().find(std::vector<std::string>{"s"});
        ASSERT_EQ(found->size(), 1U);
        EXPECT_TRUE(found->front().progress == told.progress);
    }
}

TEST_P(Sessions, are_listed_by_id_page_by_page_all_or_of_a_user) {
    std::vector<model::Session> all;
    for (const char* id : {"e", "a", "c", "b", "d"}) all.push_back(session(id, *id == 'c' ? "bob" : "ada"));
    ASSERT_OK(sessions().put(all));
    commit();
    const auto reading = world().reading();
    const auto list = [&](const char* user, const char* after, std::size_t limit) {
        return ids(reading->sessions().list({user, after, limit}));
    };
    using Ids = std::vector<std::string>;
    EXPECT_EQ(list("", "", 3), (Ids{"a", "b", "c"}));
    EXPECT_EQ(list("", "c", 3), (Ids{"d", "e"}));
    EXPECT_EQ(list("ada", "", 3), (Ids{"a", "b", "d"}));
    EXPECT_EQ(list("ada", "b", 3), (Ids{"d", "e"}));
    EXPECT_EQ(list("bob", "", 3), (Ids{"c"}));
    EXPECT_EQ(list("eve", "", 3), Ids{});
}

TEST_P(Sessions, that_were_deleted_are_listed_on_request_only) {
    std::vector<model::Session> all{session("a"), session("b"), session("c")};
    all[1].deleted_at = at_second(9);
    ASSERT_OK(sessions().put(all));
    commit();
    const auto reading = world().reading();
    using Ids = std::vector<std::string>;
    for (const char* user : {"", "ada"}) {
        EXPECT_EQ(ids(reading->sessions().list({user, "", 2})), (Ids{"a", "c"}));
        EXPECT_EQ(ids(reading->sessions().list({user, "", 9, true})), (Ids{"a", "b", "c"}));
    }
}

TEST_P(Sessions, tell_whose_timeout_comes_and_has_come) {
    EXPECT_FALSE(sessions().next_timeout()->has_value());
    std::vector<model::Session> all{session("never"), session("late"), session("early"), session("now")};
    all[1].timeout_due_at = at_second(30);
    all[2].timeout_due_at = at_second(10);
    all[3].timeout_due_at = at_second(20);
    ASSERT_OK(sessions().put(all));
    EXPECT_EQ(*sessions().next_timeout(), at_second(10));
    using Ids = std::vector<std::string>;
    EXPECT_EQ(*sessions().timed_out(at_second(20), 10), (Ids{"early", "now"}));
    EXPECT_EQ(*sessions().timed_out(at_second(20), 1), (Ids{"early"}));
    all[2].timeout_due_at.reset();
    ASSERT_OK(sessions().put(all));
    EXPECT_EQ(*sessions().next_timeout(), at_second(20));
}

TEST_P(Sessions, keep_reminders_until_they_are_removed) {
    model::Reminder by_turn{uuid_of(2, 4), "s1", "ada", 7, 0, {}, at_second(2)};
    model::Reminder by_context{uuid_of(1, 4), "s1", "ada", 0, 0.1 + 0.2, model::RawJson::trusted(R"({"a":1})"),
                               at_second(3)};
    model::Reminder elsewhere = by_turn;
    elsewhere.id = uuid_of(3, 4);
    elsewhere.session_id = "s2";
    for (const model::Reminder& one : {by_context, by_turn, elsewhere}) ASSERT_OK(sessions().add_reminder(one));
    auto found = sessions().reminders("s1");
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), 2U);
    EXPECT_EQ(found->at(0).id, by_turn.id) << "the oldest first";
    EXPECT_EQ(found->at(0).due_turn, 7);
    EXPECT_EQ(found->at(0).context_above, 0.0);
    EXPECT_EQ(found->at(1).context_above, 0.1 + 0.2);
    EXPECT_EQ(found->at(1).payload, by_context.payload);
    EXPECT_EQ(found->at(1).user_id, "ada");
    EXPECT_EQ(found->at(1).session_id, "s1");
    EXPECT_EQ(found->at(1).created_at, at_second(3));
    ASSERT_OK(sessions().remove_reminder(by_turn.id));
    ASSERT_OK(sessions().remove_reminder(by_turn.id));
    EXPECT_EQ(sessions().reminders("s1")->size(), 1U);
    EXPECT_EQ(sessions().reminders("s2")->size(), 1U);
}

TEST_P(Sessions, of_an_erased_user_go_with_all_that_belongs_to_them_and_others_stay) {
    for (const std::string user : {"ada", "bob"}) {
        const std::uint64_t first = user == "ada" ? 100 : 200;
        std::vector<model::Session> his{session(user + "1", user), session(user + "2", user)};
        ASSERT_OK(sessions().put(his));
        for (std::uint64_t i = 0; i < 6; ++i) {
            const std::string& id = his[i % 2].id;
            ASSERT_OK(sessions().add_node(node(first + i, id)));
            ASSERT_OK(sessions().add_message(message(first + i, first + i, id)));
            ASSERT_OK(sessions().add_reminder({uuid_of(first + i, 4), id, user, 1, 0, {}, at_second(1)}));
            model::Notification told = notification(static_cast<std::int64_t>(first + i));
            told.scope = {"somebody", id, ""};
            insert({told});
            model::WaitingRow row;
            row.ordinal = static_cast<std::int64_t>(first + i);
            row.scope = {"somebody", id, ""};
            ASSERT_OK(waiting().insert(std::vector{row}));
        }
    }
    ASSERT_OK(sessions().add_reminder({uuid_of(999, 4), "bob1", "ada", 1, 0, {}, at_second(1)}));
    std::uint64_t gone = 0;
    for (int slices = 0; slices < 100; ++slices) {
        const auto erased = sessions().erase_user("ada", 7);
        ASSERT_OK(erased);
        EXPECT_LE(*erased, 7U);
        if (*erased == 0) break;
        gone += *erased;
    }
    EXPECT_EQ(gone, 6U * 4 + 2 + 1);
    for (const char* table : {"context_nodes", "messages", "reminders", "notifications"}) {
        EXPECT_EQ(rows_in(table), 6) << table;
    }
    EXPECT_EQ(rows_in("waiting_rows"), 12) << "they are somebody else's";
    EXPECT_EQ(rows_in("sessions"), 2);
    EXPECT_EQ(*sessions().erase_user("ada", 7), 0U);
    EXPECT_EQ(sessions().reminders("bob1")->size(), 3U);
}

TEST_P(History, is_the_way_from_the_root_to_the_head_or_to_a_leaf) {
    grow_tree();
    commit();
    const auto reading = world().reading();
    ports::SessionReading& history = reading->sessions();
    EXPECT_EQ(shape(history.path("s1", std::nullopt, 100, plenty)), "1[1,2,]2[]3[3,]");
    EXPECT_EQ(shape(history.path("s1", std::nullopt, 2, plenty)), "2[]3[3,]") << "the last ones";
    EXPECT_EQ(shape(history.path("s1", std::nullopt, 0, plenty)), "");
    EXPECT_EQ(shape(history.path("s1", at_node(uuid_of(4, 2)), 100, plenty)), "1[1,2,]4[4,]");
    EXPECT_EQ(shape(history.path("s2", std::nullopt, 100, plenty)), "9[5,]");
    EXPECT_EQ(shape(history.path("none", std::nullopt, 100, plenty)), "");
    const auto foreign = history.path("s1", at_node(uuid_of(9, 2)), 100, plenty);
    ASSERT_FALSE(foreign.ok());
    EXPECT_EQ(foreign.error().code, base::Code::not_found);
    EXPECT_EQ(foreign.error().field, "node");
}

TEST_P(History, is_the_whole_tree_in_the_order_of_its_growth) {
    grow_tree();
    commit();
    const auto reading = world().reading();
    ports::SessionReading& history = reading->sessions();
    EXPECT_EQ(shape(history.tree("s1", std::nullopt, 100, plenty)), "1[1,2,]2[]4[4,]3[3,]");
    EXPECT_EQ(shape(history.tree("s1", std::nullopt, 2, plenty)), "1[1,2,]2[]");
    EXPECT_EQ(shape(history.tree("s1", at_node(uuid_of(2, 2)), 100, plenty)), "4[4,]3[3,]");
    EXPECT_EQ(shape(history.tree("s1", at_node(uuid_of(3, 2)), 100, plenty)), "");
    EXPECT_EQ(shape(history.tree("none", std::nullopt, 100, plenty)), "");
    const auto foreign = history.tree("s1", at_node(uuid_of(9, 2)), 100, plenty);
    ASSERT_FALSE(foreign.ok());
    EXPECT_EQ(foreign.error().code, base::Code::not_found);
    EXPECT_EQ(foreign.error().field, "after");
}

TEST_P(History, comes_in_pages_of_so_many_nodes) {
    grow_tree();
    commit();
    EXPECT_EQ(pages(ports::HistoryShape::path, 2, plenty), "2[]3[3,]|1[1,2,]");
    EXPECT_EQ(pages(ports::HistoryShape::path, 3, plenty), "1[1,2,]2[]3[3,]");
    EXPECT_EQ(pages(ports::HistoryShape::tree, 2, plenty), "1[1,2,]2[]|4[4,]3[3,]");
}

TEST_P(History, holds_no_more_than_fits_and_goes_on_inside_of_a_node_that_alone_is_too_large) {
    model::Session mine = session("s1");
    mine.head.uuid = uuid_of(3, 2);
    ASSERT_OK(sessions().put(std::vector{mine}));
    for (const std::uint64_t n : {1U, 2U, 3U}) add(node(n, "s1", n - 1));
    for (std::uint64_t n = 1; n <= 8; ++n) {
        model::SessionMessage said = message(n, n < 3 ? 1 : n < 8 ? 2 : 3);
        said.content = std::string(n == 5 ? 5000 : 1000, 'x');
        add(said);
    }
    commit();
    EXPECT_EQ(pages(ports::HistoryShape::path, 100, 2500), "3[8,]|2[6,7,]|2[5,]|2[3,4,]|1[1,2,]");
    EXPECT_EQ(pages(ports::HistoryShape::tree, 100, 2500), "1[1,2,]|2[3,4,]|2[5,]|2[6,7,]|3[8,]");
    EXPECT_EQ(pages(ports::HistoryShape::tree, 100, 12'000), "1[1,2,]2[3,4,5,6,7,]|3[8,]");
}

TEST_P(History, keeps_nodes_and_messages_as_they_were) {
    model::SessionMessage said = message(1, 2);
    said.role = model::MessageRole::tool;
    said.content = std::string(100'000, 'm') + odd_text;
    said.metadata = model::RawJson::trusted(R"({"k":"v"})");
    ASSERT_OK(sessions().put(std::vector{session("s1")}));
    add(node(1));
    add(node(2, "s1", 1));
    add(said);
    const auto found = sessions().find_node("s1", {uuid_of(2, 2)});
    ASSERT_TRUE(found.ok() && found->has_value());
    EXPECT_EQ((*found)->parent, model::NodeId{uuid_of(1, 2)});
    EXPECT_EQ((*found)->created_at, at_second(5));
    EXPECT_EQ((*found)->system_messages.bytes(), "[]");
    EXPECT_FALSE((*sessions().find_node("s1", {uuid_of(1, 2)}))->parent.has_value());
    EXPECT_FALSE(sessions().find_node("s2", {uuid_of(2, 2)})->has_value()) << "of another session";
    commit();
    const auto tree = world().reading()->sessions().tree("s1", at_node(uuid_of(1, 2)), 10, plenty);
    ASSERT_OK(tree);
    ASSERT_EQ(tree->nodes.size(), 1U);
    ASSERT_EQ(tree->nodes.front().messages.size(), 1U);
    const model::SessionMessage& seen = tree->nodes.front().messages.front();
    EXPECT_EQ(seen.id, said.id);
    EXPECT_EQ(seen.node, said.node);
    EXPECT_EQ(seen.session_id, "s1");
    EXPECT_EQ(seen.role, said.role);
    EXPECT_TRUE(seen.content == said.content);
    EXPECT_EQ(seen.metadata, said.metadata);
    EXPECT_EQ(seen.created_at, said.created_at);
}

TEST_P(History, holds_system_messages_as_valid_json_after_many_were_added) {
    add(node(1));
    add(node(2));
    std::vector<std::string> contents;
    for (int i = 0; i < 100; ++i) {
        contents.push_back(std::to_string(i) + odd_text + std::string(i == 50 ? 100'000 : 10, 'x'));
    }
    const auto json_of = [&](int i) {
        model::SystemMessage said;
        said.ordinal = i;
        said.content = contents[static_cast<std::size_t>(i)];
        std::string out;
        model::append_system_message_json(out, said);
        return out;
    };
    const model::NodeId first{uuid_of(1, 2)};
    const model::NodeId second{uuid_of(2, 2)};
    using Added = std::vector<ports::SessionTable::SystemMessages>;
    for (int i = 0; i < 96; i += 4) {
        ASSERT_OK(sessions().append_system_messages(
            Added{{first, json_of(i)}, {first, json_of(i + 1) + "," + json_of(i + 2)}, {first, json_of(i + 3)}}));
    }
    ASSERT_OK(sessions().append_system_messages(Added{{second, json_of(96) + "," + json_of(97)}, {second, ""}}));
    ASSERT_OK(sessions().append_system_messages({}));
    reopen();
    const auto count_valid = [&](const model::NodeId& id, int from) {
        const auto found = sessions().find_node("s1", id);
        EXPECT_OK(found);
        const std::string& text = (*found)->system_messages.bytes();
        EXPECT_OK(codec::validate(text));
        model::JsonWalker walker(model::JsonView{text});
        int at = from;
        while (const auto one = walker.next()) {
            EXPECT_EQ(one->member("content")->as_text(), contents[static_cast<std::size_t>(at)]);
            ++at;
        }
        return at;
    };
    EXPECT_EQ(count_valid(first, 0), 96);
    EXPECT_EQ(count_valid(second, 96), 98);
}

TEST_P(History, find_the_record_of_a_notification_from_the_newest_node_on) {
    ASSERT_OK(sessions().put(std::vector{session("s1")}));
    const auto record_of = [](std::uint64_t number) {
        model::SystemMessage said;
        said.notification_id = uuid_of(number, 9);
        std::string out;
        model::append_system_message_json(out, said);
        return out;
    };
    using Added = std::vector<ports::SessionTable::SystemMessages>;
    for (std::uint64_t number = 1; number <= 20; ++number) {
        model::ContextNode made = node(number, number == 20 ? "s2" : "s1");
        made.created_at = at_second(static_cast<std::int64_t>(number));
        ASSERT_OK(sessions().add_node(made));
        ASSERT_OK(sessions().append_system_messages(Added{{made.id, record_of(number)}}));
    }
    const auto node_of = [&](std::uint64_t number, std::int64_t since) {
        const auto found = sessions().find_system_message("s1", uuid_of(number, 9), at_second(since));
        return *found ? (*found)->id.uuid : base::Uuid{};
    };
    EXPECT_EQ(node_of(19, 19), uuid_of(19, 2));
    EXPECT_EQ(node_of(3, 3), uuid_of(3, 2)) << "some pages further back";
    EXPECT_EQ(node_of(3, 4), uuid_of(3, 2)) << "the head of that time was opened before";
    EXPECT_TRUE(node_of(3, 5).is_nil()) << "and no further";
    EXPECT_TRUE(node_of(20, 1).is_nil()) << "of another session";
    model::ContextNode changed = **sessions().find_node("s1", {uuid_of(3, 2)});
    changed.system_messages = model::RawJson::trusted("[]");
    ASSERT_OK(sessions().put_system_messages(changed));
    EXPECT_EQ((*sessions().find_node("s1", changed.id))->system_messages.bytes(), "[]");
    EXPECT_TRUE(node_of(3, 1).is_nil());
    EXPECT_EQ(node_of(4, 1), uuid_of(4, 2)) << "the others are as they were";
}

}  // namespace
}  // namespace belfry::store::testing
