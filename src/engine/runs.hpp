#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/limits.hpp"
#include "engine/capability.hpp"
#include "engine/run_book.hpp"
#include "engine/session_book.hpp"
#include "ports/commands/runs.hpp"

namespace belfry::engine {

struct RunOptions {
    std::int64_t capacity = base::limits::runs_capacity_default;  // that run at once
    base::Duration kept = base::limits::runs_kept;                // after their end
    base::Duration silence = base::limits::runs_silence_default;  // of one that runs, then it has failed; zero: any
};

// Runs: made, started as there are places, ended once; and what they emit, into their own stream and their tree's.
// Events change nothing but the log: a run is written when its state changes.
class Runs final : public Capability {
public:
    Runs(SessionBook& sessions, RunOptions options, std::string owner)
        : sessions_(sessions), options_(options), owner_(std::move(owner)) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override { return book_.flush(unit); }
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override {
        if (next_look_) next_look_ = *next_look_ - by;
    }

    // For other capabilities: an event of Belfry's own (`interaction.requested`) in the stream of a run that has not
    // ended; false where it has, or is not there. `data` is JSON.
    bool tell(model::RunId id, std::string_view event, std::string_view data, Unit& unit);
    // A run of Belfry's own making. Where it is to start at once, there is a place for it. The outer result is the
    // store's.
    base::Result<base::Result<model::RunId>> begin(ports::CreateRun& wish, Unit& unit);
    // One that was made before and is pending starts: there is a place for it.
    base::Result<void> start_pending(model::RunId id, Unit& unit);
    // Whether a run of this user may be in this session; else why not. The outer result is the store's.
    base::Result<base::Result<void>> check_session(const std::string& session_id, const std::string& user_id,
                                                   Unit& unit);
    [[nodiscard]] bool has_place() const {
        return book_.running() < options_.capacity && book_.size() < base::limits::runs_open_max &&
               !book_.next_in_queue();
    }
    // An open one ends.
    base::Result<void> complete(model::RunId id, const std::optional<model::RawJson>& result, Unit& unit);
    base::Result<void> fail(model::RunId id, const model::RunError& error, Unit& unit);
    base::Result<void> cancel(model::RunId id, const std::string& reason, Unit& unit);
    // Whoever works on it is heard of, though it says nothing.
    void hear(model::RunId id, base::Timestamp now);
    // A run of which somebody else says that he sees to it is ended by him: neither by its silence nor by whoever says
    // that it is finished.
    using IsSeenTo = std::function<base::Result<bool>(model::RunId id, Unit& unit)>;
    void leave_alone(IsSeenTo is_seen_to) { is_seen_to_ = std::move(is_seen_to); }
    // The run, where it is open, as this transaction sees it.
    [[nodiscard]] const model::Run* find_open(model::RunId id) const;
    // Those that have ended in this transaction so far.
    [[nodiscard]] const std::vector<model::RunId>& ended_now() const { return ended_now_; }

    // A slice of a user's runs with their streams; how many, 0 when there are none left.
    base::Result<std::uint64_t> erase_user(const std::string& user_id, Unit& unit);

private:
    base::Result<void> create(ports::CreateRun& command, Unit& unit);
    base::Result<void> start(ports::StartRun& command, Unit& unit);
    base::Result<void> cancel(ports::CancelRun& command, Unit& unit);
    base::Result<void> finish(ports::FinishRun& command, Unit& unit);
    base::Result<void> end(ports::FinishRun& command, const OpenRun& open, Unit& unit);
    base::Result<void> pause(ports::PauseRun& command, Unit& unit);
    base::Result<void> signal(ports::SignalRun& command, Unit& unit);
    void emit(ports::EmitRunEvents& command, Unit& unit);

    // The open run that this principal may change, or why not: it is not there, was, has ended, or is not his.
    base::Result<const OpenRun*> find(const model::Principal& who, model::RunId id) const;
    // What a new run belongs to, checked; the outer result is the store's.
    base::Result<std::optional<model::Run>> find_by_key(const model::Run& wanted, Unit& unit);
    base::Result<base::Result<model::Run>> draft(const ports::CreateRun& command, Unit& unit);
    // The open run that a signal is for.
    base::Result<const OpenRun*> find_signalled(const ports::SignalRun& command) const;
    base::Result<void> set_paused(const OpenRun& open, bool paused, Unit& unit);
    base::Result<void> join_tree(const model::Run& run, Unit& unit);
    base::Result<void> end_silent(Unit& unit);
    base::Result<void> start_or_queue(model::RunId id, Unit& unit);
    base::Result<void> cancel_with_kin(model::RunId id, const std::string& reason, const model::Principal& by,
                                       Unit& unit);
    // After its state was set to an end: its last event, its place, its tree.
    void note_end(model::RunId id, std::string_view event, std::string_view data, bool had_place, Unit& unit);
    void fill_places(Unit& unit);
    void append(const OpenRun& run, std::string_view event, std::string_view data, Unit& unit);
    void append_to_log(const OpenRun& run, std::string_view event, Unit& unit);
    base::Result<void> remove(const std::vector<model::Run>& runs, Unit& unit);
    static std::string run_error_json(const model::RunError& error);
    [[nodiscard]] model::Run shown(const OpenRun& run, const Unit& unit) const;

    SessionBook& sessions_;
    RunOptions options_;
    std::string owner_;
    RunBook book_;
    IsSeenTo is_seen_to_;
    std::unordered_map<model::RunId, model::Run> ended_;  // that commands of this group name
    std::vector<model::RunId> ended_now_;
    std::optional<base::Timestamp> next_look_;  // for those of which nothing is heard
    std::optional<base::Timestamp> next_due_;
    std::optional<base::Timestamp> pending_due_;
    bool tended_ = false;
    std::uint64_t created_count_ = 0;
    std::uint64_t event_count_ = 0;
    std::string body_;  // working memory
};

}  // namespace belfry::engine
