#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "ports/beside.hpp"
#include "view/kept_memory_test.hpp"

// What the tests of this room read from.
namespace belfry::view {

template <class T, class Is>
base::Result<std::optional<T>> pick(const std::optional<base::Error>& failure, const std::vector<T>& kept, Is is) {
    if (failure) return *failure;
    for (const T& one : kept) {
        if (is(one)) return std::optional<T>(one);
    }
    return std::optional<T>{};
}

class KeptNotifications final : public ports::NotificationReading {
public:
    base::Result<std::optional<model::Notification>> find(const model::NotificationId& id) override {
        return pick(failure, kept, [&](const model::Notification& one) { return one.id == id; });
    }
    base::Result<std::optional<model::Notification>> find_handle(std::string_view session_id,
                                                                 std::int64_t handle) override {
        return pick(failure, kept, [&](const model::Notification& one) {
            return one.handed_to == session_id && one.handle == handle;
        });
    }
    base::Result<std::vector<model::Notification>> list(const ports::NotificationFilter& filter) override {
        if (failure) return *failure;
        asked = filter;
        std::vector<model::Notification> found;
        for (const model::Notification& one : kept) {
            if (!filter.user_id.empty() && one.scope.user_id != filter.user_id) continue;
            if (!filter.session_id.empty() && one.scope.session_id != filter.session_id) continue;
            if (filter.open_only && model::is_terminal(one.state)) continue;
            if (one.ordinal <= filter.after) continue;
            found.push_back(one);
            if (found.size() == filter.limit) break;
        }
        return found;
    }
    base::Result<Figures> figures(std::string_view user_id) override {
        asked_user = user_id;
        return Figures{{{model::DeliveryState::failed, 2}}, {{"nobody_there", 2}}, std::nullopt, 3};
    }
    base::Result<std::vector<model::Transition>> steps(const model::NotificationId& id) override {
        if (failure) return *failure;
        std::vector<model::Transition> found;
        for (const model::Transition& step : kept_steps) {
            if (step.notification == id) found.push_back(step);
        }
        return found;
    }
    base::Result<std::vector<model::Notification>> of_event(const model::EventId&, base::Timestamp from,
                                                            base::Timestamp to, Repeats) override {
        if (failure) return *failure;
        std::vector<model::Notification> found;
        for (const model::Notification& one : kept) {
            if (one.created_at >= from && one.created_at <= to) found.push_back(one);
        }
        return found;
    }
    base::Result<std::vector<model::WaitingRow>> waiting_of(std::string_view user_id) override {
        if (failure) return *failure;
        std::vector<model::WaitingRow> found;
        for (const model::WaitingRow& row : kept_rows) {
            if (row.scope.user_id == user_id) found.push_back(row);
        }
        return found;
    }
    base::Result<std::int64_t> count_waiting(std::string_view user_id, std::string_view session_id) override {
        if (failure) return *failure;
        std::int64_t count = 0;
        for (const model::WaitingRow& row : kept_rows) {
            const bool is_there = row.scope.session_id.empty() || row.scope.session_id == session_id;
            if (row.scope.user_id == user_id && is_there) count += row.count;
        }
        return count;
    }
    base::Result<ports::Due> due(const ports::DueQuestion& question) override {
        if (failure) return *failure;
        due_asked = question;
        return kept_due;
    }
    base::Result<ports::Facts> facts(const ports::FactQuestion& question) override {
        if (failure) return *failure;
        facts_asked = std::string(question.user_id) + " " + std::string(question.session_id) + " " +
                      (question.after ? std::to_string(*question.after) : "new") + " " +
                      std::to_string(question.counted);
        return kept_facts;
    }
    base::Result<std::vector<model::Notification>> inbox(const InboxQuestion& question) override {
        inbox_asked = question;
        ports::NotificationFilter all;
        all.user_id = question.user_id;
        all.session_id = question.session_id;
        return list(all);
    }
    base::Result<InboxCounts> inbox_counts(std::string_view user_id, std::string_view session_id) override {
        if (session_id == "a1") return InboxCounts{1, 0};
        return user_id == "ada" ? InboxCounts{2, 1} : InboxCounts{};
    }

