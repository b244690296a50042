#include "daemon/readers.hpp"

namespace belfry::daemon {
namespace {

// An attempt that took longer than a moment is not made again for a while.
constexpr base::Duration moment = base::milliseconds(100);
constexpr base::Duration pause_after_failure = base::seconds(2);

class NoNotificationReading final : public ports::NotificationReading {
public:
    explicit NoNotificationReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::Notification>> find(const model::NotificationId&) override { return why_; }
    base::Result<std::optional<model::Notification>> find_handle(std::string_view, std::int64_t) override {
        return why_;
    }
    base::Result<std::vector<model::Notification>> list(const ports::NotificationFilter&) override { return why_; }
    base::Result<Figures> figures(std::string_view) override { return why_; }
    base::Result<std::vector<model::Transition>> steps(const model::NotificationId&) override { return why_; }
    base::Result<std::vector<model::Notification>> of_event(const model::EventId&, base::Timestamp, base::Timestamp,
                                                            Repeats) override {
        return why_;
    }
    base::Result<std::vector<model::WaitingRow>> waiting_of(std::string_view) override { return why_; }
    base::Result<std::int64_t> count_waiting(std::string_view, std::string_view) override { return why_; }
    base::Result<ports::Due> due(const ports::DueQuestion&) override { return why_; }
    base::Result<ports::Facts> facts(const ports::FactQuestion&) override { return why_; }
    base::Result<std::vector<model::Notification>> inbox(const InboxQuestion&) override { return why_; }
    base::Result<InboxCounts> inbox_counts(std::string_view, std::string_view) override { return why_; }

private:
    const base::Error& why_;
};

class NoSessionReading final : public ports::SessionReading {
public:
    explicit NoSessionReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::Session>> find(std::string_view) override { return why_; }
    base::Result<std::vector<model::Session>> list(const ports::SessionFilter&) override { return why_; }
    base::Result<ports::HistoryPage> path(std::string_view, const std::optional<ports::HistoryPlace>&, std::size_t,
                                          std::size_t) override {
        return why_;
    }
    base::Result<ports::HistoryPage> tree(std::string_view, const std::optional<ports::HistoryPlace>&, std::size_t,
                                          std::size_t) override {
        return why_;
    }
    base::Result<model::UserSettings> settings(std::string_view) override { return why_; }
    base::Result<std::vector<model::SessionMessage>> waiting_messages(std::string_view, base::Timestamp,
                                                                      std::size_t) override {
        return why_;
    }

private:
    const base::Error& why_;
};

class NoInteractionReading final : public ports::InteractionReading {
public:
    explicit NoInteractionReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::Interaction>> find(const model::InteractionId&) override { return why_; }
    base::Result<std::vector<model::Interaction>> list(const ports::InteractionFilter&) override { return why_; }

private:
    const base::Error& why_;
};

class NoRunReading final : public ports::RunReading {
public:
    explicit NoRunReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::Run>> find(model::RunId) override { return why_; }
    base::Result<model::RunId> last_id() override { return why_; }
    base::Result<std::vector<model::Run>> list(const ports::RunFilter&) override { return why_; }

private:
    const base::Error& why_;
};

class NoAgentReading final : public ports::AgentReading {
public:
    explicit NoAgentReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::AgentRecord>> find(std::string_view) override { return why_; }
    base::Result<std::vector<model::AgentRecord>> list(const ports::AgentFilter&) override { return why_; }
    base::Result<std::vector<model::WakeSubscription>> subscriptions(std::string_view) override { return why_; }
    base::Result<std::optional<model::Wake>> wake(model::WakeId) override { return why_; }
    base::Result<std::vector<model::Wake>> wakes(const ports::WakeFilter&) override { return why_; }
    base::Result<std::set<std::string>> queued(std::string_view, std::string_view) override { return why_; }
    base::Result<std::vector<model::WakeSignal>> signals(model::WakeId, std::int64_t, std::size_t) override {
        return why_;
    }

private:
    const base::Error& why_;
};

class NoTimerReading final : public ports::TimerReading {
public:
    explicit NoTimerReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::AgentTimer>> find(const model::TimerId&) override { return why_; }
    base::Result<std::vector<model::AgentTimer>> list(const ports::TimerFilter&) override { return why_; }

private:
    const base::Error& why_;
};

class NoAgentMessageReading final : public ports::AgentMessageReading {
public:
    explicit NoAgentMessageReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::AgentMessage>> find(const base::Uuid&) override { return why_; }
    base::Result<std::vector<model::AgentMessage>> list(const ports::AgentMessageFilter&) override { return why_; }
    base::Result<std::vector<model::PlanNow>> plans(std::string_view) override { return why_; }

private:
    const base::Error& why_;
};

class NoMemoryReading final : public ports::MemoryReading, ports::MemoryQuestions {
public:
    using Messages = std::vector<model::AgentMessage>;
    using Places = std::vector<model::SummaryPlace>;
    explicit NoMemoryReading(const base::Error& why) : why_(why) {}
    ports::MemoryQuestions& questions() override { return *this; }
    base::Result<std::vector<model::FoldJob>> jobs(const ports::FoldJobFilter&) override { return why_; }
    base::Result<std::vector<model::AgentThread>> threads(const ports::ThreadFilter&) override { return why_; }
    base::Result<Messages> all(std::string_view, std::int64_t, std::size_t) override { return why_; }

private:
    base::Result<std::optional<model::AgentThread>> thread(std::string_view) override { return why_; }
    base::Result<Messages> newest_raw(std::string_view, std::int64_t, std::size_t) override { return why_; }
    base::Result<Messages> raw_span(std::string_view, std::int64_t, std::int64_t, std::size_t) override { return why_; }
    base::Result<std::optional<model::SummaryPlace>> summary(const base::Uuid&) override { return why_; }
    base::Result<Places> unfolded(std::string_view) override { return why_; }
    base::Result<std::vector<ports::StoredSummary>> frontier(std::string_view) override { return why_; }
    base::Result<Places> folded_into(const base::Uuid&) override { return why_; }
    base::Result<std::optional<model::FoldJob>> job(const base::Uuid&) override { return why_; }
    base::Result<std::vector<model::FoldJob>> waiting_jobs(const ports::WaitingJobFilter&) override { return why_; }
    base::Result<Messages> recall(const ports::RecallFilter&) override { return why_; }

