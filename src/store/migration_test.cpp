#include <fstream>
#include <iterator>

#include "store/journal_world_test.hpp"
#include "store/memory_world_test.hpp"
#include "store/notification_world_test.hpp"
#include "store/row_reader.hpp"
#include "store/schema.hpp"
#include "store/sqlite_check.hpp"
#include "store/sqlite_copy.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

class Migrations : public StoreSuite {};
BELFRY_ON_BOTH_DATABASES(Migrations);

std::string kept_store(std::int64_t version) {
    return std::string(BELFRY_SOURCE_DIR "/tests/stores/v") + std::to_string(version) + ".sqlite";
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::string odd_bytes("nul\0and \xff\xfe", 10);

// A row of each table of schema 2.
void fill_notifications(SqlStore& store) {
    model::WaitingRow row;
    row.ordinal = 4;
    row.event_json = R"({"id":1})";
    ASSERT_OK(store.waiting().insert(std::vector{row}));
    ASSERT_OK(store.notifications().insert(std::vector{notification(11)}));
    model::Session kept = session("s1");
    kept.head.uuid = uuid_of(1, 2);
    ASSERT_OK(store.sessions().put(std::vector{kept}));
    ASSERT_OK(store.sessions().add_node(node(1)));
    ASSERT_OK(store.sessions().append_system_messages(
        std::vector<ports::SessionTable::SystemMessages>{{{uuid_of(1, 2)}, R"({"a":1})"}}));
    ASSERT_OK(store.sessions().add_message(message(1, 1)));
    ASSERT_OK(store.sessions().add_reminder({uuid_of(1, 4), "s1", "ada", 7, 0.8, {}, at_second(2)}));
    ASSERT_OK(store.settings().put({"ada", {"budget"}}));
}

void expect_notifications(SqlStore& store, ports::Reading& reading) {
    ASSERT_EQ(store.waiting().load()->size(), 1U);
    EXPECT_EQ(store.waiting().load()->at(0).event_json, R"({"id":1})");
    EXPECT_EQ((*store.notifications().find(notification(11).id))->lease, 1) << "as if it was made today";
    EXPECT_EQ((*reading.notifications().find(notification(11).id))->content, "content 11");
    const auto path = reading.sessions().path("s1", std::nullopt, 10, 1 << 20);
    ASSERT_OK(path);
    ASSERT_EQ(path->nodes.size(), 1U);
    EXPECT_EQ(path->nodes.at(0).node.system_messages.bytes(), R"([{"a":1}])");
    EXPECT_EQ(path->nodes.at(0).messages.at(0).content, "message 1");
    EXPECT_EQ(store.sessions().reminders("s1")->at(0).context_above, 0.8);
    EXPECT_EQ(reading.sessions().settings("ada")->disabled_subscribers, (std::vector<std::string>{"budget"}));
}

// The tables of schema 2 in a ledger that came from schema 1.
void expect_no_notifications(SqlStore& store, ports::Reading& reading) {
    EXPECT_TRUE(store.waiting().load()->empty());
    EXPECT_EQ(*store.notifications().next_ordinal(), 1);
    EXPECT_TRUE(reading.notifications().figures({})->by_state.empty());
    EXPECT_TRUE(reading.sessions().list({"", "", 10})->empty());
    EXPECT_TRUE(store.settings().load()->empty());
}

// A row of each table and column that schema 3 adds.
void fill_delivery(Scribe& scribe) {
    SqlStore& store = scribe.store();
    scribe.add_stream(3, "inbox:ada", model::RetentionClass::delivery);
    scribe.append(3, "delivered");
    model::Notification said = for_an_agent_to_say(12);
    said.emitter = "token:build";
    said.deduplication_key = "build";
    said.metadata = model::RawJson::trusted(R"({"a":1})");
    said.deadline = at_second(300);
    said.caused_by = notification(11).id;
    model::Notification shown = alert(13);
    shown.fact = {5, 1, model::FactStatus::shown, at_second(6)};
    ASSERT_OK(store.notifications().insert(std::vector{said, shown}));
    ASSERT_OK(store.notifications().put_facts(std::vector{shown}));
    ASSERT_OK(store.notifications().add_steps(std::vector{
        model::Transition{said.id, 0, at_second(2), {}, model::DeliveryState::locked, 1, "s1", "claimed"}}));
    ASSERT_OK(store.tools().put({"mail", model::Impact::external, "sends", {}, at_second(3)}));
    model::Session aware = session("s2");
    aware.aware_no = 4;
    aware.deleted_at = at_second(5);
    ASSERT_OK(store.sessions().put(std::vector{aware}));
}

void expect_delivery(SqlStore& store, ports::Reading& reading, bool has_facts) {
    EXPECT_EQ(read_all(reading, 3), (std::vector<Seen>{{1, "delivered"}}));
    const auto found = store.notifications().find_key("ada", "build");
    ASSERT_TRUE(found.ok() && found->has_value());
    EXPECT_EQ((*found)->emitter, "token:build");
    EXPECT_EQ((*found)->metadata.bytes(), R"({"a":1})");
    EXPECT_EQ((*found)->caused_by, notification(11).id);
    EXPECT_EQ(reading.notifications().steps((*found)->id)->at(0).reason, "claimed");
    EXPECT_EQ(ordinals(store.notifications().for_interfaces({.user_id = "ada", .limit = 10})), (Ordinals{13}));
    EXPECT_EQ(reading.tools("", 10)->at(0).name, "mail");
    EXPECT_EQ((*reading.sessions().find("s2"))->aware_no, has_facts ? 4 : 0);
    const auto facts = reading.notifications().facts({.user_id = "ada", .session_id = "s3", .after = 0});
    ASSERT_OK(facts);
    ASSERT_EQ(facts->oldest.size(), has_facts ? 1U : 0U);
    if (has_facts) EXPECT_EQ(facts->oldest[0].fact, (model::Fact{5, 1, model::FactStatus::shown, at_second(6)}));
    EXPECT_EQ((*reading.sessions().find("s2"))->deleted_at, at_second(5));
}

// A row of each table and column that schema 4 adds for runs.
void fill_runs(Scribe& scribe) {
    scribe.add_stream(4, "run:1", model::RetentionClass::runs);
    scribe.append(4, "said");
    model::Run run;
    run.id = 1;
    run.root_id = 1;
    run.user_id = "ada";
    run.run_key = "key";
    run.caller = model::CallerContext{"w", model::AgentType::worker, "Wanda", "north"};
    run.hierarchy_id = "team";
    run.state = model::RunState::running;
    run.created_at = at_second(6);
    model::Run gone = run;
    gone.id = 2;
    gone.root_id = 2;
    gone.run_key.clear();
    ASSERT_OK(scribe.store().runs().put(std::vector{run, gone}));
    ASSERT_OK(scribe.store().runs().remove(std::vector<model::RunId>{2}));
}

void expect_runs(SqlStore& store, ports::Reading& reading) {
    EXPECT_EQ(read_all(reading, 4), (std::vector<Seen>{{1, "said"}}));
    EXPECT_EQ(*store.runs().last_id(), 2);
    const auto found = reading.runs().find(1);
    ASSERT_TRUE(found.ok() && found->has_value());
    EXPECT_EQ((*found)->run_key, "key");
    EXPECT_EQ((*found)->caller->agent_name, "Wanda");
}

void expect_no_runs(SqlStore& store) {
    EXPECT_EQ(*store.runs().last_id(), 0);
    EXPECT_TRUE(store.runs().load_open()->empty());
}

// What it adds for people's messages and questions to them.
void fill_words(SqlStore& store) {
    ASSERT_OK(store.user_messages().wait({uuid_of(1, 3)}));
    model::Interaction question;
    question.id.uuid = uuid_of(1, 8);
    question.session_id = "s1";
    question.user_id = "ada";
    question.message = odd_text;
    question.expires_at = at_second(300);
    ASSERT_OK(store.interactions().add(question));
}

void expect_words(SqlStore& store, std::size_t questions) {
    EXPECT_EQ(store.interactions().pending("ada", "", 10)->size(), questions);
    EXPECT_EQ(*store.user_messages().count("s1"), static_cast<std::int64_t>(questions)) << "old ones wait for nobody";
}

// A row of each table that schema 7 adds.
void fill_journal(SqlStore& store) {
    std::vector<model::JournalRecord> records;
    std::vector<ports::JournalTerm> terms;
    for (std::size_t kind = 0; kind < model::journal_kind_count; ++kind) {
        model::JournalRecord record = task(static_cast<std::int64_t>(kind) + 1);
        record.body = model::empty_body(static_cast<model::JournalKind>(kind));
        terms.push_back({"ada", "k:x", record.number, record.category_id, record.kind()});
        records.push_back(std::move(record));
    }
    ASSERT_OK(store.journal().put(records));
    ASSERT_OK(store.journal().add_terms(terms));
    ASSERT_OK(store.journal().put_links(std::vector{link("blocks", "r1", "r2")}));
}

void expect_journal(SqlStore& store, ports::Reading& reading, bool filled) {
    EXPECT_EQ(*reading.journal().holds_anything("ada"), filled);
    EXPECT_EQ(*store.journal().last_number(), filled ? 9 : 0);
    const auto page = reading.journal().list({.user_id = "ada", .terms = {"k:x"}, .limit = 10});
    ASSERT_OK(page);
    EXPECT_EQ(page->records.size(), filled ? 9U : 0U);
    EXPECT_EQ(names(reading.journal().links_after({"ada"}, std::nullopt, 10)), filled ? Ids{"r1 blocks r2"} : Ids{});
}

// A row of each table that schema 8 adds.
void fill_proposals(SqlStore& store) {
    model::ChangeSet set;
    set.id = {uuid_of(1, 9)};
    set.user_id = "ada";
    const auto ordinal = store.change_sets().add(set);
    ASSERT_OK(ordinal);
    model::ChangeItem item;
    item.number = 1;
    item.error_message = odd_text;
    ASSERT_OK(store.change_sets().add_item(*ordinal, item));
}

// Likewise, of tools that somebody outside carries out.
void fill_outside_tools(SqlStore& store) {
    model::ToolInfo tool;
    tool.name = "outside_mail";
    tool.schema = model::RawJson::trusted("{}");
    tool.capabilities = {"a", "b"};
    tool.execution.by = model::ToolRunner::webhook;
    tool.execution.url = odd_text;
    ASSERT_OK(store.tools().put(tool));
    model::OutsideCall call;
    call.id = {uuid_of(1, 8)};
    call.tool_name = "outside_mail";
    call.by = model::ToolRunner::webhook;
    call.user_id = "ada";
    call.action_id = uuid_of(1, 7);
    call.arguments = model::RawJson::trusted(R"({"to":"bob"})");
    ASSERT_OK(store.outside_calls().put(call));
}

void expect_outside_tools(ports::Reading& reading, bool filled) {
    const auto call = reading.outside_calls().find({uuid_of(1, 8)});
    ASSERT_OK(call);
    ASSERT_EQ(call->has_value(), filled);
    const auto tool = reading.tool("outside_mail");
    ASSERT_OK(tool);
    ASSERT_EQ(tool->has_value(), filled);
    if (!filled) return;
    EXPECT_EQ((*call)->arguments.bytes(), R"({"to":"bob"})");
    EXPECT_EQ((*tool)->execution.url, odd_text);
    EXPECT_EQ((*tool)->capabilities, (std::vector<std::string>{"a", "b"}));
}

void expect_proposals(ports::Reading& reading, bool filled) {
    const auto found = reading.change_sets().find({uuid_of(1, 9)});
    ASSERT_OK(found);
    ASSERT_EQ(found->has_value(), filled);
    if (filled) EXPECT_EQ((*found)->items.at(0).error_message, odd_text);
}

std::vector<std::string> no_words(const model::AgentMessage&) {
    return {};
}

// A row of each table that schema 10 adds.
void fill_memory(SqlStore& store) {
    model::AgentRecord agent = agent_of("keeper", "ada");
    agent.agent.memory.hot_messages = 7;
    agent.agent.memory.model = odd_text;
    ASSERT_OK(store.agents().put(std::vector{agent}));
    ASSERT_OK(store.agent_messages().add(std::vector{remembered(1, "keeper:run:k")}));
    ASSERT_OK(store.memory().add_words(std::vector<ports::MemoryTable::Words>{{1, "keeper", {"number", "\xC3\xBC"}}}));
    ASSERT_OK(store.memory().put_thread(agent_thread("keeper:run:k", 7)));
    ASSERT_OK(store.memory().add_summary(summary_place(10, 2, "keeper")));
    ASSERT_OK(store.memory().put_job(fold_job(1, "keeper:run:k")));
}

void expect_memory(SqlStore& store, ports::Reading& reading, bool filled) {
    ports::MemoryQuestions& memory = reading.memory().questions();
    const auto found = memory.recall(words_of_agent("keeper", {"\xC3\xBC"}));
    EXPECT_EQ(positions(found), filled ? Positions{1} : Positions{});
    EXPECT_EQ(*memory.thread("keeper:run:k"), filled ? std::optional(agent_thread("keeper:run:k", 7)) : std::nullopt);
    EXPECT_EQ(positions(memory.unfolded("keeper")), filled ? Positions{10} : Positions{});
    EXPECT_EQ(*memory.job(uuid_of(1, 6)), filled ? std::optional(fold_job(1, "keeper:run:k")) : std::nullopt);
    EXPECT_EQ(*store.memory().index_more(10, no_words), 0U) << "nothing is older than its index";
    if (!filled) return;
    const auto agent = reading.agents().find("keeper");
    ASSERT_TRUE(agent.ok() && agent->has_value());
    EXPECT_EQ((*agent)->agent.memory.hot_messages, 7);
    EXPECT_EQ((*agent)->agent.memory.model, odd_text);
}

// A row of each table and column that schema 11 adds.
void fill_devices(SqlStore& store) {
    ports::SyncTable& sync = store.sync();
    ports::KnownRecord known{"task", "t1", "ada", {}};
    ASSERT_OK(known.knowledge.clock.raise("d.1", 3));
    known.knowledge.stamps["title"] = {2, "d.1", 3};
    ASSERT_OK(sync.put_knowledge(std::vector{known}));
    ASSERT_OK(sync.put_seal({"d.1", "key", odd_text}));
    ASSERT_OK(sync.put_floor("d.1", 2));
    ASSERT_OK(sync.put_missing(std::vector<ports::MissingChange>{{"d.1", 5, "p1", at_second(1)}}));
    ASSERT_OK(sync.add_forgotten(std::vector<ports::SyncTable::Forgotten>{{uuid_of(1, 9), "keeper", "ada"}}));
    const ports::SyncTable::Plain mark{"read_mark", "n1", "ada", model::RawJson::trusted("{}"), at_second(2)};
    ASSERT_OK(sync.put_plain(std::vector{mark}));
    model::MergeNote note;
    note.number = 3;
    note.field = odd_text;
    ASSERT_OK(sync.add_notes(std::vector{note}));
    model::Peer peer;
    peer.id = "p1";
    peer.name = odd_text;
    ASSERT_OK(sync.put_peer(peer));
}

void expect_devices(SqlStore& store, ports::Reading& reading, bool filled) {
    using Names = std::vector<std::pair<std::string, std::string>>;
    const auto status = reading.sync().status();
    ASSERT_OK(status);
    EXPECT_EQ(status->merges, filled ? 3 : 0);
    ASSERT_EQ(status->peers.size(), filled ? 1U : 0U);
    ASSERT_EQ(status->missing.size(), filled ? 1U : 0U);
    EXPECT_EQ(store.sync().forgotten_after({}, 10)->size(), filled ? 1U : 0U);
    EXPECT_EQ(store.sync().plain(Names{{"read_mark", "n1"}})->size(), filled ? 1U : 0U);
    const auto known = store.sync().knowledge(Names{{"task", "t1"}});
    ASSERT_OK(known);
    ASSERT_EQ(known->size(), filled ? 1U : 0U);
    if (!filled) return;
    EXPECT_EQ(known->front().knowledge.stamps.at("title"), (model::Stamp{2, "d.1", 3}));
    EXPECT_EQ(status->hosts, (std::vector<ports::HostPlace>{{"d.1", 0, 2, model::HostSeal{"d.1", "key", odd_text}}}));
    EXPECT_EQ(status->peers.front().name, odd_text);
    EXPECT_EQ(status->missing.front().counter, 5U);
    EXPECT_EQ(reading.sync().notes(0, 10)->at(0).field, odd_text);
}

// A context value and a correction of the clock, which schema 14 adds.
void fill_context(SqlStore& store) {
    model::ContextValue value;
    value.key = {"build.progress", {"ada", "s1", "coder"}};
    value.content = odd_text;
    value.set_at = at_second(1);
    value.expires_at = at_second(100);
    ASSERT_OK(store.context_values().put(value));
    ports::ClockCorrection correction;
    correction.noticed_at = at_second(2);
    correction.set_back = base::hours(9);
    ASSERT_OK(store.clock().add(correction));
}

void expect_context(SqlStore& store, ports::Reading& reading, bool filled) {
    const auto value = reading.context_values().find({"build.progress", {"ada", "s1", "coder"}}, at_second(3));
    ASSERT_OK(value);
    ASSERT_EQ(value->has_value(), filled);
    const auto run = reading.runs().find(1);
    ASSERT_OK(run);
    if (run->has_value()) EXPECT_EQ((*run)->hierarchy_id, filled ? "team" : "");
    const auto corrections = store.clock().corrections();
    ASSERT_OK(corrections);
    ASSERT_EQ(corrections->size(), filled ? 1U : 0U);
    if (!filled) return;
    EXPECT_EQ((*value)->content, odd_text);
    EXPECT_EQ(corrections->front().set_back, base::hours(9));
}

// What every kept store holds: entries behind and before the index, gone ones, and a row of each table.
void fill(Scribe& scribe) {
    scribe.open_with_streams();
    for (int i = 1; i <= 12; ++i) scribe.write(1, "event " + std::to_string(i), at_second(i));
    scribe.write(2, odd_bytes);
    scribe.begin();
    ASSERT_OK(scribe.log().drop(model::RetentionClass::events, at_second(4), 1 << 20, 100));
    model::AccessToken token;
    token.id = "t1";
    token.secret_hash = base::sha256("secret");
    token.name = "kept";
    token.role = model::Role::service;
    token.bounds.users = {"ada"};
    ASSERT_OK(scribe.store().tokens().put(token));
    ports::Obligation owed;
    owed.id.bytes[0] = 7;
    owed.kind = "erase_user";
    owed.detail = model::RawJson::trusted(R"({"user_id":"ada"})");
    owed.progress = model::RawJson::trusted("{}");
    owed.due_at = at_second(9);
    ASSERT_OK(scribe.store().outbox().put(owed));
    ASSERT_OK(scribe.store().idempotency().put({{"key", odd_bytes, "answer"}}, at_second(8)));
    fill_notifications(scribe.store());
    fill_delivery(scribe);
    fill_runs(scribe);
    fill_words(scribe.store());
    fill_journal(scribe.store());
    fill_proposals(scribe.store());
    fill_outside_tools(scribe.store());
    fill_memory(scribe.store());
    fill_devices(scribe.store());
    fill_context(scribe.store());
    scribe.commit();
}

void expect_filled(Scribe& scribe, ports::Reading& reading, std::int64_t filled_by = newest_schema_version()) {
    if (filled_by >= 2) expect_notifications(scribe.store(), reading);
    else expect_no_notifications(scribe.store(), reading);
    if (filled_by >= 3) expect_delivery(scribe.store(), reading, filled_by >= 12);
    if (filled_by >= 4) expect_runs(scribe.store(), reading);
    else expect_no_runs(scribe.store());
    expect_words(scribe.store(), filled_by >= 4 ? 1 : 0);
    expect_journal(scribe.store(), reading, filled_by >= 7);
    expect_proposals(reading, filled_by >= 8);
    expect_outside_tools(reading, filled_by >= 9);
    expect_memory(scribe.store(), reading, filled_by >= 10);
    expect_devices(scribe.store(), reading, filled_by >= 11);
    expect_context(scribe.store(), reading, filled_by >= 14);
    const auto events = read_all(reading, 1);
    ASSERT_EQ(events.size(), 9U);
    for (const Seen& seen : events) EXPECT_EQ(seen.body, "event " + std::to_string(seen.sequence));
    EXPECT_EQ(events.front().sequence, 4U);
    EXPECT_EQ(read_all(reading, 2), (std::vector<Seen>{{1, odd_bytes}}));
    EXPECT_EQ(scribe.next_position(), filled_by >= 4 ? 16U : filled_by >= 3 ? 15U : 14U);
    const auto tokens = scribe.store().tokens().load();
    ASSERT_OK(tokens);
    ASSERT_EQ(tokens->size(), 1U);
    EXPECT_EQ(tokens->at(0).secret_hash, base::sha256("secret"));
    EXPECT_EQ(tokens->at(0).bounds.users, (std::vector<std::string>{"ada"}));
    EXPECT_EQ(*scribe.store().outbox().next_due(), at_second(9));
    const auto answers = scribe.store().idempotency().find({"key"}, at_second(0));
    ASSERT_OK(answers);
    ASSERT_EQ(answers->size(), 1U);
    EXPECT_EQ(answers->at(0).fingerprint, odd_bytes);
}

// Run once for a new schema version, before it is released: --gtest_also_run_disabled_tests
// --gtest_filter=KeptStores.*. What is kept already stays as it is.
TEST(KeptStores, DISABLED_are_made_for_this_version) {
    if (std::filesystem::exists(kept_store(newest_schema_version()))) GTEST_SKIP() << "it is there already";
    StoreWorld world(Backend::sqlite);
    {
        Scribe scribe(world, {3, 1 << 20});
        fill(scribe);
    }
    ASSERT_OK(copy_database(world.location().sqlite_path, kept_store(newest_schema_version())));
}

TEST(KeptStores, of_every_version_open_with_all_their_content) {
    for (std::int64_t version = 1; version <= newest_schema_version(); ++version) {
        SCOPED_TRACE("schema version " + std::to_string(version));
        ASSERT_TRUE(std::filesystem::exists(kept_store(version))) << "make it, see KeptStores";
        StoreWorld world(Backend::sqlite);
        const std::string& path = world.location().sqlite_path;
        std::filesystem::copy_file(kept_store(version), path);
        EXPECT_EQ(check_database(path, Integrity::quick)->schema_version, version);
        Scribe scribe(world, {3, 1 << 20});
        scribe.open();
        expect_filled(scribe, *world.reading(), version);
        EXPECT_EQ(world.reading()->figures()->schema_version, newest_schema_version());
        const std::string copy = path + ".before-v" + std::to_string(newest_schema_version());
        EXPECT_EQ(std::filesystem::exists(copy), version < newest_schema_version());
        scribe.write(1, "event 13");
        EXPECT_EQ(read_all(*world.reading(), 1).back(), (Seen{13, "event 13"}));
    }
}

TEST_P(Migrations, keep_all_content_over_a_reopening) {
    {
        Scribe scribe(world(), {3, 1 << 20});
        fill(scribe);
    }
    Scribe scribe(world(), {3, 1 << 20});
    scribe.open();
    expect_filled(scribe, *world().reading());
}

// Schema 13 notes where the clock was set back in a log that an earlier version wrote.
TEST_P(Migrations, find_the_clock_steps_of_a_log_of_before) {
    const auto id = [](std::int64_t second) { return base::make_uuid7(at_second(second), 1, 1); };
    const std::vector<std::int64_t> seconds{100, 101, 102, 40, 41, 42, 43};
    {
        Scribe scribe(world(), {3, 1 << 20});
        scribe.open_with_streams();
        for (const std::int64_t second : seconds) {
            scribe.write(1, R"({"id":")" + base::format_uuid(id(second)) + R"("})", at_second(second));
        }
        ASSERT_OK(scribe.store().database().script(
            "DROP TABLE clock_steps; ALTER TABLE agent_plans DROP COLUMN given; "
            "ALTER TABLE runs DROP COLUMN hierarchy_id; DROP TABLE context_values; "
            "DROP INDEX agent_threads_unsummarized; DROP INDEX merge_notes_record; "
            "DROP TABLE clock_state; DROP TABLE clock_corrections; "
            "DROP TABLE timer_spans; DROP TABLE moved_wake_times; "
            "ALTER TABLE agent_states DROP COLUMN wake_said_at; ALTER TABLE agent_states DROP COLUMN sleep_said_at; "
            "DELETE FROM schema_versions WHERE version >= 13"));
    }
    Scribe scribe(world(), {3, 1 << 20});
    scribe.open();
    for (const std::int64_t second : seconds) {
        EXPECT_TRUE(world().reading()->event({id(second)})->has_value()) << second;
    }
}

TEST_P(Migrations, refuse_a_store_that_is_newer_than_the_program) {
    {
        Scribe scribe(world());
        fill(scribe);
        static constexpr Sql from_the_future{"INSERT INTO schema_versions VALUES ($1, $2)"};
        ASSERT_OK(scribe.store().database().run(from_the_future, {number(std::int64_t{999}), bytes("future")}));
    }
    const std::string before = bytes_of(world().location().sqlite_path);
    const auto store = world().store();
    const auto opened = store->open();
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, base::Code::unsupported);
    EXPECT_NE(opened.error().message.find("schema version 999"), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().message.find("newer Belfry"), std::string::npos) << opened.error().message;
    EXPECT_FALSE(store->is_open());
    EXPECT_TRUE(bytes_of(world().location().sqlite_path) == before) << "not even its header";
    EXPECT_EQ(world().reading()->figures()->epoch, 1U) << "left untouched";
}

