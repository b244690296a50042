#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "ports/random.hpp"
#include "ports/store.hpp"
#include "store/agent_message_table.hpp"
#include "store/agent_table.hpp"
#include "store/change_set_table.hpp"
#include "store/change_table.hpp"
#include "store/clock_table.hpp"
#include "store/context_table.hpp"
#include "store/database.hpp"
#include "store/idempotency_table.hpp"
#include "store/interaction_table.hpp"
#include "store/journal_table.hpp"
#include "store/log_table.hpp"
#include "store/memory_table.hpp"
#include "store/notification_table.hpp"
#include "store/outbox_table.hpp"
#include "store/outside_call_table.hpp"
#include "store/run_table.hpp"
#include "store/session_table.hpp"
#include "store/settings_table.hpp"
#include "store/sync_table.hpp"
#include "store/timer_table.hpp"
#include "store/token_table.hpp"
#include "store/tool_table.hpp"
#include "store/user_message_table.hpp"
#include "store/waiting_table.hpp"
#include "store/wake_table.hpp"

namespace belfry::store {

// How a connection is made, and what is to be done before a migration touches what is there.
struct SqlStoreOptions {
    std::function<base::Result<std::unique_ptr<Database>>()> connect;
    std::function<base::Result<void>(std::int64_t version)> copy_before_migration;
    IndexLag index_lag;
};

// The writer's store on either database. Every transaction begins by raising the commit number under our epoch: where
// that touches no row, another node has taken the ledger.
class SqlStore final : public ports::Store, public ports::ClockStore {
public:
    SqlStore(SqlStoreOptions options, ports::Random& random) : options_(std::move(options)), random_(random) {}

    base::Result<void> open() override;
    void close() override;
    [[nodiscard]] bool is_open() const override { return tables_.has_value(); }

    base::Result<void> begin() override;
    ports::CommitResult commit() override;
    void rollback() override;
    base::Result<void> begin_trial() override;
    base::Result<void> keep_trial() override;
    base::Result<void> undo_trial() override;
    [[nodiscard]] std::uint64_t commit_number() const override { return commit_number_; }
    [[nodiscard]] std::int64_t epoch() const { return epoch_; }

    ports::LogTable& log() override { return tables_->log; }
    ports::IdempotencyTable& idempotency() override { return tables_->idempotency; }
    ports::TokenTable& tokens() override { return tables_->tokens; }
    ports::OutboxTable& outbox() override { return tables_->outbox; }
    ports::WaitingTable& waiting() override { return tables_->waiting; }
    ports::NotificationTable& notifications() override { return tables_->notifications; }
    ports::SessionTable& sessions() override { return tables_->sessions; }
    ports::SettingsTable& settings() override { return tables_->settings; }
    ports::ToolTable& tools() override { return tables_->tools; }
    ports::UserMessageTable& user_messages() override { return tables_->user_messages; }
    ports::InteractionTable& interactions() override { return tables_->interactions; }
    ports::RunTable& runs() override { return tables_->runs; }
    ports::AgentTable& agents() override { return tables_->agents; }
    ports::WakeTable& wakes() override { return tables_->wakes; }
    ports::TimerTable& timers() override { return tables_->timers; }
    ports::ChangeTable& changes() override { return tables_->changes; }
    ports::AgentMessageTable& agent_messages() override { return tables_->agent_messages; }
    ports::JournalTable& journal() override { return tables_->journal; }
    ports::ChangeSetTable& change_sets() override { return tables_->change_sets; }
    ports::OutsideCallTable& outside_calls() override { return tables_->outside_calls; }
    ports::MemoryTable& memory() override { return tables_->memory; }
    ports::SyncTable& sync() override { return tables_->sync; }
    ports::ContextTable& context_values() override { return tables_->context_values; }
    ports::ClockTable& clock() override { return tables_->clock; }
    Database& database() { return *database_; }

private:
    struct Tables {
        Tables(Database& database, IndexLag lag)
            : log(database, lag),
              idempotency(database),
              tokens(database),
              outbox(database),
              waiting(database),
              notifications(database),
              sessions(database),
              settings(database),
              tools(database),
              user_messages(database),
              interactions(database),
              runs(database),
              agents(database),
              wakes(database),
              timers(database),
              changes(database),
              agent_messages(database),
              journal(database),
              change_sets(database),
              outside_calls(database),
              memory(database),
              sync(database),
              context_values(database),
              clock(database) {}
        SqlLogTable log;
        SqlIdempotencyTable idempotency;
        SqlTokenTable tokens;
        SqlOutboxTable outbox;
        SqlWaitingTable waiting;
        SqlNotificationTable notifications;
        SqlSessionTable sessions;
        SqlSettingsTable settings;
        SqlToolTable tools;
        SqlUserMessageTable user_messages;
        SqlInteractionTable interactions;
        SqlRunTable runs;
        SqlAgentTable agents;
        SqlWakeTable wakes;
        SqlTimerTable timers;
        SqlChangeTable changes;
        SqlAgentMessageTable agent_messages;
        SqlJournalTable journal;
        SqlChangeSetTable change_sets;
        SqlOutsideCallTable outside_calls;
        SqlMemoryTable memory;
        SqlSyncTable sync;
        SqlContextTable context_values;
        SqlClockTable clock;
    };

    base::Result<void> take_ledger();

    SqlStoreOptions options_;
    ports::Random& random_;
    std::unique_ptr<Database> database_;
    std::optional<Tables> tables_;
    std::int64_t epoch_ = 0;
    std::uint64_t commit_number_ = 0;
};

}  // namespace belfry::store
