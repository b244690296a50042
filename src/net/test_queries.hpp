#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/queries.hpp"

namespace belfry::net::test {

inline base::Uuid test_uuid(int last) {
    base::Uuid uuid = *base::parse_uuid("018f0000-0000-7000-8000-000000000000");
    uuid.bytes[15] = static_cast<std::uint8_t>(last);
    return uuid;
}

inline model::JournalRecord test_record(model::JournalKind kind, std::string id) {
    model::JournalRecord record;
    record.id = std::move(id);
    record.user_id = "ada";
    record.category_id = "general";
    record.number = record.revision = 1;
    record.body = model::empty_body(kind);
    return record;
}

inline model::ContextValue test_value(model::ContextKey key) {
    model::ContextValue value;
    value.key = std::move(key);
    value.content = "71 % done";
    value.set_at = base::Timestamp{1'763'000'000'000'000};
    value.expires_at = value.set_at + base::minutes(5);
    value.set_by = "token:ci";
    return value;
}

// With everything that a message can have.
inline model::AgentMessage test_action() {
    model::AgentMessage message;
    message.id = test_uuid(1);
    message.agent_id = "a";
    message.thread_id = "a:session:s1";
    message.kind = model::AgentMessageKind::action;
    message.created_at = base::Timestamp{1'763'000'000'000'000};
    message.trigger_source_id = "e1";
    message.tokens_approx = 12;
    message.metadata.operation_id = "o1";
    message.metadata.extension = model::RawJson::trusted(R"({"acme.colour":"red"})");
    message.action = {model::ActionType::tool_call, "look", std::string(64, 'a'), {"home"}};
    message.content = model::RawJson::trusted(R"({"at":"tea"})");
    return message;
}

// Answers in a later turn of the network's thread, and remembers what it was asked. `refusal` is the answer to all
// questions about sessions and notifications while it is set.
class TestQueries final : public ports::Queries {
public:
    ~TestQueries() override;  // elsewhere, so that the rest is made once
    TestQueries() {
        auto catalogue = std::make_shared<model::Catalogue>();
        for (const char* id : {"subagent", "task_checkpoint", "tool_failure"}) {
            model::Subscriber subscriber;
            subscriber.id = id;
            subscriber.core = subscriber.id == "tool_failure";
            catalogue->subscribers.push_back(subscriber);
        }
        catalogue->problems.push_back({"bad.toml", 2, 1, "events.types", "must not be empty", true});
        known = std::move(catalogue);
    }

    [[nodiscard]] ports::Readiness readiness() const override { return state; }
    [[nodiscard]] ports::House house() const override { return {"1.2.3", "ada", base::Timestamp{}}; }
    void ledger_figures(const model::Principal&, std::string_view user_id,
                        std::function<void(base::Result<ports::NotificationReading::Figures>)> done) override {
        asked = "figures of " + std::string(user_id);
        ports::NotificationReading::Figures figures;
        figures.by_state = {{model::DeliveryState::dispatched, 3}, {model::DeliveryState::failed, 2}};
        figures.failures = {{"nobody_there", 2}};
        figures.oldest_open = base::Timestamp{};
        soon([figures, done = std::move(done)] { done(figures); });
    }
    void rehearse(std::string_view subscriber_id, std::vector<model::Event> events,
                  std::function<void(base::Result<model::Rehearsal>)> done) override {
        asked = "rehearse " + std::string(subscriber_id) + " " + std::to_string(events.size());
        model::Rehearsal rehearsal;
        rehearsal.events = std::move(events);
        rehearsal.made.resize(1);
        rehearsal.made.front().content = "tool_fails[1]";
        soon([rehearsal, done = std::move(done)] { done(rehearsal); });
    }
    void open_figures(const model::Principal&, std::function<void(base::Result<ports::OpenFigures>)> done) override {
        const ports::OpenFigures open{{4, 0, 0, 0}, {0, 2}, 1, 3, 5, 6};
        soon([open, done = std::move(done)] { done(open); });
    }
    void status(const model::Principal&, std::function<void(base::Result<ports::Status>)> done) override {
        ports::Status status;
        status.version = "1.2.3";
        status.streams.push_back({1, "events", "", model::RetentionClass::events, 7, 0});
        soon([status, done = std::move(done)] { done(status); });
    }
    void obligation(const model::Principal&, const base::Uuid& id,
                    std::function<void(base::Result<ports::Obligation>)> done) override {
        ports::Obligation obligation;
        obligation.id = id;
        obligation.kind = "erase_user";
        soon([obligation, done = std::move(done)] { done(obligation); });
    }

    void given_up_calls(const model::Principal&, std::optional<ports::GivenUpPlace> after, std::size_t limit,
                        std::function<void(base::Result<std::vector<ports::Obligation>>)> done) override {
        asked = after ? std::to_string(after->finished_at.us) + " " + base::format_uuid(after->id) : "first";
        asked += " " + std::to_string(limit);
        std::vector<ports::Obligation> calls(2);
        calls[0].id = test_uuid(5);
        calls[0].kind = "sink";
        calls[0].detail = model::RawJson::trusted(R"({"sink":"phone","notification":"n"})");
        calls[0].finished_at = base::Timestamp{};
        calls[0].last_error = "sink phone: no route";
        calls[1] = calls[0];
        soon([calls, done = std::move(done)] { done(calls); });
    }

    void notification(const model::Principal& who, std::string_view session_id, std::string_view key,
                      std::function<void(base::Result<model::Notification>)> done) override {
        asked = who.id + " " + std::string(session_id) + " " + std::string(key);
        model::Notification found;
        found.id.uuid = test_uuid(7);
        answer(std::move(found), std::move(done));
    }
    void notifications(const model::Principal& who, ports::NotificationFilter filter,
                       std::function<void(base::Result<ports::NotificationPage>)> done) override {
        asked = who.id;
        notification_filter = filter;
        ports::NotificationPage page;
        std::vector<model::Notification>& found = page.notifications;
        found.resize(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) {
            found[i].ordinal = filter.after + static_cast<std::int64_t>(i) + 1;
            found[i].content = content;
        }
        answer(std::move(page), std::move(done));
    }
    void session(const model::Principal& who, std::string_view id,
                 std::function<void(base::Result<model::Session>)> done) override {
        asked = who.id;
        model::Session found;
        found.id = id;
        answer(std::move(found), std::move(done));
    }
    void sessions(const model::Principal& who, ports::SessionFilter filter,
                  std::function<void(base::Result<std::vector<model::Session>>)> done) override {
        asked = who.id;
        session_filter = filter;
        std::vector<model::Session> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) {
            found[i].id = "s" + std::to_string(i + 1);
            found[i].title = session_title;
        }
        answer(std::move(found), std::move(done));
    }
    // A path or tree of nodes 1, 2, 3 …, each below the one before it.
    void history(const model::Principal& who, ports::HistoryQuestion question,
                 std::function<void(base::Result<ports::History>)> done) override {
        asked = who.id;
        history_question = question;
        ports::History found;
        found.session.id = question.session_id;
        const int count = static_cast<int>(std::min(question.limit, kept));
        const int first = question.shape == ports::HistoryShape::path ? static_cast<int>(kept) - count + 1 : 1;
        for (int i = first; i < first + count; ++i) {
            ports::HistoryNode node;
            node.node.id.uuid = test_uuid(i);
            if (i > 1) node.node.parent = model::NodeId{test_uuid(i - 1)};
            node.messages.emplace_back().content = content;
            found.page.nodes.push_back(std::move(node));
        }
        found.page.next = history_next;
        answer(std::move(found), std::move(done));
    }
    void inbox(const model::Principal& who, ports::NotificationReading::InboxQuestion question,
               std::function<void(base::Result<ports::Inbox>)> done) override {
        asked = who.id;
        inbox_question = question;
        ports::Inbox found;
        found.user_id = question.user_id.empty() ? "owner" : question.user_id;
        found.items.resize(std::min(question.limit, kept));
        for (std::size_t i = 0; i < found.items.size(); ++i) {
            found.items[i].ordinal = 9 - static_cast<std::int64_t>(i);
            found.items[i].content = content;
        }
        found.counts = {2, 1};
        answer(std::move(found), std::move(done));
    }
    void context(const model::Principal& who, ports::ContextQuestion question,
                 std::function<void(base::Result<ports::ContextPreview>)> done) override {
        asked = who.id + " " + question.session_id + " " + std::string(model::inject_at_name(question.point)) + " " +
                std::to_string(question.budget_tokens);
        ports::ContextPreview found;
        found.due.emplace_back().id.uuid = test_uuid(7);
        found.seen = {"[SEEN] tea"};
        found.digest = "one";
        found.model_tokens = 12;
        found.waiting = 3;
        found.batched = 4;
        answer(std::move(found), std::move(done));
    }
    void why(const model::Principal& who, std::string_view session_id, std::string_view key,
             std::function<void(base::Result<ports::Why>)> done) override {
        asked = who.id + " " + std::string(session_id) + " " + std::string(key);
        answer(reasons, std::move(done));
    }
    void interaction(const model::Principal& who, const model::InteractionId& id,
                     std::function<void(base::Result<model::Interaction>)> done) override {
        asked = who.id;
        model::Interaction found = kept_interaction;
        found.id = id;
        answer(std::move(found), std::move(done));
    }
    void interactions(const model::Principal& who, ports::InteractionFilter filter,
                      std::function<void(base::Result<std::vector<model::Interaction>>)> done) override {
        asked = who.id;
        interaction_filter = filter;
        std::vector<model::Interaction> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].ordinal = static_cast<std::int64_t>(i) + 1;
        answer(std::move(found), std::move(done));
    }
    void change_set(const model::Principal& who, const model::ChangeSetId& id,
                    std::function<void(base::Result<model::ProposedChanges>)> done) override {
        asked = who.id;
        model::ProposedChanges found;
        found.set.id = id;
        answer(std::move(found), std::move(done));
    }
    void change_sets(const model::Principal& who, ports::ChangeSetFilter filter,
                     std::function<void(base::Result<std::vector<model::ChangeSet>>)> done) override {
        asked = who.id;
        change_set_filter = filter;
        std::vector<model::ChangeSet> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].ordinal = static_cast<std::int64_t>(i) + 1;
        answer(std::move(found), std::move(done));
    }
    void context_value(const model::Principal& who, model::ContextKey key,
                       std::function<void(base::Result<model::ContextValue>)> done) override {
        asked = who.id;
        answer(test_value(std::move(key)), std::move(done));
    }
    void context_values(const model::Principal& who, ports::ContextFilter filter,
                        std::function<void(base::Result<std::vector<model::ContextValue>>)> done) override {
        asked = who.id;
        const model::Scope scope{filter.user_id, filter.session_id, filter.agent_id};
        answer(std::vector{test_value({"a.a", scope}), test_value({"b.b", scope})}, std::move(done));
    }
    void tool(const model::Principal& who, std::string_view name,
              std::function<void(base::Result<ports::KnownTool>)> done) override {
        asked = who.id;
        for (const ports::KnownTool& tool : known_tools()) {
            if (tool.info.name == name) return answer(tool, std::move(done));
        }
        soon([done = std::move(done)] { done(base::error(base::Code::not_found, "there is no tool of this name")); });
    }
    void tools(const model::Principal& who, std::string_view after, std::size_t limit,
               std::function<void(base::Result<std::vector<ports::KnownTool>>)> done) override {
        asked = who.id;
        std::vector<ports::KnownTool> found = known_tools();
        std::erase_if(found, [&](const ports::KnownTool& tool) { return tool.info.name <= after; });
        if (found.size() > limit) found.resize(limit);
        answer(std::move(found), std::move(done));
    }
    void outside_call(const model::Principal& who, const model::OutsideCallId& id,
                      std::function<void(base::Result<model::OutsideCall>)> done) override {
        asked = who.id;
        model::OutsideCall found;
        found.id = id;
        found.tool_name = "mail";
        answer(std::move(found), std::move(done));
    }
    void outside_calls(const model::Principal& who, ports::OutsideCallFilter filter,
                       std::function<void(base::Result<std::vector<model::OutsideCall>>)> done) override {
        asked = who.id;
        outside_filter = filter;
        std::vector<model::OutsideCall> found(std::min<std::size_t>(filter.limit, 3));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].id.uuid.bytes[15] = static_cast<std::uint8_t>(9 - i);
        answer(std::move(found), std::move(done));
    }
    void run(const model::Principal& who, model::RunId id,
             std::function<void(base::Result<model::Run>)> done) override {
        asked = who.id + " " + std::to_string(id);
        model::Run found;
        found.id = id;
        found.root_id = id;
        found.state = model::RunState::running;
        answer(std::move(found), std::move(done));
    }
    void runs(const model::Principal& who, ports::RunFilter filter,
              std::function<void(base::Result<std::vector<model::Run>>)> done) override {
        asked = who.id;
        run_filter = filter;
        std::vector<model::Run> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].id = 9 - static_cast<std::int64_t>(i);
        answer(std::move(found), std::move(done));
    }
    void agent(const model::Principal& who, std::string_view id,
               std::function<void(base::Result<model::AgentRecord>)> done) override {
        asked = who.id;
        model::AgentRecord found;
        found.agent.id = std::string(id);
        answer(std::move(found), std::move(done));
    }
    void agents(const model::Principal& who, ports::AgentFilter filter,
                std::function<void(base::Result<std::vector<model::AgentRecord>>)> done) override {
        asked = who.id;
        agent_filter = filter;
        std::vector<model::AgentRecord> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].agent.id = "a" + std::to_string(i);
        answer(std::move(found), std::move(done));
    }
    void wake_subscriptions(const model::Principal& who, std::string_view agent_id, const model::SubscriptionId&,
                            std::size_t limit,
                            std::function<void(base::Result<std::vector<model::WakeSubscription>>)> done) override {
        asked = who.id + " " + std::string(agent_id);
        std::vector<model::WakeSubscription> found(std::min(limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].id.uuid = test_uuid(static_cast<int>(i) + 1);
        answer(std::move(found), std::move(done));
    }
    void wake(const model::Principal& who, model::WakeId id,
              std::function<void(base::Result<model::Wake>)> done) override {
        asked = who.id;
        model::Wake found = kept_wake;
        found.id = id;
        answer(std::move(found), std::move(done));
    }
    void wakes(const model::Principal& who, ports::WakeFilter filter,
               std::function<void(base::Result<std::vector<model::Wake>>)> done) override {
        asked = who.id;
        wake_filter = filter;
        std::vector<model::Wake> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].id = 9 - static_cast<std::int64_t>(i);
        answer(std::move(found), std::move(done));
    }
    void wake_signals(const model::Principal& who, model::WakeId, std::int64_t after, std::size_t limit,
                      std::function<void(base::Result<std::vector<model::WakeSignal>>)> done) override {
        asked = who.id;
        std::vector<model::WakeSignal> found(std::min(limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].ordinal = after + static_cast<std::int64_t>(i) + 1;
        answer(std::move(found), std::move(done));
    }
    void timer(const model::Principal& who, std::string_view agent_id, const model::TimerId& id,
               std::function<void(base::Result<model::ShownTimer>)> done) override {
        asked = who.id + " " + std::string(agent_id);
        model::ShownTimer found;
        found.timer.id = id;
        answer(std::move(found), std::move(done));
    }
    void timers(const model::Principal& who, ports::TimerFilter filter,
                std::function<void(base::Result<std::vector<model::ShownTimer>>)> done) override {
        asked = who.id;
        timer_filter = filter;
        std::vector<model::ShownTimer> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) {
            found[i].timer.id.uuid = test_uuid(static_cast<int>(i) + 1);
            if (i == 0) found[i].timer.next_run_at = base::Timestamp{5};
        }
        answer(std::move(found), std::move(done));
    }
    void agent_messages(const model::Principal& who, ports::AgentMessageFilter filter,
                        std::function<void(base::Result<std::vector<model::AgentMessage>>)> done) override {
        asked = who.id;
        message_filter = filter;
        std::vector<model::AgentMessage> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].id = test_uuid(static_cast<int>(i) + 1);
        answer(std::move(found), std::move(done));
    }
    void agent_message(const model::Principal& who, std::string_view agent_id, const base::Uuid& id,
                       std::function<void(base::Result<model::AgentMessage>)> done) override {
        asked = who.id + " " + std::string(agent_id);
        model::AgentMessage found;
        found.id = id;
        answer(std::move(found), std::move(done));
    }
    void wake_plans(const model::Principal& who, model::WakeId,
                    std::function<void(base::Result<std::vector<model::PlanNow>>)> done) override {
        asked = who.id;
        answer(std::vector<model::PlanNow>(1), std::move(done));
    }
    void memory(const model::Principal& who, std::string_view agent_id, std::string_view thread_id,
                std::function<void(base::Result<model::AssembledMemory>)> done) override {
        asked = who.id + " " + std::string(agent_id) + " " + std::string(thread_id);
        model::AssembledMemory found;
        found.thread_id = thread_id;
        found.choices.emplace_back().fate = model::MemoryFate::over_budget;
        answer(std::move(found), std::move(done));
    }
    void memory_threads(const model::Principal& who, ports::ThreadFilter filter,
                        std::function<void(base::Result<std::vector<model::AgentThread>>)> done) override {
        asked = who.id;
        thread_filter = filter;
        std::vector<model::AgentThread> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].thread_id = "a:session:" + std::to_string(i + 1);
        answer(std::move(found), std::move(done));
    }
    void memory_summaries(const model::Principal& who, std::string_view agent_id, std::optional<base::Uuid> folded_into,
                          std::function<void(base::Result<std::vector<ports::PlacedSummary>>)> done) override {
        asked =
            who.id + " " + std::string(agent_id) + " " + (folded_into ? base::format_uuid(*folded_into) : "frontier");
        answer(std::vector<ports::PlacedSummary>(1), std::move(done));
    }
    void memory_summary(const model::Principal& who, ports::SummaryQuestion question,
                        std::function<void(base::Result<ports::OpenedSummary>)> done) override {
        asked = who.id + " " + question.agent_id + " " + base::format_uuid(question.id) + " " +
                std::to_string(question.after) + " " + std::to_string(question.limit);
        ports::OpenedSummary opened;
        opened.span.resize(std::min(question.limit, kept));
        opened.next = question.after + static_cast<std::int64_t>(opened.span.size());
        answer(std::move(opened), std::move(done));
    }
    void recall(const model::Principal& who, ports::RecallQuestion question,
                std::function<void(base::Result<std::vector<model::RecalledMessage>>)> done) override {
        asked = who.id;
        recall_question = std::move(question);
        std::vector<model::RecalledMessage> found(1);
        found[0].snippet = "the key";
        found[0].words = 2;
        answer(std::move(found), std::move(done));
    }
    void fold_jobs(const model::Principal& who, ports::FoldJobFilter filter,
                   std::function<void(base::Result<std::vector<model::FoldJob>>)> done) override {
        asked = who.id;
        fold_filter = filter;
        std::vector<model::FoldJob> found(std::min(filter.limit, kept));
        for (std::size_t i = 0; i < found.size(); ++i) found[i].id = test_uuid(static_cast<int>(i) + 1);
        answer(std::move(found), std::move(done));
    }
    void agent_export(const model::Principal& who, ports::AgentExportQuestion question,
                      std::function<void(base::Result<ports::AgentExportPage>)> done) override {
        asked = who.id;
        ports::AgentExportPage page;
        model::AgentMessage said;
        said.id = test_uuid(2);
        said.agent_id = question.agent_id;
        said.thread_id = question.agent_id + ":session:s1";
        said.prev_message_id = test_action().id;
        if (question.after == 0) {
            model::AgentRecord& record = page.agent.emplace();
            record.agent.id = question.agent_id;
            record.agent.user_id = "ada";
            record.agent.memory.hot_messages = 7;
            record.state.slots.primary_goal = "tea";
            page.messages = {test_action(), said};
        } else {
            page.messages = {said};
        }
        page.next = export_place;
        answer(std::move(page), std::move(done));
    }
    void sync_status(const model::Principal& who, std::function<void(base::Result<ports::SyncStatus>)> done) override {
        asked = who.id;
        answer(devices, std::move(done));
    }
    void merge_notes(const model::Principal& who, std::int64_t below, std::size_t limit,
                     std::function<void(base::Result<std::vector<model::MergeNote>>)> done) override {
        asked = who.id + ' ' + std::to_string(below) + ' ' + std::to_string(limit);
        std::vector<model::MergeNote> notes(std::min(limit, kept));
        for (std::size_t i = 0; i < notes.size(); ++i) notes[i].number = static_cast<std::int64_t>(kept - i);
        answer(std::move(notes), std::move(done));
    }
    void journal_record(const model::Principal& who, ports::JournalAccess access, model::JournalKind kind,
                        std::string_view id, std::function<void(base::Result<model::JournalRecord>)> done) override {
        asked = who.id;
        journal_access = std::move(access);
        answer(test_record(kind, std::string(id)), std::move(done));
    }
    void journal_list(const model::Principal& who, ports::JournalQuestion question,
                      std::function<void(base::Result<ports::JournalList>)> done) override {
        asked = who.id;
        ports::JournalList list;
        list.records = {test_record(question.kind.value_or(model::JournalKind::task), "r1")};
        list.next = journal_next;
        journal_question = std::move(question);
        answer(std::move(list), std::move(done));
    }
    void journal_links(const model::Principal& who, ports::LinkQuestion question,
                       std::function<void(base::Result<std::vector<model::Link>>)> done) override {
        asked = who.id;
        std::vector<model::Link> links(std::min(question.filter.limit, kept));
        for (std::size_t i = 0; i < links.size(); ++i) {
            links[i].relation = "blocked_by";
            links[i].from_id = question.filter.from_id.empty() ? "f" + std::to_string(i) : question.filter.from_id;
            links[i].to_id = question.filter.to_id.empty() ? "t" + std::to_string(i) : question.filter.to_id;
        }
        link_question = std::move(question);
        answer(std::move(links), std::move(done));
    }
    void journal_export(const model::Principal& who, ports::ExportQuestion question,
                        std::function<void(base::Result<ports::ExportPage>)> done) override {
        asked = who.id;
        export_question = std::move(question);
        ports::ExportPage page;
        page.items = {test_record(model::JournalKind::task, "r1"), model::Link{}};
        page.next = export_next;
        answer(std::move(page), std::move(done));
    }
    void journal_overview(const model::Principal& who, ports::JournalAccess access,
                          std::function<void(base::Result<ports::JournalOverview>)> done) override {
        asked = who.id;
        journal_access = std::move(access);
        ports::JournalOverview overview;
        overview.holds_anything = true;
        if (kept > 0) overview.running = test_record(model::JournalKind::time_entry, "running");
        answer(std::move(overview), std::move(done));
    }
    [[nodiscard]] std::shared_ptr<const model::Catalogue> catalogue() const override { return known; }
    void settings(const model::Principal& who, std::string_view user_id,
                  std::function<void(base::Result<model::UserSettings>)> done) override {
        asked = who.id;
        answer(model::UserSettings{user_id.empty() ? "owner" : std::string(user_id), {"subagent"}}, std::move(done));
    }

    ports::Readiness state = ports::Readiness::ready;
    std::function<void(std::function<void()>)> soon;
    std::optional<base::Error> refusal;
    std::size_t kept = 3;  // sessions, notifications, nodes that there are
    std::string content;   // of each of them
    std::shared_ptr<const model::Catalogue> known;
    std::string asked;
    ports::NotificationFilter notification_filter;
    ports::SessionFilter session_filter;
    ports::RunFilter run_filter;
    ports::AgentFilter agent_filter;
    ports::WakeFilter wake_filter;
    ports::TimerFilter timer_filter;
    ports::AgentMessageFilter message_filter;
    ports::ThreadFilter thread_filter;
    ports::RecallQuestion recall_question;
    ports::FoldJobFilter fold_filter;
    ports::SyncStatus devices;
    std::int64_t export_place = 0;
    ports::OutsideCallFilter outside_filter;
    ports::JournalAccess journal_access;
    ports::JournalQuestion journal_question;
    std::optional<ports::JournalPlace> journal_next;
    ports::LinkQuestion link_question;
    ports::ExportQuestion export_question;
    std::optional<ports::ExportPlace> export_next;
    model::Wake kept_wake;
    ports::HistoryQuestion history_question;
    std::optional<ports::HistoryPlace> history_next;
    std::string session_title;
    ports::NotificationReading::InboxQuestion inbox_question;
    ports::Why reasons;
    model::Interaction kept_interaction;
    ports::InteractionFilter interaction_filter;
    ports::ChangeSetFilter change_set_filter;

private:
    static std::vector<ports::KnownTool> known_tools() {
        static const model::ToolContract own = [] {
            model::ToolContract contract;
            contract.name = "look";
            contract.capabilities = {model::AgentCapability::task_read};
            contract.idempotency = model::ToolIdempotency::read_only;
            return contract;
        }();
        std::vector<ports::KnownTool> tools(4);
        tools[0].info.name = "curl";
        tools[1].info.name = "grep";
        tools[1].info.impact = model::Impact::internal;
        tools[2] = {{"look", model::Impact::internal, "looks", {}, {}}, &own};
        tools[3].info.name = "mail";
        return tools;
    }
    template <class T>
    void answer(T found, std::function<void(base::Result<T>)> done) {
        base::Result<T> result(std::move(found));
        if (refusal) result = *refusal;
        soon([result = std::move(result), done = std::move(done)] { done(result); });
    }
};

}  // namespace belfry::net::test