    const base::Error& why_;
};

class NoJournalReading final : public ports::JournalReading {
public:
    using Records = std::vector<model::JournalRecord>;
    using Links = std::vector<model::Link>;
    explicit NoJournalReading(const base::Error& why) : why_(why) {}
    base::Result<Records> find(std::string_view, std::span<const std::string>, const ports::JournalScope&) override {
        return why_;
    }
    base::Result<ports::JournalPage> list(const ports::JournalFilter&) override { return why_; }
    base::Result<std::vector<std::string>> terms_from(std::string_view, std::string_view, std::size_t) override {
        return why_;
    }
    base::Result<Links> links(const ports::LinkFilter&) override { return why_; }
    base::Result<Records> records_after(std::string_view, std::int64_t, const ports::JournalScope&,
                                        std::size_t) override {
        return why_;
    }
    base::Result<Links> links_after(const ports::LinkName&, const ports::JournalScope&, std::size_t) override {
        return why_;
    }
    base::Result<bool> holds_anything(std::string_view) override { return why_; }

private:
    const base::Error& why_;
};

class NoChangeSetReading final : public ports::ChangeSetReading {
public:
    explicit NoChangeSetReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::ProposedChanges>> find(const model::ChangeSetId&) override { return why_; }
    base::Result<std::vector<model::ChangeSet>> list(const ports::ChangeSetFilter&) override { return why_; }

private:
    const base::Error& why_;
};

class NoOutsideCallReading final : public ports::OutsideCallReading {
public:
    explicit NoOutsideCallReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::OutsideCall>> find(const model::OutsideCallId&) override { return why_; }
    base::Result<std::vector<model::OutsideCall>> list(const ports::OutsideCallFilter&) override { return why_; }

private:
    const base::Error& why_;
};

class NoSyncReading final : public ports::SyncReading {
public:
    explicit NoSyncReading(const base::Error& why) : why_(why) {}
    base::Result<ports::SyncStatus> status() override { return why_; }
    base::Result<std::vector<model::MergeNote>> notes(std::int64_t, std::size_t) override { return why_; }

private:
    const base::Error& why_;
};

class NoContextReading final : public ports::ContextReading {
public:
    using Values = std::vector<model::ContextValue>;
    explicit NoContextReading(const base::Error& why) : why_(why) {}
    base::Result<std::optional<model::ContextValue>> find(const model::ContextKey&, base::Timestamp) override {
        return why_;
    }
    base::Result<Values> in_scope(const ports::ContextScope&) override { return why_; }
    base::Result<Values> list(const ports::ContextFilter&) override { return why_; }

private:
    const base::Error& why_;
};

// Stands in while the store cannot be reached: every question gets the reason.
class NoReading final : public ports::Reading {
public:
    explicit NoReading(base::Error why) : why_(std::move(why)) { why_.code = base::Code::unavailable; }
    base::Result<ports::BlockPage> blocks(model::StreamId, model::Sequence, std::size_t) override { return why_; }
    base::Result<std::vector<model::StreamInfo>> streams() override { return why_; }
    base::Result<std::optional<ports::Obligation>> obligation(const base::Uuid&) override { return why_; }
    base::Result<std::vector<ports::Obligation>> given_up(std::string_view, const std::optional<ports::GivenUpPlace>&,
                                                          std::size_t) override {
        return why_;
    }
    base::Result<std::vector<model::AccessToken>> tokens() override { return why_; }
    base::Result<ports::StoreFigures> figures() override { return why_; }
    base::Result<ports::OpenFigures> open_figures() override { return why_; }
    base::Result<std::optional<ports::FoundEvent>> event(const model::EventId&) override { return why_; }
    base::Result<std::optional<model::ToolInfo>> tool(std::string_view) override { return why_; }
    base::Result<std::vector<model::ToolInfo>> tools(std::string_view, std::size_t) override { return why_; }
    ports::NotificationReading& notifications() override { return notifications_; }
    ports::SessionReading& sessions() override { return sessions_; }
    ports::InteractionReading& interactions() override { return interactions_; }
    ports::RunReading& runs() override { return runs_; }
    ports::AgentReading& agents() override { return agents_; }
    ports::TimerReading& timers() override { return timers_; }
    ports::AgentMessageReading& agent_messages() override { return agent_messages_; }
    ports::MemoryReading& memory() override { return memory_; }
    ports::JournalReading& journal() override { return journal_; }
    ports::ChangeSetReading& change_sets() override { return change_sets_; }
    ports::OutsideCallReading& outside_calls() override { return outside_calls_; }
    ports::SyncReading& sync() override { return sync_; }
    ports::ContextReading& context_values() override { return context_values_; }

private:
    base::Error why_;
    NoNotificationReading notifications_{why_};
    NoSessionReading sessions_{why_};
    NoInteractionReading interactions_{why_};
    NoRunReading runs_{why_};
    NoAgentReading agents_{why_};
    NoTimerReading timers_{why_};
    NoAgentMessageReading agent_messages_{why_};
    NoMemoryReading memory_{why_};
    NoJournalReading journal_{why_};
    NoChangeSetReading change_sets_{why_};
    NoOutsideCallReading outside_calls_{why_};
    NoSyncReading sync_{why_};
    NoContextReading context_values_{why_};
};

}  // namespace

Readers::Readers(Connect connect, Post post, const ports::Clock& clock, std::size_t threads)
    : connect_(std::move(connect)), post_(std::move(post)), clock_(clock) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

Readers::~Readers() {
    stop();
}

void Readers::read(std::function<void(ports::Reading&)> job, std::function<void()> then) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
        jobs_.push_back({std::move(job), std::move(then)});
    }
    arrived_.notify_one();
}

void Readers::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        jobs_.clear();
    }
    arrived_.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

base::Result<std::unique_ptr<ports::Reading>> Readers::connect() {
    {
        const std::lock_guard lock(mutex_);
        if (failure_ && (is_trying_ || clock_.monotonic() < try_again_at_)) return *failure_;
        is_trying_ = true;
    }
    const base::Duration began = clock_.monotonic();
    auto connected = connect_();
    const base::Duration now = clock_.monotonic();
    const std::lock_guard lock(mutex_);
    is_trying_ = false;
    failure_.reset();
    if (!connected.ok()) failure_ = connected.error();
    try_again_at_ = now - began > moment ? now + pause_after_failure : now;
    return connected;
}

void Readers::run() {
    std::unique_ptr<ports::Reading> reading;
    while (true) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
            if (stopping_) return;
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
        if (!reading || !reading->is_sound()) {
            auto connected = connect();
            if (connected.ok()) {
                reading = std::move(*connected);
            } else {
                NoReading none(connected.error());
                job.work(none);
                post_(std::move(job.then));
                continue;
            }
        }
        job.work(*reading);
        post_(std::move(job.then));
    }
}

}  // namespace belfry::daemon