TEST_P(Migrations, bring_a_ledger_of_version_1_forward_with_what_it_holds) {
    {
        const auto options = writer_options(world().location(), {});
        auto old = options.connect();
        ASSERT_OK(old);
        const auto none = [](std::int64_t) -> base::Result<void> { return {}; };
        ASSERT_OK(migrate(**old, migrations().first(1), none));
        static constexpr Sql ledger{"INSERT INTO ledger (id, epoch, commit_no, store_id) VALUES (1, 5, 6, $1)"};
        static constexpr Sql stream{
            "INSERT INTO streams (stream_id, name, owner, retention, head, floor) VALUES (1, $1, $1, 0, 0, 0)"};
        ASSERT_OK((*old)->run(ledger, {bytes("0123456789abcdef")}));
        ASSERT_OK((*old)->run(stream, {bytes("events")}));
    }
    Scribe scribe(world());
    scribe.open();
    EXPECT_EQ(scribe.store().epoch(), 6);
    EXPECT_EQ(world().reading()->figures()->schema_version, newest_schema_version());
    EXPECT_EQ(world().reading()->streams()->size(), 1U);
    expect_no_notifications(scribe.store(), *world().reading());
    scribe.begin();
    fill_notifications(scribe.store());
    scribe.commit();
    expect_notifications(scribe.store(), *world().reading());
}

