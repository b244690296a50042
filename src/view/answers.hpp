#pragma once

#include <atomic>
#include <span>
#include <string>

#include "base/limits.hpp"
#include "ports/beside.hpp"
#include "ports/clock.hpp"
#include "ports/metrics.hpp"
#include "ports/queries.hpp"
#include "ports/subscribers.hpp"
#include "ports/zones.hpp"
#include "rules/assemble_memory.hpp"
#include "rules/model_tokens.hpp"
#include "view/follow.hpp"

namespace belfry::view {

// Answers to questions about Belfry itself, its sessions and its notifications. `owner` is whose it is where nobody is
// named. Without zones timers by the clocks of a place are shown without their next firings. `own_tools` are Belfry's
// own, by name; they outlive it.
class Answers final : public ports::Queries {
public:
    Answers(ports::Beside& beside, const Follow& follow, const ports::Clock& clock, const ports::Metrics& metrics,
            const ports::Subscribers& subscribers, std::string owner, std::int64_t pid,
            base::Duration runs_kept = base::limits::runs_kept, ports::Zones* zones = nullptr,
            std::span<const model::ToolContract> own_tools = {});

    [[nodiscard]] ports::Readiness readiness() const override {
        return stalls_ && readiness_ == ports::Readiness::ready ? ports::Readiness::store_down : readiness_.load();
    }
    [[nodiscard]] ports::House house() const override { return {BELFRY_VERSION, owner_, started_at_}; }
    void open_figures(const model::Principal& who, std::function<void(base::Result<ports::OpenFigures>)> done) override;
    void status(const model::Principal& who, std::function<void(base::Result<ports::Status>)> done) override;
    void obligation(const model::Principal& who, const base::Uuid& id,
                    std::function<void(base::Result<ports::Obligation>)> done) override;

    void given_up_calls(const model::Principal& who, std::optional<ports::GivenUpPlace> after, std::size_t limit,
                        std::function<void(base::Result<std::vector<ports::Obligation>>)> done) override;

    void notification(const model::Principal& who, std::string_view session_id, std::string_view key,
                      std::function<void(base::Result<model::Notification>)> done) override;
    void notifications(const model::Principal& who, ports::NotificationFilter filter,
                       std::function<void(base::Result<ports::NotificationPage>)> done) override;
    void ledger_figures(const model::Principal& who, std::string_view user_id,
                        std::function<void(base::Result<ports::NotificationReading::Figures>)> done) override;
    void session(const model::Principal& who, std::string_view id,
                 std::function<void(base::Result<model::Session>)> done) override;
    void sessions(const model::Principal& who, ports::SessionFilter filter,
                  std::function<void(base::Result<std::vector<model::Session>>)> done) override;
    void history(const model::Principal& who, ports::HistoryQuestion question,
                 std::function<void(base::Result<ports::History>)> done) override;

    void inbox(const model::Principal& who, ports::NotificationReading::InboxQuestion question,
               std::function<void(base::Result<ports::Inbox>)> done) override;
    // From what is stored: notifications that are due, free and for the agent, oldest first inside a priority, as far
    // as the budget goes, with what a pull tells of what the person has seen. Summaries of what was passed over often
    // are not made up here.
    void context(const model::Principal& who, ports::ContextQuestion question,
                 std::function<void(base::Result<ports::ContextPreview>)> done) override;
    void context_value(const model::Principal& who, model::ContextKey key,
                       std::function<void(base::Result<model::ContextValue>)> done) override;
    void context_values(const model::Principal& who, ports::ContextFilter filter,
                        std::function<void(base::Result<std::vector<model::ContextValue>>)> done) override;
    void why(const model::Principal& who, std::string_view session_id, std::string_view key,
             std::function<void(base::Result<ports::Why>)> done) override;
    void interaction(const model::Principal& who, const model::InteractionId& id,
                     std::function<void(base::Result<model::Interaction>)> done) override;
    void interactions(const model::Principal& who, ports::InteractionFilter filter,
                      std::function<void(base::Result<std::vector<model::Interaction>>)> done) override;
    void change_set(const model::Principal& who, const model::ChangeSetId& id,
                    std::function<void(base::Result<model::ProposedChanges>)> done) override;
    void change_sets(const model::Principal& who, ports::ChangeSetFilter filter,
                     std::function<void(base::Result<std::vector<model::ChangeSet>>)> done) override;
    void tool(const model::Principal& who, std::string_view name,
              std::function<void(base::Result<ports::KnownTool>)> done) override;
    void tools(const model::Principal& who, std::string_view after, std::size_t limit,
               std::function<void(base::Result<std::vector<ports::KnownTool>>)> done) override;
    void outside_call(const model::Principal& who, const model::OutsideCallId& id,
                      std::function<void(base::Result<model::OutsideCall>)> done) override;
    void outside_calls(const model::Principal& who, ports::OutsideCallFilter filter,
                       std::function<void(base::Result<std::vector<model::OutsideCall>>)> done) override;

    void run(const model::Principal& who, model::RunId id, std::function<void(base::Result<model::Run>)> done) override;
    void runs(const model::Principal& who, ports::RunFilter filter,
              std::function<void(base::Result<std::vector<model::Run>>)> done) override;