    std::vector<model::Transition> kept_steps;
    std::vector<model::WaitingRow> kept_rows;
    ports::Due kept_due;
    ports::DueQuestion due_asked;
    ports::Facts kept_facts;
    std::string facts_asked;
    InboxQuestion inbox_asked;
    std::vector<model::Notification> kept;
    ports::NotificationFilter asked;
    std::string asked_user;
    std::optional<base::Error> failure;
};

class KeptSessions final : public ports::SessionReading {
public:
    base::Result<std::optional<model::Session>> find(std::string_view id) override {
        return pick(failure, kept, [&](const model::Session& one) { return one.id == id; });
    }
    base::Result<std::vector<model::Session>> list(const ports::SessionFilter& filter) override {
        if (failure) return *failure;
        asked = filter;
        std::vector<model::Session> found;
        for (const model::Session& one : kept) {
            const bool is_of_user = filter.user_id.empty() || one.user_id == filter.user_id;
            if (is_of_user && one.id > filter.after && found.size() < filter.limit) found.push_back(one);
        }
        given += found.size();
        return found;
    }
    // Knows no node but the head.
    base::Result<ports::HistoryPage> path(std::string_view session_id, const std::optional<ports::HistoryPlace>& leaf,
                                          std::size_t limit, std::size_t bytes_max) override {
        note("path", session_id, leaf, limit, bytes_max);
        return ports::HistoryPage{std::vector<ports::HistoryNode>(leaf ? 0U : 1U), {}};
    }
    base::Result<ports::HistoryPage> tree(std::string_view session_id, const std::optional<ports::HistoryPlace>& after,
                                          std::size_t limit, std::size_t bytes_max) override {
        note("tree", session_id, after, limit, bytes_max);
        return ports::HistoryPage{};
    }
    base::Result<model::UserSettings> settings(std::string_view user_id) override {
        if (failure) return *failure;
        return model::UserSettings{std::string(user_id), {"subagent"}};
    }
    base::Result<std::vector<model::SessionMessage>> waiting_messages(std::string_view, base::Timestamp,
                                                                      std::size_t) override {
        if (failure) return *failure;
        return waiting;
    }

    std::vector<model::SessionMessage> waiting;
    std::vector<model::Session> kept;
    ports::SessionFilter asked;
    std::size_t given = 0;
    std::string history_asked;
    std::optional<base::Error> failure;

private:
    void note(const char* shape, std::string_view session_id, const std::optional<ports::HistoryPlace>& place,
              std::size_t limit, std::size_t bytes_max) {
        EXPECT_EQ(bytes_max, base::limits::page_bytes_max);
        history_asked = std::string(shape) + " " + std::string(session_id) + " " + std::to_string(limit);
        if (place) history_asked += " " + base::format_uuid(place->node.uuid);
    }
};

class KeptInteractions final : public ports::InteractionReading {
public:
    base::Result<std::optional<model::Interaction>> find(const model::InteractionId& id) override {
        return pick({}, kept, [&](const model::Interaction& one) { return one.id == id; });
    }
    base::Result<std::vector<model::Interaction>> list(const ports::InteractionFilter& filter) override {
        asked = filter;
        std::vector<model::Interaction> found;
        for (const model::Interaction& one : kept) {
            const bool is_of_user = filter.user_id.empty() || one.user_id == filter.user_id;
            if (is_of_user && one.ordinal > filter.after && found.size() < filter.limit) found.push_back(one);
        }
        given += found.size();
        return found;
    }

    std::vector<model::Interaction> kept;
    ports::InteractionFilter asked;
    std::size_t given = 0;
};

class KeptChangeSets final : public ports::ChangeSetReading {
public:
    base::Result<std::optional<model::ProposedChanges>> find(const model::ChangeSetId& id) override {
        return pick({}, kept, [&](const model::ProposedChanges& one) { return one.set.id == id; });
    }
    base::Result<std::vector<model::ChangeSet>> list(const ports::ChangeSetFilter& filter) override {
        asked = filter;
        std::vector<model::ChangeSet> found;
        for (const model::ProposedChanges& one : kept) {
            const bool is_of_user = filter.user_id.empty() || one.set.user_id == filter.user_id;
            if (is_of_user && one.set.ordinal > filter.after && found.size() < filter.limit) found.push_back(one.set);
        }
        return found;
    }