// As schema 2 wrote a notification that nobody had taken yet.
void insert_as_of_version_2(Database& database, std::int64_t ordinal, model::Target target, model::Handler handler) {
    static constexpr Sql old_row{
        "INSERT INTO notifications (ordinal, notification_id, queue, user_id, session_id, agent_id, subscriber_id, "
        "priority, due_class, severity, address, target, handler, follow_up, model_tokens, version, created_at, state, "
        "outcome, handle, handed_to, lease, holder, passed_over, event_rows, events_json, content, human_text, "
        "directive) VALUES ($1, $2, $3, $4, $5, $6, $6, 2, 9, 1, 0, $7, $8, 0, 1, 1, $9, 0, $6, 0, $6, 0, $6, 0, 1, "
        "$10, $6, $6, $6)"};
    const base::Uuid id = uuid_of(static_cast<std::uint64_t>(ordinal));
    const Param queue = target == model::Target::agent ? bytes("ss1") : Param{};
    ASSERT_OK(database.run(old_row, {number(ordinal), bytes(id), queue, bytes("ada"), bytes("s1"), bytes(""),
                                     choice(target), choice(handler), number(at_second(ordinal)), bytes("[]")}));
}

TEST_P(Migrations, bring_what_waits_in_a_ledger_of_version_2_under_the_protocol) {
    {
        const auto options = writer_options(world().location(), {});
        auto old = options.connect();
        ASSERT_OK(old);
        const auto none = [](std::int64_t) -> base::Result<void> { return {}; };
        ASSERT_OK(migrate(**old, migrations().first(2), none));
        insert_as_of_version_2(**old, 1, model::Target::agent, model::Handler::system);
        insert_as_of_version_2(**old, 2, model::Target::user, model::Handler::system);
        insert_as_of_version_2(**old, 3, model::Target::user, model::Handler::agent);
    }
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    ports::NotificationTable& table = scribe.store().notifications();
    EXPECT_EQ(ordinals(table.due(question())), (Ordinals{1, 3})) << "an agent can come for what it is to say";
    EXPECT_EQ((*table.find({uuid_of(1)}))->lease, 1);
    EXPECT_EQ(ordinals(table.for_interfaces({.user_id = "ada", .limit = 10})), (Ordinals{2}));
    const base::Timestamp soon = at_second(3) + base::limits::agent_ttl_default;
    EXPECT_EQ(*table.next_deadline(), soon) << "what an agent was to say, and no agent ever got";
    EXPECT_EQ(ordinals(table.overdue(soon, 10)), (Ordinals{3}));
    EXPECT_EQ((*table.find({uuid_of(2)}))->deadline, at_second(2) + base::limits::interface_wait_max);
    EXPECT_EQ((*table.find({uuid_of(1)}))->deadline, at_second(1) + base::limits::passive_ttl_default);
    scribe.rollback();
}

