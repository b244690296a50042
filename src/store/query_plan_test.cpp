#include <deque>
#include <map>

#include "base/journal_limits.hpp"
#include "store/agent_message_table.hpp"
#include "store/change_set_table.hpp"
#include "store/change_table.hpp"
#include "store/clock_table.hpp"
#include "store/interaction_table.hpp"
#include "store/journal_reading.hpp"
#include "store/journal_row.hpp"
#include "store/journal_table.hpp"
#include "store/memory_reading.hpp"
#include "store/memory_table.hpp"
#include "store/memory_world_test.hpp"
#include "store/notification_reading.hpp"
#include "store/notification_world_test.hpp"
#include "store/open_figures.hpp"
#include "store/outbox_table.hpp"
#include "store/run_reading.hpp"
#include "store/run_table.hpp"
#include "store/session_reading.hpp"
#include "store/sync_reading.hpp"
#include "store/sync_table.hpp"
#include "store/timer_table.hpp"
#include "store/user_message_table.hpp"

namespace belfry::store::testing {
namespace {

// Asks SQLite for the plan of every statement that goes through it.
class PlanListener final : public Database {
public:
    explicit PlanListener(Database& inner) : inner_(inner) {}

    std::string plans;  // of the statements since it was emptied, a line a step

    [[nodiscard]] const Dialect& dialect() const override { return inner_.dialect(); }
    base::Result<std::int64_t> run(const Sql& sql, std::span<const Param> params, const RowSink& sink) override {
        explain(sql, params);
        return inner_.run(sql, params, sink);
    }
    base::Result<void> run_many(const Sql& sql, std::span<const std::vector<Param>> sets,
                                const RowSink& sink) override {
        if (!sets.empty()) explain(sql, sets.front());
        return inner_.run_many(sql, sets, sink);
    }
    base::Result<void> script(const std::string& text) override { return inner_.script(text); }
    base::Result<void> begin_write() override { return inner_.begin_write(); }
    base::Result<void> begin_read() override { return {}; }
    ports::CommitResult commit() override { return inner_.commit(); }
    void rollback() override {}
    base::Result<void> overwrite_deleted(bool on) override { return inner_.overwrite_deleted(on); }
    base::Result<bool> return_space(std::int64_t pages) override { return inner_.return_space(pages); }
    base::Result<std::pair<std::int64_t, std::int64_t>> sizes() override { return inner_.sizes(); }

private:
    void explain(const Sql& sql, std::span<const Param> params) {
        texts_.push_back(std::string("EXPLAIN QUERY PLAN ") + sql.text);
        statements_.push_back({texts_.back().c_str()});
        EXPECT_OK(
            inner_.run(statements_.back(), params, [&](const Row& row) { plans += std::string(row.bytes(3)) + "\n"; }));
    }

    Database& inner_;
    std::deque<std::string> texts_;
    std::deque<Sql> statements_;
};

class QueryPlans : public ::testing::Test {
protected:
    QueryPlans() : scribe_(world_) {
        scribe_.open();
        scribe_.begin();
        listener_ = std::make_unique<PlanListener>(scribe_.store().database());
    }

    // Whole tables are never walked through, rows never sorted, and this index is what is gone along.
    template <class Ask>
    void expect_index(const std::string& index, Ask ask) {
        listener_->plans.clear();
        EXPECT_OK(ask());
        EXPECT_NE(listener_->plans.find(index), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN notifications\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN sessions\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN interactions\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN runs\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN context_nodes\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN messages\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN agent_timers\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN agent_states\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN journal_"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN l\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN links"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN t\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN o\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN d\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN e\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN changes\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN c\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN m\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN agent_threads\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN memory_summaries\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN fold_jobs\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN agent_messages\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN record_clocks\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN sync_plain\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("SCAN forgotten_messages\n"), std::string::npos) << listener_->plans;
        EXPECT_EQ(listener_->plans.find("VIRTUAL TABLE INDEX 0:\n"), std::string::npos) << listener_->plans;
    }
    template <class Ask>
    void expect_order(const std::string& index, Ask ask) {
        expect_index(index, ask);
        EXPECT_EQ(listener_->plans.find("TEMP B-TREE"), std::string::npos) << listener_->plans;
    }