    std::vector<model::ProposedChanges> kept;
    ports::ChangeSetFilter asked;
};

class KeptAgents final : public ports::AgentReading {
public:
    base::Result<std::optional<model::AgentRecord>> find(std::string_view id) override {
        return pick({}, kept, [&](const model::AgentRecord& one) { return one.agent.id == id; });
    }
    base::Result<std::vector<model::AgentRecord>> list(const ports::AgentFilter& filter) override {
        asked = filter;
        std::vector<model::AgentRecord> found;
        for (const model::AgentRecord& one : kept) {
            const bool is_of_user = filter.user_id.empty() || one.agent.user_id == filter.user_id;
            if (is_of_user && one.agent.id > filter.after && found.size() < filter.limit) found.push_back(one);
        }
        return found;
    }
    base::Result<std::vector<model::WakeSubscription>> subscriptions(std::string_view) override { return rules; }
    base::Result<std::optional<model::Wake>> wake(model::WakeId id) override {
        return pick({}, kept_wakes, [&](const model::Wake& one) { return one.id == id; });
    }
    base::Result<std::set<std::string>> queued(std::string_view first, std::string_view last) override {
        std::set<std::string> found;
        for (const model::Wake& one : kept_wakes) {
            const bool is_asked = one.agent_id >= first && one.agent_id <= last;
            if (is_asked && one.state == model::WakeState::queued) found.insert(one.agent_id);
        }
        return found;
    }
    base::Result<std::vector<model::Wake>> wakes(const ports::WakeFilter& filter) override {
        wakes_asked = filter;
        std::vector<model::Wake> found;  // the newest first, as they are kept
        for (const model::Wake& one : kept_wakes) {
            const bool is_of_user = filter.user_id.empty() || one.user_id == filter.user_id;
            const bool is_next = filter.after == 0 || one.id < filter.after;
            if (is_of_user && is_next && found.size() < filter.limit) found.push_back(one);
        }
        return found;
    }
    base::Result<std::vector<model::WakeSignal>> signals(model::WakeId, std::int64_t after,
                                                         std::size_t limit) override {
        std::vector<model::WakeSignal> found;
        for (const model::WakeSignal& one : kept_signals) {
            if (one.ordinal > after && found.size() < limit) found.push_back(one);
        }
        return found;
    }

    std::vector<model::AgentRecord> kept;
    std::vector<model::WakeSubscription> rules;
    std::vector<model::Wake> kept_wakes;
    std::vector<model::WakeSignal> kept_signals;
    ports::AgentFilter asked;
    ports::WakeFilter wakes_asked;
};

class KeptAgentMessages final : public ports::AgentMessageReading {
public:
    base::Result<std::optional<model::AgentMessage>> find(const base::Uuid& id) override {
        return pick({}, kept, [&](const model::AgentMessage& one) { return one.id == id; });
    }
    base::Result<std::vector<model::AgentMessage>> list(const ports::AgentMessageFilter& filter) override {
        asked = filter;
        std::vector<model::AgentMessage> found;  // the newest first, as they are kept
        bool is_after = !filter.after;
        for (const model::AgentMessage& one : kept) {
            if (is_after && found.size() < filter.limit) found.push_back(one);
            is_after = is_after || one.id == filter.after;
        }
        return found;
    }
    base::Result<std::vector<model::PlanNow>> plans(std::string_view) override { return std::vector<model::PlanNow>{}; }

    std::vector<model::AgentMessage> kept;
    ports::AgentMessageFilter asked;
};

// A store that holds what a test puts into it, and remembers how it was asked.
class KeptRuns final : public ports::RunReading {
public:
    base::Result<std::optional<model::Run>> find(model::RunId id) override {
        return pick(failure, kept, [&](const model::Run& one) { return one.id == id; });
    }
    base::Result<model::RunId> last_id() override { return last; }
    base::Result<std::vector<model::Run>> list(const ports::RunFilter& filter) override {
        if (failure) return *failure;
        asked = filter;
        std::vector<model::Run> found;  // the newest first, as they are kept
        for (const model::Run& one : kept) {
            if ((filter.after == 0 || one.id < filter.after) && found.size() < filter.limit) found.push_back(one);
        }
        given += found.size();
        return found;
    }

    std::size_t given = 0;
    std::vector<model::Run> kept;
    model::RunId last = 0;
    ports::RunFilter asked;
    std::optional<base::Error> failure;
};

class KeptTimers final : public ports::TimerReading {
public:
    base::Result<std::optional<model::AgentTimer>> find(const model::TimerId& id) override {
        return pick({}, kept, [&](const model::AgentTimer& one) { return one.id == id; });
    }
    base::Result<std::vector<model::AgentTimer>> list(const ports::TimerFilter& filter) override {
        asked = filter;
        return kept;
    }