// As schema 11 wrote a notification that the user has acknowledged.
void insert_as_of_version_11(Database& database, std::int64_t ordinal, std::string_view session,
                             std::int64_t shown_at) {
    static constexpr Sql old_row{
        "INSERT INTO notifications (ordinal, notification_id, user_id, session_id, agent_id, subscriber_id, priority, "
        "due_class, severity, address, target, handler, follow_up, model_tokens, version, created_at, state, outcome, "
        "ended_at, handle, handed_to, lease, holder, passed_over, event_rows, events_json, content, human_text, "
        "directive, inbox, shown_at, seen_at) VALUES ($1, $2, $3, $4, $5, $5, 2, 9, 1, 0, 0, 0, 0, 1, 7, $6, 4, $5, "
        "$6, 0, $5, 1, $5, 0, 1, $7, $5, $5, $5, 0, $6, $6)"};
    const base::Uuid id = uuid_of(static_cast<std::uint64_t>(ordinal));
    ASSERT_OK(database.run(old_row, {number(ordinal), bytes(id), bytes("ada"), bytes(session), bytes(""),
                                     number(at_second(shown_at)), bytes("[]")}));
}

// As schema 11 wrote a session whose agent was told what the user was shown up to a time, or (0) nothing yet.
void insert_session_as_of_version_11(Database& database, std::string_view id, std::int64_t aware_until,
                                     std::int64_t created_at) {
    static constexpr Sql old_row{
        "INSERT INTO sessions (session_id, user_id, user_is_default, agent_id, title, metadata_json, budget_json, "
        "progress_json, head_node, head_system_messages, next_handle, next_message, turns_started, aware_until, "
        "created_at, updated_at) VALUES ($1, $2, 0, $3, $3, $4, $4, $5, $6, 0, 1, 1, 0, $7, $8, $8)"};
    const Param until = aware_until > 0 ? number(at_second(aware_until)) : Param{};
    ASSERT_OK(database.run(old_row, {bytes(id), bytes("ada"), bytes(""), bytes("{}"), bytes(R"({"aware_next":9})"),
                                     bytes(uuid_of(1)), until, number(at_second(created_at))}));
}