    void agent(const model::Principal& who, std::string_view id,
               std::function<void(base::Result<model::AgentRecord>)> done) override;
    void agents(const model::Principal& who, ports::AgentFilter filter,
                std::function<void(base::Result<std::vector<model::AgentRecord>>)> done) override;
    void wake_subscriptions(const model::Principal& who, std::string_view agent_id, const model::SubscriptionId& after,
                            std::size_t limit,
                            std::function<void(base::Result<std::vector<model::WakeSubscription>>)> done) override;
    void wake(const model::Principal& who, model::WakeId id,
              std::function<void(base::Result<model::Wake>)> done) override;
    void wakes(const model::Principal& who, ports::WakeFilter filter,
               std::function<void(base::Result<std::vector<model::Wake>>)> done) override;
    void wake_signals(const model::Principal& who, model::WakeId id, std::int64_t after, std::size_t limit,
                      std::function<void(base::Result<std::vector<model::WakeSignal>>)> done) override;
    void agent_messages(const model::Principal& who, ports::AgentMessageFilter filter,
                        std::function<void(base::Result<std::vector<model::AgentMessage>>)> done) override;
    void agent_message(const model::Principal& who, std::string_view agent_id, const base::Uuid& id,
                       std::function<void(base::Result<model::AgentMessage>)> done) override;
    void wake_plans(const model::Principal& who, model::WakeId id,
                    std::function<void(base::Result<std::vector<model::PlanNow>>)> done) override;

    void memory(const model::Principal& who, std::string_view agent_id, std::string_view thread_id,
                std::function<void(base::Result<model::AssembledMemory>)> done) override;
    void memory_threads(const model::Principal& who, ports::ThreadFilter filter,
                        std::function<void(base::Result<std::vector<model::AgentThread>>)> done) override;
    void memory_summaries(const model::Principal& who, std::string_view agent_id, std::optional<base::Uuid> folded_into,
                          std::function<void(base::Result<std::vector<ports::PlacedSummary>>)> done) override;
    void memory_summary(const model::Principal& who, ports::SummaryQuestion question,
                        std::function<void(base::Result<ports::OpenedSummary>)> done) override;
    void recall(const model::Principal& who, ports::RecallQuestion question,
                std::function<void(base::Result<std::vector<model::RecalledMessage>>)> done) override;
    void fold_jobs(const model::Principal& who, ports::FoldJobFilter filter,
                   std::function<void(base::Result<std::vector<model::FoldJob>>)> done) override;
    void agent_export(const model::Principal& who, ports::AgentExportQuestion question,
                      std::function<void(base::Result<ports::AgentExportPage>)> done) override;

    void sync_status(const model::Principal& who, std::function<void(base::Result<ports::SyncStatus>)> done) override;
    void merge_notes(const model::Principal& who, std::int64_t below, std::size_t limit,
                     std::function<void(base::Result<std::vector<model::MergeNote>>)> done) override;

    void timer(const model::Principal& who, std::string_view agent_id, const model::TimerId& id,
               std::function<void(base::Result<model::ShownTimer>)> done) override;
    void timers(const model::Principal& who, ports::TimerFilter filter,
                std::function<void(base::Result<std::vector<model::ShownTimer>>)> done) override;

    void journal_record(const model::Principal& who, ports::JournalAccess access, model::JournalKind kind,
                        std::string_view id, std::function<void(base::Result<model::JournalRecord>)> done) override;
    void journal_list(const model::Principal& who, ports::JournalQuestion question,
                      std::function<void(base::Result<ports::JournalList>)> done) override;
    void journal_links(const model::Principal& who, ports::LinkQuestion question,
                       std::function<void(base::Result<std::vector<model::Link>>)> done) override;
    void journal_export(const model::Principal& who, ports::ExportQuestion question,
                        std::function<void(base::Result<ports::ExportPage>)> done) override;
    void journal_overview(const model::Principal& who, ports::JournalAccess access,
                          std::function<void(base::Result<ports::JournalOverview>)> done) override;

    [[nodiscard]] std::shared_ptr<const model::Catalogue> catalogue() const override { return subscribers_.current(); }
    void rehearse(std::string_view subscriber_id, std::vector<model::Event> events,
                  std::function<void(base::Result<model::Rehearsal>)> done) override;
    // Whoever sees a user's notifications may read, too, which ones he does without.
    void settings(const model::Principal& who, std::string_view user_id,
                  std::function<void(base::Result<model::UserSettings>)> done) override;

    // How memory is counted, as the engine counts it; before anything is asked. An estimate unless told.
    void count_memory_by(rules::CountTokens count) { count_tokens_ = std::move(count); }

    // From any thread, as the following.
    // `stopping` is the last word, whoever says another at the same time.
    void set_readiness(ports::Readiness readiness) {
        ports::Readiness before = readiness_;
        while (before != ports::Readiness::stopping && !readiness_.compare_exchange_weak(before, readiness)) {
        }
    }
    [[nodiscard]] ports::Readiness set_last() const { return readiness_; }
    // A store that is open and does not answer.
    void set_stalls(bool stalls) { stalls_ = stalls; }

private:
    void complete(model::Run& run) const;

    ports::Beside& beside_;
    const Follow& follow_;
    const ports::Clock& clock_;
    const ports::Metrics& metrics_;
    const ports::Subscribers& subscribers_;
    std::string owner_;
    std::int64_t pid_;
    base::Duration runs_kept_;
    ports::Zones* zones_;  // of timers; asked where answers come back, on the network's thread
    std::span<const model::ToolContract> own_tools_;
    rules::CountTokens count_tokens_ = rules::estimate_model_tokens;  // by several threads at once
    base::Timestamp started_at_;
    std::atomic<ports::Readiness> readiness_{ports::Readiness::starting};
    std::atomic<bool> stalls_{false};
};

}  // namespace belfry::view