    std::vector<model::AgentTimer> kept;
    ports::TimerFilter asked;
};

class KeptJournal final : public ports::JournalReading {
public:
    using Records = std::vector<model::JournalRecord>;
    using Links = std::vector<model::Link>;
    base::Result<Records> find(std::string_view user_id, std::span<const std::string> ids,
                               const ports::JournalScope& categories) override {
        Records found;
        for (const model::JournalRecord& one : kept) {
            const bool is_asked_for = one.user_id == user_id && std::ranges::find(ids, one.id) != ids.end();
            if (is_asked_for && is_in(categories, one.category_id)) found.push_back(one);
        }
        return found;
    }
    base::Result<ports::JournalPage> list(const ports::JournalFilter& filter) override {
        asked = filter;
        return page;
    }
    base::Result<std::vector<std::string>> terms_from(std::string_view, std::string_view, std::size_t) override {
        return terms;
    }
    base::Result<Links> links(const ports::LinkFilter& filter) override {
        links_asked = filter;
        return kept_links;
    }
    base::Result<Records> records_after(std::string_view, std::int64_t number, const ports::JournalScope&,
                                        std::size_t limit) override {
        Records found;  // by number, as they are kept
        for (const model::JournalRecord& one : kept) {
            if (one.number > number && found.size() < limit) found.push_back(one);
        }
        return found;
    }
    base::Result<Links> links_after(const ports::LinkName&, const ports::JournalScope&, std::size_t) override {
        return kept_links;
    }
    base::Result<bool> holds_anything(std::string_view) override { return !kept.empty(); }

    Records kept;
    Links kept_links;
    std::vector<std::string> terms;
    ports::JournalPage page;
    ports::JournalFilter asked;
    ports::LinkFilter links_asked;

private:
    static bool is_in(const ports::JournalScope& categories, const std::string& category) {
        return !categories || std::ranges::find(*categories, category) != categories->end();
    }
};

class KeptOutsideCalls final : public ports::OutsideCallReading {
public:
    base::Result<std::optional<model::OutsideCall>> find(const model::OutsideCallId& id) override {
        const auto at = std::ranges::find(kept, id, &model::OutsideCall::id);
        return at == kept.end() ? std::nullopt : std::optional(*at);
    }
    base::Result<std::vector<model::OutsideCall>> list(const ports::OutsideCallFilter& filter) override {
        std::vector<model::OutsideCall> found;
        for (const model::OutsideCall& one : kept) {
            const bool is_his = filter.user_id.empty() || one.user_id == filter.user_id;
            const bool is_next = !filter.after || one.id < *filter.after;
            if (is_his && is_next && found.size() < filter.limit) found.push_back(one);
        }
        return found;
    }

    std::vector<model::OutsideCall> kept;  // newest first
};

class KeptSync final : public ports::SyncReading {
public:
    base::Result<ports::SyncStatus> status() override { return kept; }
    base::Result<std::vector<model::MergeNote>> notes(std::int64_t below, std::size_t limit) override {
        std::vector<model::MergeNote> found;
        for (const model::MergeNote& one : kept_notes) {
            if ((below == 0 || one.number < below) && found.size() < limit) found.push_back(one);
        }
        return found;
    }

    ports::SyncStatus kept;
    std::vector<model::MergeNote> kept_notes;  // newest first
};

class KeptContextValues final : public ports::ContextReading {
public:
    using Values = std::vector<model::ContextValue>;
    base::Result<std::optional<model::ContextValue>> find(const model::ContextKey& key, base::Timestamp now) override {
        for (const model::ContextValue& one : kept) {
            if (one.key == key && model::is_current(one, now)) return std::optional(one);
        }
        return std::optional<model::ContextValue>{};
    }
    base::Result<Values> in_scope(const ports::ContextScope& question) override {
        const model::Scope& in = question.scope;
        return pick_values([&](const model::ContextValue& one) {
            const model::Scope& of = one.key.scope;
            return of.user_id == in.user_id && (of.session_id.empty() || of.session_id == in.session_id) &&
                   (of.agent_id.empty() || of.agent_id == in.agent_id) && model::is_current(one, question.now);
        });
    }
    base::Result<Values> list(const ports::ContextFilter& filter) override {
        return pick_values([&](const model::ContextValue& one) {
            const model::Scope& of = one.key.scope;
            return of.user_id == filter.user_id && (filter.session_id.empty() || of.session_id == filter.session_id) &&
                   (filter.agent_id.empty() || of.agent_id == filter.agent_id) && model::is_current(one, filter.now);
        });
    }

