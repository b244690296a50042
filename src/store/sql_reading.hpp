#pragma once

#include <memory>
#include <string>

#include "ports/reading.hpp"
#include "store/agent_message_table.hpp"
#include "store/change_set_table.hpp"
#include "store/context_table.hpp"
#include "store/database.hpp"
#include "store/interaction_table.hpp"
#include "store/journal_reading.hpp"
#include "store/memory_reading.hpp"
#include "store/notification_reading.hpp"
#include "store/outside_call_table.hpp"
#include "store/run_reading.hpp"
#include "store/session_reading.hpp"
#include "store/sync_reading.hpp"
#include "store/timer_table.hpp"
#include "store/wake_table.hpp"

namespace belfry::store {

// Reads on a connection of its own; every page is one read transaction, so that what it says belongs together.
class SqlReading final : public ports::Reading {
public:
    SqlReading(std::unique_ptr<Database> database, std::string location)
        : database_(std::move(database)),
          location_(std::move(location)),
          notifications_(*database_),
          sessions_(*database_),
          interactions_(*database_),
          runs_(*database_),
          agents_(*database_),
          timers_(*database_),
          agent_messages_(*database_),
          journal_(*database_),
          change_sets_(*database_),
          outside_calls_(*database_),
          memory_(*database_),
          sync_(*database_),
          context_values_(*database_) {}

    base::Result<ports::BlockPage> blocks(model::StreamId stream, model::Sequence after,
                                          std::size_t bytes_max) override;
    base::Result<std::vector<model::StreamInfo>> streams() override;
    base::Result<std::optional<ports::Obligation>> obligation(const base::Uuid& id) override;
    base::Result<std::vector<ports::Obligation>> given_up(std::string_view kind,
                                                          const std::optional<ports::GivenUpPlace>& after,
                                                          std::size_t limit) override;
    base::Result<std::vector<model::AccessToken>> tokens() override;
    base::Result<ports::StoreFigures> figures() override;
    base::Result<ports::OpenFigures> open_figures() override;
    base::Result<std::optional<ports::FoundEvent>> event(const model::EventId& id) override;
    base::Result<std::optional<model::ToolInfo>> tool(std::string_view name) override;
    base::Result<std::vector<model::ToolInfo>> tools(std::string_view after, std::size_t limit) override;
    ports::NotificationReading& notifications() override { return notifications_; }
    ports::SessionReading& sessions() override { return sessions_; }
    ports::InteractionReading& interactions() override { return interactions_; }
    ports::RunReading& runs() override { return runs_; }
    ports::AgentReading& agents() override { return agents_; }
    ports::TimerReading& timers() override { return timers_; }
    ports::AgentMessageReading& agent_messages() override { return agent_messages_; }
    ports::JournalReading& journal() override { return journal_; }
    ports::ChangeSetReading& change_sets() override { return change_sets_; }
    ports::OutsideCallReading& outside_calls() override { return outside_calls_; }
    ports::MemoryReading& memory() override { return memory_; }
    ports::SyncReading& sync() override { return sync_; }
    ports::ContextReading& context_values() override { return context_values_; }
    [[nodiscard]] bool is_sound() const override { return !database_->is_lost(); }

private:
    std::unique_ptr<Database> database_;
    std::string location_;
    SqlNotificationReading notifications_;
    SqlSessionReading sessions_;
    SqlInteractionReading interactions_;
    SqlRunReading runs_;
    SqlAgentReading agents_;
    SqlTimerReading timers_;
    SqlAgentMessageReading agent_messages_;
    SqlJournalReading journal_;
    SqlChangeSetReading change_sets_;
    SqlOutsideCallReading outside_calls_;
    SqlMemoryReading memory_;
    SqlSyncReading sync_;
    SqlContextReading context_values_;
};

}  // namespace belfry::store