    Database& database() { return *listener_; }
    [[nodiscard]] const std::string& plans() const { return listener_->plans; }

private:
    StoreWorld world_{Backend::sqlite};
    Scribe scribe_;
    std::unique_ptr<PlanListener> listener_;
};

TEST_F(QueryPlans, of_the_agents_queue_go_along_its_indexes) {
    SqlNotificationTable table(database());
    const model::Scope scope{"ada", "s1", ""};
    expect_order("notifications_queue", [&] { return table.due(question()); });
    expect_order("COVERING INDEX notifications_queue", [&] { return table.count_open(scope); });
    expect_index("COVERING INDEX notifications_queue", [&] { return table.least(scope, model::Severity::error); });
    expect_order("COVERING INDEX notifications_queue", [&] { return table.newest_pending(scope, "budget"); });
    expect_order("sqlite_autoindex_notifications_1", [&] { return table.find({uuid_of(1)}); });
    expect_order("sqlite_autoindex_notifications_1", [&] { return table.update(notification(1), 1); });
    expect_order("sqlite_autoindex_notifications_1",
                 [&] { return table.pass_over(std::vector<model::NotificationId>{{uuid_of(1)}}); });
    expect_order("notifications_handle", [&] { return table.find_handle("s1", 1); });
    expect_order("notifications_pull", [&] { return table.of_pull(uuid_of(1)); });
    expect_order("notifications_created", [&] { return table.created_since(at_second(1)); });
}

// At the start and when something fires: neither costs more for those that are not due.
// Wakes that have ended are kept for 90 days: a step of the clock looks at the open ones.
TEST_F(QueryPlans, of_a_clock_that_is_set_look_at_open_wakes) {
    SqlClockTable table(database());
    EXPECT_OK(table.bring_back_deadlines(at_second(1)));
    EXPECT_OK(table.carry_on_waits({at_second(1), base::hours(1), at_second(0)}));
    EXPECT_NE(plans().find("SCAN wakes USING INDEX wakes_open\n"), std::string::npos) << plans();
    EXPECT_EQ(plans().find("SCAN wakes\n"), std::string::npos) << plans();
}

TEST_F(QueryPlans, of_timers_look_at_those_that_are_due) {
    SqlTimerTable table(database());
    expect_order("COVERING INDEX agent_timers_due", [&] { return table.next_due(); });
    expect_order("SEARCH agent_states USING INDEX agent_states_wish", [&] { return table.next_due(); });
    expect_order("SEARCH s USING INDEX sqlite_autoindex_agent_states_1", [&] { return table.next_due(); });
    expect_order("SEARCH agent_timers USING INDEX agent_timers_due", [&] { return table.due(at_second(1), 10); });
    expect_order("SEARCH agent_states USING INDEX agent_states_wish",
                 [&] { return table.due_wishes(at_second(1), 10); });
    expect_order("sqlite_autoindex_agent_timers_1", [&] { return table.find({uuid_of(1)}); });
    expect_order("sqlite_autoindex_agent_timers_2", [&] { return table.find_name("a", "t"); });
    expect_order("agent_timers_agent", [&] { return table.stop_agent("a", at_second(1)); });
    expect_order("agent_timers_user", [&] { return table.erase_user("ada", 10); });
    expect_order("SEARCH agent_timers USING INDEX agent_timers_next", [&] { return table.ended({uuid_of(1)}, 10); });
    SqlTimerReading reading(database());
    ports::TimerFilter filter;
    filter.limit = 10;
    expect_order("agent_timers_next", [&] { return reading.list(filter); });
    filter.user_id = "ada";
    expect_order("agent_timers_user", [&] { return reading.list(filter); });
    filter.agent_id = "a";
    expect_order("agent_timers_agent", [&] { return reading.list(filter); });
}

// So that adding one and reading the newest cost the same however many there are.
TEST_F(QueryPlans, of_what_agents_remember_look_at_no_more_than_they_find) {
    SqlAgentMessageTable table(database());
    const std::vector ids{uuid_of(1)};
    expect_index("SEARCH agent_messages", [&] { return table.last_position(); });
    expect_order("sqlite_autoindex_agent_messages_1", [&] { return table.find(ids); });
    expect_order("agent_messages_operation", [&] { return table.find_action("a", "op"); });
    expect_order("agent_messages_result", [&] { return table.result_of(uuid_of(1)); });
    expect_order("agent_messages_thread", [&] { return table.newest("t", 1); });
    expect_order("PRIMARY KEY", [&] { return table.plans("k"); });
    SqlAgentMessageReading reading(database());
    const auto listed = [&](const std::string& thread, const std::string& changed) {
        return [&reading, filter = ports::AgentMessageFilter{"a", thread, changed, std::nullopt, 10}] {
            return reading.list(filter);
        };
    };
    expect_order("agent_messages_agent_created (agent_id=? AND created_at<?)", listed("", ""));
    expect_order("agent_messages_thread (thread_id=? AND position<?)", listed("t", ""));
    expect_index("links_to (user_id=? AND relation=? AND to_id=? AND hidden=? AND created_at", listed("", "task"));
}

// So that folding, assembling and finding cost the same however much there is.
TEST_F(QueryPlans, of_how_memory_is_folded_look_at_no_more_than_they_find) {
    SqlMemoryTable table(database());
    ports::MemoryQuestions& asked = table.questions();
    expect_order("SEARCH agent_threads USING PRIMARY KEY (thread_id=?)", [&] { return asked.thread("t"); });
    expect_order("agent_messages_raw (thread_id=? AND position<?)", [&] { return asked.newest_raw("t", 9, 10); });
    const auto waiting = [&] { return asked.waiting_jobs({"a", "t", at_second(1), 1, 1, 10}); };
    expect_order("agent_threads_unsummarized (agent_id=?)", waiting);
    expect_order("fold_jobs_open (thread_id=?)", waiting);
    expect_order("agent_messages_raw (thread_id=? AND position>? AND position<?)",
                 [&] { return asked.raw_span("t", 1, 2, 10); });
    expect_order("agent_messages_raw (thread_id=? AND position>?)", [&] { return table.raw_after("t", 1, 10); });
    expect_order("SEARCH memory_summaries USING PRIMARY KEY (message_id=?)", [&] { return asked.summary(uuid_of(1)); });
    expect_order("memory_summaries_open (agent_id=?)", [&] { return asked.unfolded("a"); });
    expect_order("memory_summaries_open (agent_id=?)", [&] { return asked.frontier("a"); });
    expect_order("SEARCH m USING INTEGER PRIMARY KEY (rowid=?)", [&] { return asked.frontier("a"); });
    expect_order("memory_summaries_into (folded_into=?)", [&] { return asked.folded_into(uuid_of(1)); });
    expect_order("memory_summaries_open (agent_id=? AND depth=? AND position>? AND position<?)",
                 [&] { return table.fold_summaries("a", 1, 2, 3, uuid_of(1)); });
    expect_order("memory_summaries_into (folded_into=?)", [&] { return table.unfold(uuid_of(1)); });
    expect_order("agent_threads_hot (quiet_since<?)", [&] { return table.idle_threads(at_second(1), 10); });
    expect_order("fold_jobs_open (thread_id=?)", [&] { return table.idle_threads(at_second(1), 10); });
    expect_order("INDEX agent_threads_hot", [&] { return table.oldest_hot(); });
    expect_order("agent_threads_unsummarized (agent_id=?)", [&] { return table.hot_threads("a", 10); });
    expect_order("fold_jobs_open (thread_id=?)", [&] { return table.open_job("t"); });
    expect_order("fold_jobs_due (due_at>? AND due_at<?)", [&] { return table.due_jobs(at_second(1), 10); });
    expect_order("fold_jobs_due", [&] { return table.running_jobs(); });
    expect_order("COVERING INDEX fold_jobs_due", [&] { return table.next_job_at(); });
    expect_order("fold_jobs_done (updated_at<?)", [&] { return table.drop_jobs(at_second(1), 10); });
    expect_order("agent_messages_agent_created (agent_id=? AND created_at<?)",
                 [&] { return table.raw_messages("a", "", std::nullopt, 10); });
    expect_order("agent_messages_raw (thread_id=? AND position>?)",
                 [&] { return table.raw_messages("a", "t", std::nullopt, 10); });
    expect_order("memory_summaries_span (thread_id=? AND end_position>?)", [&] { return table.covering("t", 1, 2); });
    expect_order("agent_messages_kind (kind=? AND created_at<?)",
                 [&] { return table.folded_messages(model::AgentMessageKind::user, at_second(1), 10); });
}

TEST_F(QueryPlans, of_words_ask_the_index_and_go_along_what_it_finds) {
    SqlMemoryTable table(database());
    ports::RecallFilter filter = words_of_agent("a", {"red", "door"});
    const auto found = [&] { return table.questions().recall(filter); };
    for (const char* step : {"SCAN w VIRTUAL TABLE INDEX 192:M1", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}) {
        filter.threads.clear();
        expect_order(step, found);
        filter.threads = {"t"};
        expect_order(step, found);
    }
    static constexpr Sql behind{"UPDATE memory_index SET index_until = 9"};
    EXPECT_OK(database().run(behind, {}));
    const auto none = [](const model::AgentMessage&) { return std::vector<std::string>{}; };
    expect_order("SEARCH m USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
                 [&] { return table.index_more(10, none); });
    const std::vector messages{remembered(1)};
    EXPECT_OK(SqlAgentMessageTable(database()).add(messages));
    expect_index("SCAN memory_words VIRTUAL TABLE INDEX 0:=", [&] { return table.remove_messages(messages); });
    expect_index("SEARCH memory_words_idx USING PRIMARY KEY", [&] { return table.index_more(10, none); });
}

TEST_F(QueryPlans, of_readers_of_memory_read_only_their_page) {
    SqlMemoryReading reading(database());
    ports::FoldJobFilter filter{"", "", {}, {}, 10};
    const auto jobs = [&] { return reading.jobs(filter); };
    expect_order("fold_jobs_created ((created_at,job_id)<(?,?))", jobs);
    filter.user_id = "ada";
    expect_order("fold_jobs_user (user_id=? AND (created_at,job_id)<(?,?))", jobs);
    filter.agent_id = "a";
    expect_order("fold_jobs_agent (agent_id=? AND (created_at,job_id)<(?,?))", jobs);
    expect_order("agent_threads_agent (agent_id=? AND (last_at,thread_id)<(?,?))",
                 [&] { return reading.threads({"a", "", 10}); });
    expect_order("agent_messages_agent_created (agent_id=?)", [&] { return reading.all("a", 0, 10); });
    EXPECT_OK(SqlAgentMessageTable(database()).add(std::vector{remembered(1)}));
    expect_order("agent_messages_agent_created (agent_id=? AND created_at>?)", [&] { return reading.all("a", 1, 10); });
}

// A page costs the same among a thousand and a million.
TEST_F(QueryPlans, of_the_journal_look_at_no_more_than_they_show) {
    SqlJournalReading reading(database());
    ports::JournalFilter filter{.user_id = "ada", .terms = {"k:task"}, .limit = 10};
    const auto listed = [&] { return reading.list(filter); };
    expect_order("SEARCH t USING PRIMARY KEY (user_id=? AND term=? AND number<?)", listed);
    filter.categories = std::vector<std::string>{"gym"};
    expect_order("SEARCH t USING PRIMARY KEY (user_id=? AND term=? AND number<?)", listed);
    for (std::size_t probes = 1; probes < base::limits::journal_terms_max; ++probes) {
        filter.terms.push_back("w:" + std::to_string(probes));
        expect_order("SEARCH o USING PRIMARY KEY (user_id=? AND term=? AND number=?)", listed);
    }
    expect_order("SEARCH journal_terms USING PRIMARY KEY (user_id=? AND term=? AND number<?)", listed);
    filter.any_of = {"a", "b"};
    expect_order("SEARCH t USING PRIMARY KEY (user_id=? AND term=? AND number<?)", listed);
    std::vector<ports::JournalTerm> frequent;
    for (std::int64_t i = 1; i < 200; ++i) frequent.push_back({"ada", "b", i, "gym", model::JournalKind::task});
    EXPECT_OK(SqlJournalTable(database()).add_terms(frequent));
    expect_order("SEARCH e USING PRIMARY KEY (user_id=? AND term=? AND number=?)", listed);
    filter = {.user_id = "ada", .terms = {"w:x"}, .range_from = "d:1", .range_to = "d:2", .limit = 10};
    expect_order("SEARCH t USING PRIMARY KEY (user_id=? AND (term,number)>(?,?) AND term<?)", listed);
    expect_order("SEARCH o USING PRIMARY KEY (user_id=? AND term=? AND number=?)", listed);
    expect_index("USING PRIMARY KEY (user_id=? AND term>?)", [&] { return reading.terms_from("ada", "w:", 10); });
    const ports::JournalScope gym = std::vector<std::string>{"gym"};
    for (const ports::JournalScope& scope : {ports::JournalScope{}, gym}) {
        expect_order("COVERING INDEX journal_directory_number (user_id=? AND number>?)",
                     [&] { return reading.records_after("ada", 1, scope, 10); });
        expect_order("SEARCH l USING PRIMARY KEY (user_id=? AND (from_id,relation,to_id)>(?,?,?))",
                     [&] { return reading.links_after({"ada"}, scope, 10); });
    }
    expect_order("journal_directory_number (user_id=?)", [&] { return reading.holds_anything("ada"); });
}

TEST_F(QueryPlans, of_records_go_by_their_keys) {
    SqlJournalTable table(database());
    const std::vector<std::string> ids{"r0"};
    for (std::size_t kind = 0; kind < model::journal_kind_count; ++kind) {
        model::JournalRecord record;
        record.user_id = "ada";
        record.id = ids.front();
        record.number = 1;
        record.body = model::empty_body(static_cast<model::JournalKind>(kind));
        const std::string name = journal_table_name(record.kind());
        EXPECT_OK(table.put(std::span(&record, 1)));
        expect_order("SEARCH " + name + " USING INTEGER PRIMARY KEY (rowid=?)", [&] { return table.find("ada", ids); });
        expect_index("SEARCH " + name + "\n", [&] { return table.last_number(); });
        expect_index("SEARCH " + name + " USING INTEGER PRIMARY KEY (rowid=?)",
                     [&] { return table.erase_user("ada", 10); });
    }
    expect_order("SEARCH t USING PRIMARY KEY (user_id=? AND term=?)", [&] { return table.with_term("ada", "t", 10); });
    expect_order("INDEX journal_directory_number (user_id=? AND number=?)",
                 [&] { return table.with_term("ada", "t", 10); });
    const std::vector<ports::JournalTerm> terms{{"ada", "t", 1, "gym", model::JournalKind::task}};
    expect_order("PRIMARY KEY (user_id=? AND term=? AND number=?)", [&] { return table.remove_terms(terms); });
    expect_index("journal_terms USING PRIMARY KEY (user_id=?", [&] { return table.erase_user("ada", 10); });
    expect_index("journal_directory USING PRIMARY KEY (user_id=?", [&] { return table.erase_user("ada", 10); });
    expect_index("links USING PRIMARY KEY (user_id=?", [&] { return table.erase_user("ada", 10); });
}

TEST_F(QueryPlans, of_links_go_along_one_end) {
    SqlJournalTable table(database());
    const std::vector<std::string> ids{"r1"};
    const std::vector<ports::LinkName> names{{"ada", "r", "r1", "r2"}};
    expect_order("PRIMARY KEY (user_id=? AND from_id=? AND relation=? AND to_id=?)",
                 [&] { return table.find_links(names); });
    expect_order("PRIMARY KEY (user_id=? AND from_id=?)", [&] { return table.links_of("ada", ids, 10); });
    expect_order("links_end (user_id=? AND to_id=? AND relation<?)", [&] { return table.links_of("ada", ids, 10); });
    expect_order("links_end (user_id=? AND to_id=? AND relation>?)", [&] { return table.links_of("ada", ids, 10); });
    SqlJournalReading reading(database());
    const ports::JournalScope gym = std::vector<std::string>{"gym"};
    for (const ports::JournalScope& scope : {ports::JournalScope{}, gym}) {
        ports::LinkFilter filter{.user_id = "ada", .from_id = "r1", .categories = scope, .limit = 10};
        const auto found = [&] { return reading.links(filter); };
        expect_order("SEARCH l USING PRIMARY KEY (user_id=? AND from_id=? AND relation>? AND relation<?)", found);
        expect_order("SEARCH d USING PRIMARY KEY (user_id=? AND id=?)", found);
        filter.to_id = "r2";
        expect_order("SEARCH l USING PRIMARY KEY (user_id=? AND from_id=? AND relation>? AND relation<?)", found);
        filter.from_id.clear();
        expect_order("links_end (user_id=? AND to_id=? AND relation>? AND relation<?)", found);
    }
}

TEST_F(QueryPlans, of_what_is_owed_look_at_what_is_due) {
    SqlOutboxTable table(database());
    expect_order("outbox_wake", [&] { return table.next_due(); });
    expect_order("outbox_wake", [&] { return table.claim(at_second(1), at_second(2), 10); });
    expect_order("outbox_finished", [&] { return table.drop_done("sink", at_second(1), 10); });
}

TEST_F(QueryPlans, of_the_delivery_look_at_no_more_than_they_find) {
    SqlNotificationTable table(database());
    expect_order("notifications_key", [&] { return table.find_key("ada", "k"); });
    expect_order("notifications_key", [&] { return table.find_held_key("ada", "k", 1); });
    expect_order("PRIMARY KEY", [&] { return table.count_steps({uuid_of(1)}, "sent"); });
    expect_order("notifications_deadline", [&] { return table.overdue(at_second(1), 10); });
    expect_order("COVERING INDEX notifications_deadline", [&] { return table.next_deadline(); });
    expect_order("notifications_waiting", [&] { return table.for_interfaces({"ada", "", 7, 900, 10}); });
    expect_order("notifications_held", [&] { return table.held_by_session("s1"); });
    expect_order("notifications_held", [&] { return table.leases_of_session("s1"); });
    expect_order("sqlite_autoindex_notifications_1", [&] { return table.renew(std::vector{notification(1)}); });
    expect_order("notifications_facts",
                 [&] { return table.facts({.user_id = "ada", .session_id = "s1", .after = 7}); });
    expect_order("notifications_facts",
                 [&] { return table.facts({.user_id = "ada", .session_id = "s1", .after = 7, .limit = 0}); });
    expect_order("notifications_shown", [&] { return table.facts({.user_id = "ada", .session_id = "s1"}); });
    expect_order("sqlite_autoindex_notifications_1", [&] { return table.put_facts(std::vector{notification(1)}); });
    expect_order("notifications_session", [&] { return table.open_of_session("s1", 10); });
    expect_order("sqlite_autoindex_notifications_1", [&] { return table.mark(notification(1)); });
    expect_order("sqlite_autoindex_notifications_1", [&] { return table.revise(notification(1)); });
    expect_order("PRIMARY KEY", [&] { return table.add_steps(std::vector{model::Transition{}}); });
    SqlNotificationReading reading(database());
    ports::NotificationReading::InboxQuestion asked;
    asked.user_id = "ada";
    asked.limit = 10;
    expect_order("notifications_inbox", [&] { return reading.inbox(asked); });
    asked.unread_only = true;
    expect_order("notifications_unread", [&] { return reading.inbox(asked); });
    expect_order("COVERING INDEX notifications_unread", [&] { return reading.inbox_counts("ada", ""); });
    expect_order("COVERING INDEX notifications_waiting", [&] { return reading.inbox_counts("ada", ""); });
    expect_order("PRIMARY KEY", [&] { return reading.steps({uuid_of(1)}); });
    expect_index("notifications_created", [&] {
        return reading.of_event({uuid_of(1)}, at_second(1), at_second(2), ports::NotificationReading::Repeats::wanted);
    });
}

TEST_F(QueryPlans, of_what_goes_find_it_without_looking_at_what_stays) {
    SqlNotificationTable table(database());
    expect_order("notifications_ended", [&] { return table.drop_ended(at_second(1), 10); });
    expect_index("notifications_user", [&] { return table.erase_user("ada", 10); });
    expect_index("notifications_session", [&] { return table.erase_user("ada", 10); });
    expect_index("PRIMARY KEY (notification_id=?)", [&] {
        EXPECT_OK(table.insert(std::vector{notification(1)}));
        return table.erase_user("ada", 10);
    });
    SqlSessionTable sessions(database());
    expect_index("messages_node", [&] { return sessions.empty("s1"); });
    expect_index("context_nodes_session", [&] { return sessions.empty("s1"); });
    expect_index("reminders_session", [&] { return sessions.empty("s1"); });
    expect_index("messages_node", [&] { return sessions.erase_user("ada", 10); });
    expect_index("context_nodes_session", [&] { return sessions.erase_user("ada", 10); });
    expect_index("reminders_session", [&] { return sessions.erase_user("ada", 10); });
    expect_index("reminders_user", [&] { return sessions.erase_user("ada", 10); });
    SqlWaitingTable waiting(database());
    expect_index("INTEGER PRIMARY KEY", [&] { return waiting.remove(std::vector<std::int64_t>{1, 2}); });
}

TEST_F(QueryPlans, of_lists_read_only_their_page) {
    SqlNotificationReading reading(database());
    ports::NotificationFilter filter;
    filter.limit = 10;
    expect_order("INTEGER PRIMARY KEY", [&] { return reading.list(filter); });
    filter.open_only = true;
    expect_index("notifications_deadline", [&] { return reading.list(filter); });
    filter.state = model::DeliveryState::locked;
    expect_index("notifications_deadline", [&] { return reading.list(filter); });
    filter.open_only = false;
    filter.state = model::DeliveryState::failed;
    expect_order("notifications_failed", [&] { return reading.list(filter); });
    filter.state = model::DeliveryState::delivered;
    filter.subscriber_id = "budget";
    expect_order("INTEGER PRIMARY KEY", [&] { return reading.list(filter); });
    filter.user_id = "ada";
    expect_order("notifications_user", [&] { return reading.list(filter); });
    filter.session_id = "s1";
    expect_order("notifications_session", [&] { return reading.list(filter); });
    filter.newest_first = true;
    expect_order("notifications_session", [&] { return reading.list(filter); });
    filter.session_id.clear();
    expect_order("notifications_user", [&] { return reading.list(filter); });
    filter.user_id.clear();
    expect_order("INTEGER PRIMARY KEY", [&] { return reading.list(filter); });
    filter.state = model::DeliveryState::failed;
    expect_order("notifications_failed", [&] { return reading.list(filter); });
    filter.state.reset();
    filter.open_only = true;
    expect_index("notifications_deadline", [&] { return reading.list(filter); });
    expect_index("notifications_user", [&] { return reading.figures("ada"); });
    expect_index("COVERING INDEX notifications_deadline", [&] { return reading.figures({}); });
    expect_index("COVERING INDEX notifications_failed", [&] { return reading.figures({}); });
}

TEST_F(QueryPlans, of_sessions_go_along_their_indexes) {
    SqlSessionTable table(database());
    ASSERT_OK(table.put(std::vector{session("s1")}));
    ASSERT_OK(table.add_node(node(1)));
    expect_order("sqlite_autoindex_sessions_1", [&] { return table.find(std::vector<std::string>{"s1"}); });
    expect_order("context_nodes_session", [&] { return table.find_system_message("s1", uuid_of(1), at_second(1)); });
    expect_order("sessions_timeout", [&] { return table.next_timeout(); });
    expect_order("sessions_timeout", [&] { return table.timed_out(at_second(1), 10); });
    expect_order("sqlite_autoindex_context_nodes_1", [&] { return table.find_node("s1", {uuid_of(1, 2)}); });
    expect_order("sqlite_autoindex_context_nodes_1", [&] {
        return table.append_system_messages(std::vector<ports::SessionTable::SystemMessages>{{{uuid_of(1, 2)}, "{}"}});
    });
    expect_order("reminders_session", [&] { return table.reminders("s1"); });
    SqlSessionReading reading(database());
    expect_order("sessions_user", [&] { return reading.list({"ada", "", 10}); });
    expect_order("sqlite_autoindex_sessions_1", [&] { return reading.list({"", "", 10}); });
    expect_order("context_nodes_session", [&] { return reading.tree("s1", std::nullopt, 10, 1000); });
    expect_order("messages_node", [&] { return reading.tree("s1", std::nullopt, 10, 1000); });
    expect_index("sqlite_autoindex_context_nodes_1",
                 [&] { return reading.path("s1", ports::HistoryPlace{{uuid_of(1, 2)}}, 10, 1000); });
}

TEST_F(QueryPlans, of_words_and_questions_go_along_their_indexes) {
    SqlUserMessageTable words(database());
    expect_order("messages_waiting", [&] { return words.due("s1", at_second(1), 10); });
    expect_order("messages_waiting", [&] { return words.count("s1"); });
    expect_order("messages_waiting", [&] { return words.sessions("s1", 10); });
    expect_order("messages_waiting", [&] { return words.confirm("s1", uuid_of(1)); });
    expect_order("messages_waiting", [&] { return words.confirm_held("s1", at_second(1)); });
    expect_order("messages_waiting", [&] { return words.let_go("s1", std::nullopt); });
    expect_order("messages_waiting", [&] { return words.let_go("s1", uuid_of(1)); });
    expect_order("messages_waiting", [&] { return words.renew("s1", std::nullopt, at_second(1), at_second(2)); });
    expect_order("messages_waiting", [&] { return words.renew("s1", uuid_of(1), at_second(1), at_second(2)); });
    SqlInteractionTable questions(database());
    expect_order("sqlite_autoindex_interactions_1", [&] { return questions.find({uuid_of(1)}); });
    expect_order("interactions_waiting", [&] { return questions.pending("ada", "", 10); });
    expect_order("interactions_waiting", [&] { return questions.count_pending("ada", "s1"); });
    expect_order("interactions_pending", [&] { return questions.overdue(at_second(1), 10); });
    expect_order("interactions_pending", [&] { return questions.next_deadline(); });
    expect_order("interactions_allowed", [&] { return questions.is_always_allowed("s1", "rm"); });
    expect_index("interactions_ended", [&] { return questions.drop_ended(at_second(1), 10); });
    SqlInteractionReading reading(database());
    expect_order("interactions_user", [&] { return reading.list({"ada", "", std::nullopt, 0, 10}); });
    expect_order("interactions_session", [&] { return reading.list({"", "s1", std::nullopt, 0, 10}); });
}

TEST_F(QueryPlans, of_what_is_proposed_go_along_their_indexes) {
    SqlChangeSetTable table(database());
    expect_order("sqlite_autoindex_change_sets_1", [&] { return table.find({uuid_of(1)}); });
    expect_order("sqlite_autoindex_change_sets_2", [&] { return table.of_wake(1); });
    expect_order("PRIMARY KEY", [&] { return table.items(1); });
    expect_order("PRIMARY KEY", [&] { return table.item(1, 1); });
    expect_order("change_sets_open", [&] { return table.count_open("ada"); });
    expect_index("change_sets_decided", [&] { return table.drop_decided(at_second(1), 10); });
    expect_index("change_sets_user", [&] { return table.erase_user("ada", 10); });
    SqlChangeSetReading reading(database());
    expect_order("change_sets_open", [&] { return reading.list({"ada", "", true, 0, 10}); });
    expect_order("change_sets_user", [&] { return reading.list({"ada", "", false, 0, 10}); });
    expect_order("change_sets_agent", [&] { return reading.list({"ada", "coach", true, 0, 10}); });
    expect_order("INTEGER PRIMARY KEY", [&] { return reading.list({"", "", false, 0, 10}); });
}

TEST_F(QueryPlans, of_what_is_open_pass_by_what_has_ended) {
    for (const char* index : {"COVERING INDEX notifications_deadline", "runs_open", "outbox_wake", "interactions_"}) {
        expect_index(index, [&] { return count_open(database()); });
    }
}

TEST_F(QueryPlans, of_changes_look_at_those_that_are_to_be_told) {
    SqlChangeTable table(database());
    expect_order("changes_unbatched", [&] { return table.unbatched(); });
    expect_order("changes_unbatched", [&] { return table.unbatched_of("ada", false, 10); });
    expect_order("sqlite_autoindex_changes_1", [&] { return table.last_counter("h"); });
    expect_order("sqlite_autoindex_changes_1", [&] { return table.batched_after("h", 1, 10); });
    expect_order("INTEGER PRIMARY KEY", [&] { return table.put_batch(std::vector{model::Change{}}); });
    expect_index("changes_old", [&] { return table.drop(at_second(1), 10); });
    expect_index("changes_user", [&] { return table.erase_user("ada", 10); });
    expect_index("record_clocks_user", [&] { return table.erase_user("ada", 10); });
}

TEST_F(QueryPlans, of_what_devices_know_go_along_their_indexes) {
    SqlSyncTable table(database());
    const std::vector<std::pair<std::string, std::string>> names{{"task", "t"}};
    expect_order("SEARCH record_clocks USING PRIMARY KEY (kind=? AND record_id=?)",
                 [&] { return table.knowledge(names); });
    expect_order("SEARCH record_clocks USING PRIMARY KEY (kind=? AND record_id>?)",
                 [&] { return table.knowledge_after("task", "t", 10); });
    expect_order("SEARCH m USING INTEGER PRIMARY KEY (rowid>?)", [&] { return table.messages_after(1, 10); });
    expect_order("SEARCH links USING PRIMARY KEY", [&] { return table.links_after({"ada", "blocks", "a", "b"}, 10); });
    expect_order("sqlite_autoindex_changes_1 (host=? AND counter>?)", [&] { return table.changes_after("h", 1, 10); });
    expect_order("sqlite_autoindex_changes_1 (host=? AND counter>? AND counter<?)",
                 [&] { return table.here("h", 1, 10); });
    expect_order("sync_missing", [&] { return table.missing(10); });
    expect_order("SEARCH sync_missing USING PRIMARY KEY (host=? AND counter>? AND counter<?)",
                 [&] { return table.remove_missing("h", 1, 2); });
    expect_order("SEARCH forgotten_messages USING PRIMARY KEY (message_id=?)",
                 [&] { return table.forgotten(std::vector{uuid_of(1)}); });
    expect_order("SEARCH forgotten_messages USING PRIMARY KEY (message_id>?)",
                 [&] { return table.forgotten_after(uuid_of(1), 10); });
    expect_order("SEARCH sync_plain USING PRIMARY KEY (kind=? AND record_id=?)", [&] { return table.plain(names); });
    expect_order("COVERING INDEX sync_plain_old (kind=? AND updated_at<?)",
                 [&] { return table.drop_plain("run_claim", at_second(1), 10); });
    expect_order("SEARCH merge_notes USING INTEGER PRIMARY KEY (rowid<?)", [&] { return table.drop_notes(1); });
    expect_index("merge_notes_record (kind=? AND record_id=?)", [&] { return table.notes_of(names); });
    expect_index("forgotten_messages_user (user_id=?)", [&] { return table.erase_user("ada", 10); });
    expect_index("merge_notes_user (user_id=?)", [&] { return table.erase_user("ada", 10); });
    expect_index("sync_plain_user (user_id=?)", [&] { return table.erase_user("ada", 10); });
    SqlSyncReading reading(database());
    expect_order("SEARCH merge_notes USING INTEGER PRIMARY KEY (rowid<?)", [&] { return reading.notes(0, 10); });
}

TEST_F(QueryPlans, of_runs_go_along_their_indexes) {
    SqlRunTable table(database());
    const ports::RunTable::Key key{"ada", "k"};
    expect_order("runs_open", [&] { return table.load_open(); });
    expect_order("INTEGER PRIMARY KEY", [&] { return table.find(std::vector<model::RunId>{1}); });
    expect_order("runs_key", [&] { return table.find_keys(std::span(&key, 1)); });
    expect_order("runs_ended", [&] { return table.first_end(); });
    expect_order("runs_ended", [&] { return table.ended_before(at_second(1), 10); });
    expect_order("runs_user", [&] { return table.of_user("ada", 10); });
    expect_order("runs_root", [&] { return table.has_tree(1); });
    model::Run waits;
    waits.id = waits.root_id = 1;
    waits.user_id = "ada";
    waits.queued = 1;
    ASSERT_OK(table.put(std::span(&waits, 1)));
    SqlRunReading reading(database());
    const auto listed = [&](const ports::RunFilter& filter) {
        return [&reading, filter] { return reading.list(filter); };
    };
    expect_order("INTEGER PRIMARY KEY", listed({"", "", "", {}, 0, 0, 10}));
    expect_order("runs_queue", listed({"", "", "", {}, 0, 0, 10}));
    expect_order("runs_open", listed({"", "", "", model::RunState::running, 0, 0, 10}));
    expect_order("runs_user", listed({"ada", "", "", {}, 0, 0, 10}));
    expect_order("runs_session", listed({"ada", "s", "", {}, 0, 0, 10}));
    expect_order("runs_agent", listed({"ada", "", "a", {}, 0, 0, 10}));
    expect_order("runs_root", listed({"ada", "s", "a", {}, 1, 0, 10}));
}

}  // namespace
}  // namespace belfry::store::testing
