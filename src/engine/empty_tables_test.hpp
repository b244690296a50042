#pragma once

#include "ports/store.hpp"
#include "ports/subscribers.hpp"

// Tables without a row that keep none, for a store of tests that are not about them.
namespace belfry::engine::testing {

class EmptyWaiting final : public ports::WaitingTable {
public:
    base::Result<std::vector<model::WaitingRow>> load() override { return std::vector<model::WaitingRow>{}; }
    base::Result<void> insert(std::span<const model::WaitingRow>) override { return {}; }
    base::Result<void> update(std::span<const Count>) override { return {}; }
    base::Result<void> remove(std::span<const std::int64_t>) override { return {}; }
    base::Result<std::uint64_t> erase_user(std::string_view) override { return std::uint64_t{0}; }
};

class EmptyNotifications : public ports::NotificationTable {
public:
    using Maybe = std::optional<model::Notification>;
    using List = std::vector<model::Notification>;
    base::Result<std::int64_t> next_ordinal() override { return std::int64_t{1}; }
    base::Result<void> insert(std::span<const model::Notification>) override { return {}; }
    base::Result<List> due(const ports::DueQuestion&) override { return List{}; }
    base::Result<std::int64_t> count_due(const ports::DueQuestion&) override { return std::int64_t{0}; }
    base::Result<std::int64_t> count_open(const model::Scope&) override { return std::int64_t{0}; }
    base::Result<Maybe> least(const model::Scope&, model::Severity) override { return Maybe{}; }
    base::Result<Maybe> newest_pending(const model::Scope&, std::string_view) override { return Maybe{}; }
    base::Result<Maybe> find(const model::NotificationId&) override { return Maybe{}; }
    base::Result<Maybe> find_handle(std::string_view, std::int64_t) override { return Maybe{}; }
    base::Result<List> of_pull(const base::Uuid&) override { return List{}; }
    base::Result<List> created_since(base::Timestamp) override { return List{}; }
    base::Result<bool> update(const model::Notification&, std::int64_t) override { return false; }
    base::Result<void> pass_over(std::span<const model::NotificationId>) override { return {}; }
    base::Result<bool> mark(const model::Notification&) override { return false; }
    base::Result<bool> revise(const model::Notification&) override { return false; }
    base::Result<Maybe> find_key(std::string_view, std::string_view) override { return Maybe{}; }
    base::Result<Maybe> find_held_key(std::string_view, std::string_view, std::int64_t) override { return Maybe{}; }
    base::Result<List> overdue(base::Timestamp, std::size_t) override { return List{}; }
    base::Result<std::optional<base::Timestamp>> next_deadline() override { return std::optional<base::Timestamp>{}; }
    base::Result<List> for_interfaces(const InterfaceQuestion&) override { return List{}; }
    base::Result<List> held_by_session(std::string_view) override { return List{}; }
    base::Result<List> leases_of_session(std::string_view) override { return List{}; }
    base::Result<std::int64_t> renew(std::span<const model::Notification>) override { return std::int64_t{0}; }
    base::Result<ports::Facts> facts(const ports::FactQuestion&) override { return ports::Facts{}; }
    std::int64_t next_fact_number() override { return 1; }
    base::Result<void> put_facts(std::span<const model::Notification>) override { return {}; }
    base::Result<bool> has_open_retry(std::string_view, const model::NotificationId&) override { return false; }
    base::Result<std::optional<std::int64_t>> depth_held_by(std::string_view) override {
        return std::optional<std::int64_t>{};
    }
    base::Result<std::optional<std::int64_t>> depth_held(std::string_view) override {
        return std::optional<std::int64_t>{};
    }
    base::Result<List> open_of_session(std::string_view, std::size_t) override { return List{}; }
    base::Result<void> add_steps(std::span<const model::Transition>) override { return {}; }
    base::Result<std::int64_t> count_steps(const model::NotificationId&, std::string_view) override {
        return std::int64_t{0};
    }
    base::Result<std::uint64_t> drop_ended(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class EmptySessions final : public ports::SessionTable {
public:
    base::Result<std::vector<model::Session>> find(std::span<const std::string>) override {
        return std::vector<model::Session>{};
    }
    base::Result<void> put(std::span<const model::Session>) override { return {}; }
    base::Result<void> empty(std::string_view) override { return {}; }
    base::Result<void> add_node(const model::ContextNode&) override { return {}; }
    base::Result<std::optional<model::ContextNode>> find_node(std::string_view, const model::NodeId&) override {
        return std::optional<model::ContextNode>{};
    }
    base::Result<std::optional<model::ContextNode>> find_system_message(std::string_view, const base::Uuid&,
                                                                        base::Timestamp) override {
        return std::optional<model::ContextNode>{};
    }
    base::Result<void> put_system_messages(const model::ContextNode&) override { return {}; }
    base::Result<void> append_system_messages(std::span<const SystemMessages>) override { return {}; }
    base::Result<void> add_message(const model::SessionMessage&) override { return {}; }
    base::Result<std::optional<std::int64_t>> message_ordinal(const model::MessageId&) override {
        return std::optional<std::int64_t>{};
    }
    base::Result<void> add_reminder(const model::Reminder&) override { return {}; }
    base::Result<std::vector<model::Reminder>> reminders(std::string_view) override {
        return std::vector<model::Reminder>{};
    }
    base::Result<void> remove_reminder(const base::Uuid&) override { return {}; }
    base::Result<std::optional<base::Timestamp>> next_timeout() override { return std::optional<base::Timestamp>{}; }
    base::Result<std::vector<std::string>> timed_out(base::Timestamp, std::size_t) override {
        return std::vector<std::string>{};
    }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class EmptyContextValues final : public ports::ContextTable {
public:
    base::Result<void> put(const model::ContextValue&) override { return {}; }
    base::Result<bool> remove(const model::ContextKey&, base::Timestamp) override { return false; }
    base::Result<std::vector<model::ContextValue>> in_scope(const ports::ContextScope&) override {
        return std::vector<model::ContextValue>{};
    }
    base::Result<std::int64_t> count_others(const model::ContextKey&, base::Timestamp) override {
        return std::int64_t{0};
    }
    base::Result<std::uint64_t> drop_expired(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
    base::Result<void> drop_expired_of(std::string_view, base::Timestamp) override { return {}; }
    base::Result<void> remove_session(std::string_view) override { return {}; }
    base::Result<void> set_back(base::Duration) override { return {}; }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class EmptySettings final : public ports::SettingsTable {
public:
    base::Result<std::vector<model::UserSettings>> load() override { return std::vector<model::UserSettings>{}; }
    base::Result<void> put(const model::UserSettings&) override { return {}; }
    base::Result<void> erase_user(std::string_view) override { return {}; }
};

class EmptyTools final : public ports::ToolTable {
public:
    base::Result<std::vector<model::ToolInfo>> load() override { return std::vector<model::ToolInfo>{}; }
    base::Result<std::optional<model::ToolInfo>> find(std::string_view) override {
        return std::optional<model::ToolInfo>{};
    }
    base::Result<void> put(const model::ToolInfo&) override { return {}; }
    base::Result<void> remove(std::string_view) override { return {}; }
};

class EmptyUserMessages final : public ports::UserMessageTable {
public:
    base::Result<void> wait(const model::MessageId&) override { return {}; }
    base::Result<std::int64_t> count(std::string_view) override { return std::int64_t{0}; }
    base::Result<std::optional<ports::WordsPlace>> place(const model::MessageId&, base::Timestamp) override {
        return std::optional<ports::WordsPlace>{};
    }
    base::Result<std::vector<model::SessionMessage>> due(std::string_view, base::Timestamp, std::size_t) override {
        return std::vector<model::SessionMessage>{};
    }
    base::Result<std::vector<std::string>> sessions(std::string_view, std::size_t) override {
        return std::vector<std::string>{};
    }
    base::Result<void> hand_over(std::span<const model::MessageId>, const base::Uuid&, base::Timestamp) override {
        return {};
    }
    base::Result<std::int64_t> confirm(std::string_view, const base::Uuid&) override { return std::int64_t{0}; }
    base::Result<void> confirm_held(std::string_view, base::Timestamp) override { return {}; }
    base::Result<void> let_go(std::string_view, const std::optional<base::Uuid>&) override { return {}; }
    base::Result<void> renew(std::string_view, const std::optional<base::Uuid>&, base::Timestamp,
                             base::Timestamp) override {
        return {};
    }
};

class EmptyChangeSets : public ports::ChangeSetTable {
public:
    base::Result<std::optional<model::ChangeSet>> find(const model::ChangeSetId&) override {
        return std::optional<model::ChangeSet>{};
    }
    base::Result<std::optional<model::ChangeSet>> of_wake(model::WakeId) override {
        return std::optional<model::ChangeSet>{};
    }
    base::Result<std::vector<model::ChangeItem>> items(std::int64_t) override {
        return std::vector<model::ChangeItem>{};
    }
    base::Result<std::optional<model::ChangeItem>> item(std::int64_t, std::int64_t) override {
        return std::optional<model::ChangeItem>{};
    }
    base::Result<std::int64_t> add(const model::ChangeSet&) override { return std::int64_t{1}; }
    base::Result<void> update(const model::ChangeSet&) override { return {}; }
    base::Result<void> add_item(std::int64_t, const model::ChangeItem&) override { return {}; }
    base::Result<bool> settle_item(std::int64_t, const model::ChangeItem&) override { return true; }
    base::Result<std::int64_t> count_open(std::string_view) override { return std::int64_t{0}; }
    base::Result<std::uint64_t> drop_decided(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class EmptyInteractions : public ports::InteractionTable {
public:
    using List = std::vector<model::Interaction>;
    base::Result<void> add(const model::Interaction&) override { return {}; }
    base::Result<std::optional<model::Interaction>> find(const model::InteractionId&) override {
        return std::optional<model::Interaction>{};
    }
    base::Result<bool> settle(const model::Interaction&) override { return true; }
    base::Result<std::int64_t> count_pending(std::string_view, std::string_view) override { return std::int64_t{0}; }
    base::Result<List> pending(std::string_view, std::string_view, std::size_t) override { return List{}; }
    base::Result<bool> is_always_allowed(std::string_view, std::string_view) override { return false; }
    base::Result<List> allowing(std::string_view, std::string_view) override { return List{}; }
    base::Result<void> take_back(const model::InteractionId&) override { return {}; }
    base::Result<List> overdue(base::Timestamp, std::size_t) override { return List{}; }
    base::Result<std::optional<base::Timestamp>> next_deadline() override { return std::optional<base::Timestamp>{}; }
    base::Result<std::uint64_t> drop_ended(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
};

class EmptyRuns final : public ports::RunTable {
public:
    using List = std::vector<model::Run>;
    using MaybeTime = std::optional<base::Timestamp>;
    base::Result<List> load_open() override { return List{}; }
    base::Result<model::RunId> last_id() override { return model::RunId{0}; }
    base::Result<List> find(std::span<const model::RunId>) override { return List{}; }
    base::Result<List> find_keys(std::span<const Key>) override { return List{}; }
    base::Result<void> put(std::span<const model::Run>) override { return {}; }
    base::Result<MaybeTime> first_end() override { return MaybeTime{}; }
    base::Result<List> ended_before(base::Timestamp, std::size_t) override { return List{}; }
    base::Result<MaybeTime> first_created() override { return MaybeTime{}; }
    base::Result<void> move(std::span<const Move>) override { return {}; }
    base::Result<List> of_user(std::string_view, std::size_t) override { return List{}; }
    base::Result<bool> has_tree(model::RunId) override { return false; }
    base::Result<void> remove(std::span<const model::RunId>) override { return {}; }
};

class EmptyAgents final : public ports::AgentTable {
public:
    using List = std::vector<model::AgentRecord>;
    using Rules = std::vector<model::WakeSubscription>;
    base::Result<List> find(std::span<const std::string>) override { return List{}; }
    base::Result<void> put(std::span<const model::AgentRecord>) override { return {}; }
    base::Result<std::int64_t> count(std::string_view) override { return std::int64_t{0}; }
    base::Result<Rules> load_subscriptions() override { return Rules{}; }
    base::Result<std::optional<model::WakeSubscription>> find_subscription(const model::SubscriptionId&) override {
        return std::optional<model::WakeSubscription>{};
    }
    base::Result<Rules> subscriptions_of(std::string_view) override { return Rules{}; }
    base::Result<void> put_subscription(const model::WakeSubscription&) override { return {}; }
    base::Result<bool> remove_subscription(const model::SubscriptionId&) override { return false; }
    base::Result<std::vector<ports::AgentLife>> lives(std::string_view, std::size_t) override {
        return std::vector<ports::AgentLife>{};
    }
    base::Result<std::uint64_t> drop(std::string_view, std::size_t) override { return std::uint64_t{0}; }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class EmptyWakes final : public ports::WakeTable {
public:
    using List = std::vector<model::Wake>;
    using MaybeWake = std::optional<model::Wake>;
    using Signals = std::vector<model::WakeSignal>;
    base::Result<List> load_open() override { return List{}; }
    base::Result<model::WakeId> last_id() override { return model::WakeId{0}; }
    base::Result<MaybeWake> find(model::WakeId) override { return MaybeWake{}; }
    base::Result<MaybeWake> find_key(std::string_view) override { return MaybeWake{}; }
    base::Result<void> put(std::span<const model::Wake>) override { return {}; }
    base::Result<void> add_signals(std::span<const model::WakeSignal>) override { return {}; }
    base::Result<Signals> signals(model::WakeId, std::int64_t, std::size_t) override { return Signals{}; }
    base::Result<void> move_signals(model::WakeId, model::WakeId, std::int64_t) override { return {}; }
    base::Result<void> remove_signals(model::WakeId) override { return {}; }
    base::Result<std::uint64_t> drop_ended(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
};

class EmptyTimers final : public ports::TimerTable {
public:
    using List = std::vector<model::AgentTimer>;
    using MaybeTimer = std::optional<model::AgentTimer>;
    using Wishes = std::vector<ports::WakeWish>;
    base::Result<List> due(base::Timestamp, std::size_t) override { return List{}; }
    base::Result<Wishes> due_wishes(base::Timestamp, std::size_t) override { return Wishes{}; }
    base::Result<std::optional<base::Timestamp>> next_due() override { return std::optional<base::Timestamp>{}; }
    base::Result<MaybeTimer> find(const model::TimerId&) override { return MaybeTimer{}; }
    base::Result<List> find_all(std::span<const model::TimerId>) override { return List{}; }
    base::Result<MaybeTimer> find_name(std::string_view, std::string_view) override { return MaybeTimer{}; }
    base::Result<std::int64_t> count(std::string_view) override { return std::int64_t{0}; }
    base::Result<void> put(std::span<const model::AgentTimer>) override { return {}; }
    base::Result<bool> remove(const model::TimerId&) override { return false; }
    base::Result<void> stop_agent(std::string_view, base::Timestamp) override { return {}; }
    base::Result<List> ended(const model::TimerId&, std::size_t) override { return List{}; }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class EmptyChanges final : public ports::ChangeTable {
public:
    using List = std::vector<model::Change>;
    using Unbatched = std::vector<ports::UnbatchedChanges>;
    using Settled = std::map<std::string, std::uint64_t>;
    using Carried = std::vector<ports::CarriedChange>;
    using Counters = std::vector<std::uint64_t>;
    base::Result<ports::Host> host() override { return ports::Host{"device", "1"}; }
    base::Result<void> put_host(const ports::Host&) override { return {}; }
    base::Result<std::int64_t> last_number() override { return std::int64_t{0}; }
    base::Result<std::uint64_t> last_counter(std::string_view) override { return std::uint64_t{0}; }
    base::Result<void> add(std::span<const model::Change>) override { return {}; }
    base::Result<Unbatched> unbatched() override { return Unbatched{}; }
    base::Result<List> unbatched_of(std::string_view, bool, std::size_t) override { return List{}; }
    base::Result<void> put_batch(std::span<const model::Change>) override { return {}; }
    base::Result<Settled> settled() override { return Settled{}; }
    base::Result<void> put_settled(std::string_view, std::uint64_t) override { return {}; }
    base::Result<Counters> batched_after(std::string_view, std::uint64_t, std::size_t) override { return Counters{}; }
    base::Result<Carried> load_carried() override { return Carried{}; }
    base::Result<void> put_carried(std::span<const ports::CarriedChange>) override { return {}; }
    base::Result<void> drop_carried(std::span<const model::WakeId>) override { return {}; }
    base::Result<std::uint64_t> drop(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
    base::Result<void> put_back(std::span<const model::Change>) override { return {}; }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class EmptyAgentMessages final : public ports::AgentMessageTable {
public:
    using List = std::vector<model::AgentMessage>;
    using Maybe = std::optional<model::AgentMessage>;
    base::Result<std::int64_t> last_position() override { return std::int64_t{0}; }
    base::Result<void> add(std::span<const model::AgentMessage>) override { return {}; }
    base::Result<void> link(std::span<const model::AgentLink>) override { return {}; }
    base::Result<List> find(std::span<const base::Uuid>) override { return List{}; }
    base::Result<Maybe> find_action(std::string_view, std::string_view) override { return Maybe{}; }
    base::Result<Maybe> result_of(const base::Uuid&) override { return Maybe{}; }
    base::Result<List> newest(std::string_view, std::size_t) override { return List{}; }
    base::Result<std::vector<model::AgentPlan>> plans(std::string_view) override {
        return std::vector<model::AgentPlan>{};
    }
    base::Result<void> add_plan(const model::AgentPlan&) override { return {}; }
};

class EmptyMemory final : public ports::MemoryTable, ports::MemoryQuestions {
public:
    using Messages = std::vector<model::AgentMessage>;
    using Threads = std::vector<model::AgentThread>;
    using Places = std::vector<model::SummaryPlace>;
    using Jobs = std::vector<model::FoldJob>;
    using MaybeJob = std::optional<model::FoldJob>;
    using MaybeTime = std::optional<base::Timestamp>;
    ports::MemoryQuestions& questions() override { return *this; }
    base::Result<void> put_thread(const model::AgentThread&) override { return {}; }
    base::Result<Threads> idle_threads(base::Timestamp, std::size_t) override { return Threads{}; }
    base::Result<MaybeTime> oldest_hot() override { return MaybeTime{}; }
    base::Result<Threads> hot_threads(std::string_view, std::size_t) override { return Threads{}; }
    base::Result<Messages> raw_after(std::string_view, std::int64_t, std::size_t) override { return Messages{}; }
    base::Result<void> add_summary(const model::SummaryPlace&) override { return {}; }
    base::Result<void> fold_summaries(std::string_view, std::int64_t, std::int64_t, std::int64_t,
                                      const base::Uuid&) override {
        return {};
    }
    base::Result<void> add_words(std::span<const Words>) override { return {}; }
    base::Result<std::size_t> index_more(std::size_t, WordsOf) override { return std::size_t{0}; }
    base::Result<void> put_job(const model::FoldJob&) override { return {}; }
    base::Result<MaybeJob> open_job(std::string_view) override { return MaybeJob{}; }
    base::Result<Jobs> due_jobs(base::Timestamp, std::size_t) override { return Jobs{}; }
    base::Result<Jobs> running_jobs() override { return Jobs{}; }
    base::Result<MaybeTime> next_job_at() override { return MaybeTime{}; }
    base::Result<std::uint64_t> drop_jobs(base::Timestamp, std::size_t) override { return std::uint64_t{0}; }
    base::Result<Messages> raw_messages(std::string_view, std::string_view, MaybeTime, std::size_t) override {
        return Messages{};
    }
    base::Result<Places> covering(std::string_view, std::int64_t, std::int64_t) override { return Places{}; }
    base::Result<std::uint64_t> remove_messages(std::span<const model::AgentMessage>) override {
        return std::uint64_t{0};
    }
    base::Result<void> remove_summaries(std::span<const model::SummaryPlace>) override { return {}; }
    base::Result<void> unfold(const base::Uuid&) override { return {}; }
    base::Result<Messages> folded_messages(model::AgentMessageKind, base::Timestamp, std::size_t) override {
        return Messages{};
    }

private:
    base::Result<std::optional<model::AgentThread>> thread(std::string_view) override {
        return std::optional<model::AgentThread>{};
    }
    base::Result<Messages> newest_raw(std::string_view, std::int64_t, std::size_t) override { return Messages{}; }
    base::Result<Messages> raw_span(std::string_view, std::int64_t, std::int64_t, std::size_t) override {
        return Messages{};
    }
    base::Result<std::optional<model::SummaryPlace>> summary(const base::Uuid&) override {
        return std::optional<model::SummaryPlace>{};
    }
    base::Result<Places> unfolded(std::string_view) override { return Places{}; }
    base::Result<std::vector<ports::StoredSummary>> frontier(std::string_view) override {
        return std::vector<ports::StoredSummary>{};
    }
    base::Result<Places> folded_into(const base::Uuid&) override { return Places{}; }
    base::Result<MaybeJob> job(const base::Uuid&) override { return MaybeJob{}; }
    base::Result<Jobs> waiting_jobs(const ports::WaitingJobFilter&) override { return Jobs{}; }
    base::Result<Messages> recall(const ports::RecallFilter&) override { return Messages{}; }
};

class EmptyJournal final : public ports::JournalTable {
public:
    using Records = std::vector<model::JournalRecord>;
    using Links = std::vector<model::Link>;
    base::Result<std::int64_t> last_number() override { return std::int64_t{0}; }
    base::Result<Records> find(std::string_view, std::span<const std::string>) override { return Records{}; }
    base::Result<void> put(std::span<const model::JournalRecord>) override { return {}; }
    base::Result<void> add_terms(std::span<const ports::JournalTerm>) override { return {}; }
    base::Result<void> remove_terms(std::span<const ports::JournalTerm>) override { return {}; }
    base::Result<std::vector<std::string>> with_term(std::string_view, std::string_view, std::size_t) override {
        return std::vector<std::string>{};
    }
    base::Result<ports::JournalPage> list(const ports::JournalFilter&) override { return ports::JournalPage{}; }
    base::Result<Links> find_links(std::span<const ports::LinkName>) override { return Links{}; }
    base::Result<Links> links_of(std::string_view, std::span<const std::string>, std::size_t) override {
        return Links{};
    }
    base::Result<void> put_links(std::span<const model::Link>) override { return {}; }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class EmptyOutsideCalls final : public ports::OutsideCallTable {
public:
    using Maybe = std::optional<model::OutsideCall>;
    using List = std::vector<model::OutsideCall>;
    base::Result<void> put(const model::OutsideCall&) override { return {}; }
    base::Result<Maybe> find(const model::OutsideCallId&) override { return Maybe{}; }
    base::Result<Maybe> of_action(const base::Uuid&) override { return Maybe{}; }
    base::Result<Maybe> next(std::string_view, std::span<const std::string>) override { return Maybe{}; }
    base::Result<List> open_of_wake(model::WakeId) override { return List{}; }
    base::Result<List> overdue(base::Timestamp, std::size_t) override { return List{}; }
    base::Result<std::optional<base::Timestamp>> next_due() override { return std::optional<base::Timestamp>{}; }
    base::Result<std::vector<model::WakeId>> waiting_wakes() override { return std::vector<model::WakeId>{}; }
};

class EmptySync final : public ports::SyncTable {
public:
    using Names = std::span<const std::pair<std::string, std::string>>;
    using Known = std::vector<ports::KnownRecord>;
    using Hosts = std::vector<ports::HostPlace>;
    using Missing = std::vector<ports::MissingChange>;
    using Counters = std::vector<std::uint64_t>;
    base::Result<Known> knowledge(Names) override { return Known{}; }
    base::Result<void> put_knowledge(std::span<const ports::KnownRecord>) override { return {}; }
    base::Result<Known> knowledge_after(std::string_view, std::string_view, std::size_t) override { return Known{}; }
    base::Result<std::vector<ports::MessagePlace>> messages_after(std::int64_t, std::size_t) override {
        return std::vector<ports::MessagePlace>{};
    }
    base::Result<std::vector<ports::LinkName>> links_after(const ports::LinkName&, std::size_t) override {
        return std::vector<ports::LinkName>{};
    }
    base::Result<Hosts> hosts() override { return Hosts{}; }
    base::Result<void> put_seal(const model::HostSeal&) override { return {}; }
    base::Result<void> put_floor(std::string_view, std::uint64_t) override { return {}; }
    base::Result<std::vector<model::Change>> changes_after(std::string_view, std::uint64_t, std::size_t) override {
        return std::vector<model::Change>{};
    }
    base::Result<Counters> here(std::string_view, std::uint64_t, std::uint64_t) override { return Counters{}; }
    base::Result<Missing> missing(std::size_t) override { return Missing{}; }
    base::Result<void> put_missing(std::span<const ports::MissingChange>) override { return {}; }
    base::Result<void> remove_missing(std::string_view, std::uint64_t, std::uint64_t) override { return {}; }
    base::Result<void> add_forgotten(std::span<const Forgotten>) override { return {}; }
    base::Result<std::vector<Forgotten>> forgotten(std::span<const base::Uuid>) override {
        return std::vector<Forgotten>{};
    }
    base::Result<std::vector<Forgotten>> forgotten_after(const base::Uuid&, std::size_t) override {
        return std::vector<Forgotten>{};
    }
    base::Result<std::vector<Plain>> plain(Names) override { return std::vector<Plain>{}; }
    base::Result<void> put_plain(std::span<const Plain>) override { return {}; }
    base::Result<std::vector<Plain>> plain_after(std::string_view, std::string_view, std::size_t) override {
        return std::vector<Plain>{};
    }
    base::Result<void> remove_plain(Names) override { return {}; }
    base::Result<std::uint64_t> drop_plain(std::string_view, base::Timestamp, std::size_t) override {
        return std::uint64_t{0};
    }
    base::Result<void> add_notes(std::span<const model::MergeNote>) override { return {}; }
    base::Result<std::int64_t> last_note() override { return std::int64_t{0}; }
    base::Result<void> drop_notes(std::int64_t) override { return {}; }
    base::Result<std::vector<model::MergeNote>> notes_of(Names) override { return std::vector<model::MergeNote>{}; }
    base::Result<std::vector<model::MergeNote>> notes_of_kind(std::string_view) override {
        return std::vector<model::MergeNote>{};
    }
    base::Result<void> remove_notes(Names) override { return {}; }
    base::Result<std::vector<model::Peer>> peers() override { return std::vector<model::Peer>{}; }
    base::Result<void> put_peer(const model::Peer&) override { return {}; }
    base::Result<std::uint64_t> erase_user(std::string_view, std::size_t) override { return std::uint64_t{0}; }
};

class NoSubscribers final : public ports::Subscribers {
public:
    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override { return catalogue_; }

private:
    std::shared_ptr<const model::Catalogue> catalogue_ = std::make_shared<const model::Catalogue>();
};

}  // namespace belfry::engine::testing
