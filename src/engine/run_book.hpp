#pragma once

#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/capability.hpp"
#include "model/run.hpp"

namespace belfry::engine {

// A run that has not ended, or ended in this transaction.
struct OpenRun {
    model::Run run;
    model::StreamId stream = 0;
    std::string source;        // what its events have unless told otherwise, see source_of
    base::Timestamp heard_at;  // when something was last heard of it; after a start, not before that
};

// Who speaks in a run's events unless they tell: its caller, else its agent as such, as JSON; `null` where it has
// neither.
std::string source_of(const model::Run& run);

// The runs of one root, as long as one of them is open. A run without kin has none.
struct RunTree {
    model::StreamId stream = 0;
    std::map<model::RunId, model::RunId> parents;  // of each member, ended ones too; a parent has the smaller id
    std::set<model::RunId> open;

    // Those that are open and descend from it, in the order of their ids.
    [[nodiscard]] std::vector<model::RunId> open_below(model::RunId ancestor) const;
};

// The open runs, their trees and the queue for places, in memory. What a transaction changes is written once at its
// end, and taken back where it fails.
class RunBook {
public:
    base::Result<void> rebuild(Unit& unit);

    // The run as this transaction sees it, or null: it is not open.
    [[nodiscard]] const OpenRun* find(model::RunId id) const;
    // By its user's own name for it; null: none that is open.
    [[nodiscard]] const OpenRun* find_key(const std::string& user_id, const std::string& run_key) const;
    // Null: it has no kin.
    [[nodiscard]] const RunTree* tree_of(const model::Run& run) const;
    [[nodiscard]] std::vector<model::RunId> of_session(const std::string& session_id) const;

    // To change it: it is written with the transaction.
    model::Run& change(model::RunId id);
    void hear(model::RunId id, base::Timestamp now);
    // A tree begins; the first to join it come in the same transaction.
    void open_tree(model::RunId root, model::StreamId stream);
    void join_tree(model::RunId root, model::RunId id, model::RunId parent);
    void leave_tree(model::RunId root, model::RunId id);
    // These are about to be removed: who descends from them in a tree that goes on is from now on the child of who is
    // left above them. Whom that concerns; to be written.
    std::vector<ports::RunTable::Move> close_ranks(std::span<const model::Run> going);
    const OpenRun& add(OpenRun run);
    // It is gone with the transaction, without a trace here.
    void remove(model::RunId id);

    // After a change of its state.
    void wait_for_place(const model::Run& run);
    void leave_queue(std::int64_t queued);
    void count_running(int more) { running_ += more; }

    [[nodiscard]] std::size_t size() const { return open_.size(); }
    // Those that run and are not paused, with nothing heard of them since then; and when the next one was heard of.
    struct Silent {
        std::vector<model::RunId> runs;
        std::optional<base::Timestamp> next;
    };
    [[nodiscard]] Silent silent_since(base::Timestamp then) const;
    [[nodiscard]] std::int64_t running() const { return running_; }
    [[nodiscard]] std::optional<model::RunId> next_in_queue() const;
    [[nodiscard]] std::int64_t position(const model::Run& run) const;  // in the queue; 0: not in it
    std::int64_t next_queue_number() { return ++last_queued_; }
    model::RunId next_id() { return ++last_id_; }
    [[nodiscard]] model::RunId last_id() const { return last_id_; }

    base::Result<void> flush(Unit& unit);
    void committed();
    void dropped();

private:
    // By number; tells in steps that grow slowly how many stand before one.
    using Queue = __gnu_pbds::tree<std::int64_t, model::RunId, std::less<>, __gnu_pbds::rb_tree_tag,
                                   __gnu_pbds::tree_order_statistics_node_update>;
    // How a member of a tree was before it was changed.
    struct Was {
        model::RunId root = 0;
        model::RunId id = 0;
        std::optional<model::RunId> parent;  // nothing: it was none of it
        bool open = false;
    };

    void count();
    void note_member(model::RunId root, model::RunId id);
    void forget_session(const model::Run& run);
    void drop_tree(model::RunId root);

    std::unordered_map<model::RunId, OpenRun> open_;
    std::unordered_map<model::RunId, RunTree> trees_;  // by root
    std::unordered_map<std::string, model::RunId> by_key_;
    std::unordered_map<std::string, std::set<model::RunId>> by_session_;
    Queue queue_;
    std::int64_t running_ = 0;
    std::int64_t last_queued_ = 0;
    model::RunId last_id_ = 0;

    // As they were when the transaction began; nothing: they were not.
    std::unordered_map<model::RunId, std::optional<OpenRun>> saved_;
    std::vector<Was> members_;
    std::vector<model::RunId> made_trees_;
    std::unordered_map<model::RunId, RunTree> gone_trees_;
    std::set<model::RunId> changed_;  // to be written
    model::RunId saved_last_id_ = 0;
};

}  // namespace belfry::engine