TEST_P(Migrations, tell_no_agent_again_what_a_ledger_of_version_11_has_told) {
    {
        const auto options = writer_options(world().location(), {});
        auto old = options.connect();
        ASSERT_OK(old);
        const auto none = [](std::int64_t) -> base::Result<void> { return {}; };
        ASSERT_OK(migrate(**old, migrations().first(11), none));
        insert_as_of_version_11(**old, 1, "", 50);
        insert_as_of_version_11(**old, 2, "", 30);
        insert_as_of_version_11(**old, 3, "s1", 40);
        insert_as_of_version_11(**old, 4, "", 50);
        insert_session_as_of_version_11(**old, "s1", 40, 5);
        insert_session_as_of_version_11(**old, "s2", 0, 35);
        insert_session_as_of_version_11(**old, "s3", 60, 5);
        insert_session_as_of_version_11(**old, "s4", 20, 5);
    }
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    const auto reading = world().reading();
    const auto untold = [&](const char* id) {
        const auto session = reading->sessions().find(id);
        EXPECT_FALSE((*session)->progress.aware_next) << "a time is no number";
        const auto facts =
            scribe.store().notifications().facts({.user_id = "ada", .session_id = id, .after = (*session)->aware_no});
        return ordinals(base::Result<std::vector<model::Notification>>(facts->oldest));
    };
    EXPECT_EQ(untold("s1"), (Ordinals{1, 4}));
    EXPECT_EQ(untold("s2"), (Ordinals{1, 4})) << "since it was made";
    EXPECT_EQ(untold("s3"), Ordinals{});
    EXPECT_EQ(untold("s4"), (Ordinals{2, 1, 4})) << "in the order of their times";
    const auto first = scribe.store().notifications().find({uuid_of(2)});
    EXPECT_EQ((*first)->fact, (model::Fact{1, 7, model::FactStatus::seen, at_second(30)}));
    EXPECT_GT(scribe.store().notifications().next_fact_number(), 4);
    scribe.rollback();
}

