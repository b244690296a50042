#pragma once

#include <map>

#include "base/limits.hpp"
#include "engine/capability.hpp"
#include "model/agent_message.hpp"

namespace belfry::engine {

struct RetentionOptions {
    base::Duration events_kept = base::limits::events_kept;
    std::int64_t events_bytes_kept = base::limits::events_bytes_kept;
    std::int64_t run_log_bytes_kept = base::limits::run_log_bytes_kept;
    base::Duration audit_kept = base::limits::audit_kept;
    base::Duration delivery_kept = base::limits::delivery_log_kept;
    base::Duration notifications_kept = base::limits::notifications_kept;
    base::Duration sink_calls_kept = base::limits::sink_calls_kept;  // that were made
    // What agents remember of each kind, once a summary covers it; for ever where it is not named.
    std::map<model::AgentMessageKind, base::Duration> messages_kept;
    base::Duration pause = base::minutes(1);
};

// Lets go of what is old or too much, a slice at a time. Readers that stood there get an explicit gap.
class Retention final : public Capability {
public:
    explicit Retention(RetentionOptions options) : options_(std::move(options)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override { return next_due_; }
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override { next_due_ = next_due_ - by; }

private:
    base::Result<void> drop_class(model::RetentionClass retention, base::Duration kept, std::int64_t bytes_kept,
                                  Unit& unit);
    base::Result<void> drop_messages(Unit& unit);
    base::Result<void> drop_run_blocks(std::int64_t bytes_kept, Unit& unit);

    RetentionOptions options_;
    base::Timestamp next_due_;
    base::Timestamp pending_due_;
    bool tended_ = false;
    bool more_ = false;
    std::uint64_t blocks_ = 0;
    std::vector<model::StreamInfo> floors_;
};

}  // namespace belfry::engine