    Values kept;

private:
    template <class Wanted>
    Values pick_values(Wanted wanted) const {
        Values found;
        for (const model::ContextValue& one : kept) {
            if (wanted(one)) found.push_back(one);
        }
        return found;
    }
};

class TestStore : public ports::Reading {
public:
    base::Result<ports::BlockPage> blocks(model::StreamId, model::Sequence, std::size_t) override {
        return ports::BlockPage{};
    }
    base::Result<std::vector<model::StreamInfo>> streams() override { return std::vector<model::StreamInfo>{}; }
    base::Result<std::optional<ports::Obligation>> obligation(const base::Uuid&) override {
        return std::optional<ports::Obligation>{};
    }
    base::Result<std::vector<ports::Obligation>> given_up(std::string_view, const std::optional<ports::GivenUpPlace>&,
                                                          std::size_t) override {
        return std::vector<ports::Obligation>{};
    }
    base::Result<std::vector<model::AccessToken>> tokens() override { return std::vector<model::AccessToken>{}; }
    base::Result<ports::StoreFigures> figures() override {
        if (figures_failure) return *figures_failure;
        return ports::StoreFigures{};
    }
    base::Result<ports::OpenFigures> open_figures() override { return ports::OpenFigures{}; }
    base::Result<std::optional<ports::FoundEvent>> event(const model::EventId& id) override {
        return id == kept_event_id ? kept_event : std::nullopt;
    }
    base::Result<std::optional<model::ToolInfo>> tool(std::string_view name) override {
        return pick({}, kept_tools, [&](const model::ToolInfo& one) { return one.name == name; });
    }
    base::Result<std::vector<model::ToolInfo>> tools(std::string_view after, std::size_t limit) override {
        std::vector<model::ToolInfo> found;
        for (const model::ToolInfo& one : kept_tools) {
            if (one.name > after && found.size() < limit) found.push_back(one);
        }
        tools_given += found.size();
        return found;
    }
    ports::NotificationReading& notifications() override { return kept_notifications; }
    ports::SessionReading& sessions() override { return kept_sessions; }
    ports::InteractionReading& interactions() override { return kept_interactions; }
    ports::RunReading& runs() override { return kept_runs; }
    ports::AgentMessageReading& agent_messages() override { return kept_agent_messages; }
    ports::MemoryReading& memory() override { return kept_memory; }
    ports::AgentReading& agents() override { return kept_agents; }
    ports::TimerReading& timers() override { return kept_timers; }
    ports::JournalReading& journal() override { return kept_journal; }
    ports::ChangeSetReading& change_sets() override { return kept_change_sets; }
    ports::OutsideCallReading& outside_calls() override { return kept_outside_calls; }
    ports::SyncReading& sync() override { return kept_sync; }
    ports::ContextReading& context_values() override { return kept_context_values; }

    std::optional<base::Error> figures_failure;
    std::vector<model::ToolInfo> kept_tools;
    std::size_t tools_given = 0;
    model::EventId kept_event_id;
    std::optional<ports::FoundEvent> kept_event;
    KeptNotifications kept_notifications;
    KeptSessions kept_sessions;
    KeptInteractions kept_interactions;
    KeptRuns kept_runs;
    KeptAgents kept_agents;
    KeptTimers kept_timers;
    KeptAgentMessages kept_agent_messages;
    KeptMemory kept_memory;
    KeptJournal kept_journal;
    KeptChangeSets kept_change_sets;
    KeptOutsideCalls kept_outside_calls;
    KeptSync kept_sync;
    KeptContextValues kept_context_values;
};

// Does what it is asked when the test says so.
class LaterBeside final : public ports::Beside {
public:
    explicit LaterBeside(ports::Reading& reading) : reading_(reading) {}
    void read(std::function<void(ports::Reading&)> job, std::function<void()> then) override {
        jobs.push_back({std::move(job), std::move(then)});
    }
    void do_reads() {
        for (auto& [job, then] : jobs) job(reading_);
    }
    void answer() {
        auto done = std::move(jobs);
        jobs.clear();
        for (auto& [job, then] : done) then();
    }
    std::vector<std::pair<std::function<void(ports::Reading&)>, std::function<void()>>> jobs;

private:
    ports::Reading& reading_;
};

}  // namespace belfry::view