// As schema 6 wrote what agents remember.
void insert_as_of_version_6(Database& database) {
    static constexpr Sql agent{
        "INSERT INTO agents (agent_id, user_id, kind, display_name, lifecycle, mode, allowed_categories_json, "
        "capabilities_json, config_version, config_extension_json, workflow, workflow_json, state_id, created_at, "
        "updated_at) VALUES ($1, $2, $3, $3, 0, 0, $4, $4, 1, $4, 0, $4, $5, 1, 1)"};
    static constexpr Sql message{
        "INSERT INTO agent_messages (position, message_id, agent_id, thread_id, kind, created_at, summary_depth, "
        "tokens_approx, extension_json, envelope_json, content_json) VALUES ($1, $2, $3, $4, 4, $1, 0, 0, $5, $5, "
        "$5)"};
    static constexpr Sql edge{
        "INSERT INTO agent_links (from_id, relation, to_id, thread_id, hidden, created_at) VALUES ($1, $2, $3, $4, 0, "
        "$5)"};
    for (const char* name : {"a", "b"}) {
        ASSERT_OK(database.run(
            agent, {bytes(name), bytes(*name == 'a' ? "ada" : "bob"), bytes("x"), bytes("{}"), bytes(uuid_of(1))}));
    }
    for (std::int64_t i = 1; i <= 4; ++i) {
        const base::Uuid id = uuid_of(static_cast<std::uint64_t>(i));
        ASSERT_OK(database.run(message, {number(i), bytes(id), bytes(i < 4 ? "a" : "b"), bytes("t"), bytes("{}")}));
        for (std::int64_t relation = 0; relation <= 4; ++relation) {
            ASSERT_OK(database.run(edge, {bytes(id), number(relation), bytes("task"), bytes("t"), number(i)}));
        }
    }
}

TEST_P(Migrations, bring_the_edges_of_agents_in_a_ledger_of_version_6_to_all_others) {
    {
        const auto options = writer_options(world().location(), {});
        auto old = options.connect();
        ASSERT_OK(old);
        const auto none = [](std::int64_t) -> base::Result<void> { return {}; };
        ASSERT_OK(migrate(**old, migrations().first(6), none));
        insert_as_of_version_6(**old);
    }
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    static constexpr Sql left{"SELECT count(*) FROM agent_links"};
    ASSERT_OK(scribe.store().database().run(left, {}, [](const Row& row) { EXPECT_EQ(row.number(0), 0); }));
    static constexpr Sql hers{
        "SELECT relation, created_at FROM links WHERE user_id = $1 AND from_id = $2 ORDER BY relation"};
    std::vector<std::string> relations;
    const auto read = [&](const Row& row) {
        relations.emplace_back(row.bytes(0));
        EXPECT_EQ(row.number(1), 2);
    };
    ASSERT_OK(scribe.store().database().run(hers, {bytes("ada"), bytes(uuid_of(2))}, read));
    EXPECT_EQ(relations, (std::vector<std::string>{"message_payload", "message_prev", "summary_end", "summary_start",
                                                   "tool_effect"}));
    ports::AgentMessageFilter filter;
    filter.agent_id = "a";
    filter.changed_entity_id = "task";
    filter.limit = 10;
    const auto reading = world().reading();
    const auto changed = reading->agent_messages().list(filter);
    ASSERT_OK(changed);
    ASSERT_EQ(changed->size(), 3U) << "found as before";
    EXPECT_EQ(changed->front().id, uuid_of(3));
    filter.agent_id = "b";
    EXPECT_EQ(reading->agent_messages().list(filter)->size(), 1U);
    ASSERT_OK(scribe.store().agents().erase_user("ada", 1000));
    static constexpr Sql rest{"SELECT user_id, count(*) FROM links GROUP BY user_id"};
    ASSERT_OK(scribe.store().database().run(rest, {}, [](const Row& row) {
        EXPECT_EQ(row.bytes(0), "bob");
        EXPECT_EQ(row.number(1), 5);
    }));
    scribe.rollback();
}

TEST_P(Migrations, find_the_threads_of_what_agents_remember_in_a_ledger_of_version_9) {
    {
        const auto options = writer_options(world().location(), {});
        auto old = options.connect();
        ASSERT_OK(old);
        const auto none = [](std::int64_t) -> base::Result<void> { return {}; };
        ASSERT_OK(migrate(**old, migrations().first(6), none));
        insert_as_of_version_6(**old);
        static constexpr Sql others{
            "UPDATE agent_messages SET thread_id = CASE WHEN position < 3 THEN $1 ELSE $2 END, tokens_approx = 100 * "
            "position, kind = CASE WHEN position = 2 THEN 5 ELSE 4 END"};
        ASSERT_OK((*old)->run(others, {bytes("a:1"), bytes("shared")}));
        ASSERT_OK(migrate(**old, migrations().first(9), none));
    }
    Scribe scribe(world());
    scribe.open();
    scribe.begin();
    ports::MemoryTable& memory = scribe.store().memory();
    using model::AgentThread;
    const AgentThread one{"a:1", "a", "ada", 1, 0, 1, 100, base::Timestamp{1}, false};
    const AgentThread both{"shared", "b", "bob", 2, 0, 2, 700, base::Timestamp{4}, false};
    EXPECT_EQ(*memory.questions().thread("a:1"), one) << "a summary is no message";
    EXPECT_EQ(*memory.questions().thread("shared"), both) << "whose was there last";
    EXPECT_EQ(memory.idle_threads(base::Timestamp{4}, 10)->size(), 1U);
    const auto words = [](const model::AgentMessage& message) {
        return std::vector<std::string>{"n" + std::to_string(message.position)};
    };
    EXPECT_EQ(*memory.index_more(3, words), 3U);
    EXPECT_EQ(*memory.index_more(3, words), 1U);
    EXPECT_EQ(*memory.index_more(3, words), 0U);
    EXPECT_EQ(positions(memory.questions().recall(words_of_agent("b", {"n4"}))), (Positions{4}));
    EXPECT_EQ(positions(memory.questions().recall(words_of_agent("a", {"n2"}))), (Positions{}));
    scribe.rollback();
}

std::vector<Migration> history_with(std::string_view sql) {
    std::vector<Migration> history(migrations().begin(), migrations().end());
    history.push_back({newest_schema_version() + 1, "next", sql});
    return history;
}

TEST_P(Migrations, add_to_what_is_there_after_a_copy_was_made) {
    Scribe scribe(world());
    fill(scribe);
    Database& database = scribe.store().database();
    std::vector<std::int64_t> copied;
    const auto copy = [&](std::int64_t version) -> base::Result<void> {
        copied.push_back(version);
        EXPECT_EQ(*schema_version(database), version) << "before the first step";
        return {};
    };
    const auto history = history_with(
        "CREATE TABLE later (id @int PRIMARY KEY, body @bytes) @table; "
        "INSERT INTO later SELECT stream_id, name FROM streams");
    ASSERT_OK(migrate(database, history, copy));
    ASSERT_OK(migrate(database, history, copy));
    EXPECT_EQ(copied, (std::vector<std::int64_t>{newest_schema_version()})) << "once, and not for nothing";
    EXPECT_EQ(*schema_version(database), newest_schema_version() + 1);
    static constexpr Sql count{"SELECT count(*) FROM later"};
    ASSERT_OK(database.run(count, {}, [](const Row& row) { EXPECT_EQ(row.number(0), 4); }));
}

TEST_P(Migrations, leave_everything_when_a_step_or_the_copy_fails) {
    Scribe scribe(world());
    fill(scribe);
    Database& database = scribe.store().database();
    const auto fine = [](std::int64_t) -> base::Result<void> { return {}; };
    const auto broken = history_with("CREATE TABLE later (id @int PRIMARY KEY) @table; INSERT INTO nowhere VALUES (1)");
    EXPECT_FALSE(migrate(database, broken, fine).ok());
    EXPECT_EQ(*schema_version(database), newest_schema_version());
    static constexpr Sql look{"SELECT count(*) FROM later"};
    EXPECT_FALSE(database.run(look, {}).ok()) << "half a step is no step";
    const auto no_space = [](std::int64_t) -> base::Result<void> { return base::error(base::Code::io, "disk full"); };
    const auto good = history_with("CREATE TABLE later (id @int PRIMARY KEY) @table");
    EXPECT_EQ(migrate(database, good, no_space).error().message, "disk full");
    EXPECT_EQ(*schema_version(database), newest_schema_version());
    ASSERT_OK(migrate(database, good, fine));
}

TEST(SqliteMigration, copies_the_file_beside_itself_once_for_what_it_holds) {
    StoreWorld world(Backend::sqlite);
    Scribe scribe(world);
    fill(scribe);
    std::vector<std::string> notes;
    const auto options =
        writer_options(world.location(), {{}, [&](const std::string& note) { notes.push_back(note); }});
    ASSERT_OK(options.copy_before_migration(newest_schema_version()));
    const std::string copy = world.location().sqlite_path + ".before-v" + std::to_string(newest_schema_version());
    EXPECT_EQ(check_database(copy, Integrity::quick)->schema_version, newest_schema_version());
    const std::string before = bytes_of(copy);
    ASSERT_OK(options.copy_before_migration(newest_schema_version()));
    EXPECT_NE(notes.back().find("is kept"), std::string::npos) << notes.back();
    EXPECT_FALSE(std::filesystem::exists(copy + "-2"));
    scribe.write(1, "later");
    for (int attempt = 0; attempt < 2; ++attempt) {
        ASSERT_OK(options.copy_before_migration(newest_schema_version()));
        EXPECT_TRUE(bytes_of(copy) == before);
        EXPECT_EQ(*last_commit_in(copy + "-2"), *last_commit_in(world.location().sqlite_path)) << "what came since";
    }
    EXPECT_FALSE(std::filesystem::exists(copy + "-3"));
}

}  // namespace
}  // namespace belfry::store::testing
