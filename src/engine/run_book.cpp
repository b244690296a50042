#include "engine/run_book.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/assert.hpp"

namespace belfry::engine {
namespace {

std::string key_of(const std::string& user_id, const std::string& run_key) {
    std::string key = user_id;
    key += '\0';
    key += run_key;
    return key;
}

}  // namespace

std::vector<model::RunId> RunTree::open_below(model::RunId ancestor) const {
    std::vector<model::RunId> found;
    std::unordered_set<model::RunId> below{ancestor};
    for (auto at = parents.upper_bound(ancestor); at != parents.end(); ++at) {
        if (!below.contains(at->second)) continue;
        below.insert(at->first);
        if (open.contains(at->first)) found.push_back(at->first);
    }
    return found;
}

std::string source_of(const model::Run& run) {
    if (!run.caller && run.agent_id.empty()) return "null";
    std::string json;
    const model::CallerContext agent{run.agent_id, model::AgentType::global_supervisor, run.agent_id, {}};
    model::append_caller_json(json, run.caller ? *run.caller : agent);
    return json;
}

base::Result<void> RunBook::rebuild(Unit& unit) {
    *this = RunBook();
    TRY_ASSIGN(last_id_, unit.store.runs().last_id());
    saved_last_id_ = last_id_;
    TRY_ASSIGN(std::vector<model::Run> runs, unit.store.runs().load_open());
    std::set<model::RunId> missing;  // parents that have ended
    for (model::Run& run : runs) {
        OpenRun open;
        open.stream = unit.streams.find(model::run_stream_name(run.id)).value_or(0);
        if (open.stream == 0) return base::error(base::Code::malformed, "a run has lost its stream");
        open.source = source_of(run);
        const auto tree = unit.streams.find(model::tree_stream_name(run.root_id));
        if (tree) {
            RunTree& kin = trees_[run.root_id];
            kin.stream = *tree;
            kin.parents[run.id] = run.parent_id;
            kin.open.insert(run.id);
            if (run.parent_id != 0) missing.insert(run.parent_id);
        }
        const model::RunId id = run.id;
        open.run = std::move(run);
        open.heard_at = unit.now;
        open_.emplace(id, std::move(open));
    }
    while (!missing.empty()) {
        std::erase_if(missing, [this](model::RunId id) { return open_.contains(id); });
        const std::vector<model::RunId> ids(missing.begin(), missing.end());
        missing.clear();
        TRY_ASSIGN(const std::vector<model::Run> ended, unit.store.runs().find(ids));
        for (const model::Run& run : ended) {
            trees_[run.root_id].parents[run.id] = run.parent_id;
            if (run.parent_id != 0) missing.insert(run.parent_id);
        }
    }
    count();
    return {};
}

// What follows from the runs.
void RunBook::count() {
    by_key_.clear();
    by_session_.clear();
    queue_.clear();
    running_ = 0;
    for (const auto& [id, open] : open_) {
        if (!open.run.run_key.empty()) by_key_[key_of(open.run.user_id, open.run.run_key)] = id;
        if (!open.run.session_id.empty()) by_session_[open.run.session_id].insert(id);
        if (open.run.queued != 0) queue_[open.run.queued] = id;
        if (open.run.state == model::RunState::running) ++running_;
        last_queued_ = std::max(last_queued_, open.run.queued);
    }
}

const OpenRun* RunBook::find(model::RunId id) const {
    const auto at = open_.find(id);
    return at == open_.end() ? nullptr : &at->second;
}

const OpenRun* RunBook::find_key(const std::string& user_id, const std::string& run_key) const {
    const auto at = by_key_.find(key_of(user_id, run_key));
    return at == by_key_.end() ? nullptr : find(at->second);
}

const RunTree* RunBook::tree_of(const model::Run& run) const {
    const auto at = trees_.find(run.root_id);
    return at == trees_.end() ? nullptr : &at->second;
}

std::vector<model::RunId> RunBook::of_session(const std::string& session_id) const {
    std::vector<model::RunId> found;
    const auto at = by_session_.find(session_id);
    if (at == by_session_.end()) return found;
    for (const model::RunId id : at->second) {
        if (!model::is_ended(open_.at(id).run.state)) found.push_back(id);
    }
    return found;
}

model::Run& RunBook::change(model::RunId id) {
    const auto at = open_.find(id);
    ASSERT(at != open_.end());
    saved_.try_emplace(id, at->second);
    changed_.insert(id);
    return at->second.run;
}

void RunBook::hear(model::RunId id, base::Timestamp now) {
    open_.at(id).heard_at = now;
}

RunBook::Silent RunBook::silent_since(base::Timestamp then) const {
    Silent silent;
    for (const auto& [id, open] : open_) {
        if (open.run.state != model::RunState::running || open.run.paused) continue;
        if (open.heard_at <= then) silent.runs.push_back(id);
        else if (!silent.next || open.heard_at < *silent.next) silent.next = open.heard_at;
    }
    std::ranges::sort(silent.runs);
    return silent;
}

void RunBook::open_tree(model::RunId root, model::StreamId stream) {
    made_trees_.push_back(root);
    trees_[root].stream = stream;
}

void RunBook::note_member(model::RunId root, model::RunId id) {
    const RunTree& tree = trees_.at(root);
    const auto at = tree.parents.find(id);
    Was was{root, id, std::nullopt, tree.open.contains(id)};
    if (at != tree.parents.end()) was.parent = at->second;
    members_.push_back(was);
}

void RunBook::join_tree(model::RunId root, model::RunId id, model::RunId parent) {
    note_member(root, id);
    RunTree& tree = trees_.at(root);
    tree.parents[id] = parent;
    tree.open.insert(id);
}

void RunBook::leave_tree(model::RunId root, model::RunId id) {
    note_member(root, id);
    trees_.at(root).open.erase(id);
}

std::vector<ports::RunTable::Move> RunBook::close_ranks(std::span<const model::Run> going) {
    std::vector<ports::RunTable::Move> moves;
    std::map<model::RunId, std::set<model::RunId>> by_root;
    for (const model::Run& run : going) by_root[run.root_id].insert(run.id);
    for (const auto& [root, gone] : by_root) {
        const auto tree = trees_.find(root);
        if (tree == trees_.end()) continue;
        std::map<model::RunId, model::RunId>& parents = tree->second.parents;
        for (auto& [id, parent] : parents) {
            if (gone.contains(id) || !gone.contains(parent)) continue;
            model::RunId above = parent;
            for (auto at = parents.find(above); gone.contains(above) && at != parents.end(); at = parents.find(above)) {
                above = at->second;
            }
            if (above == 0 || gone.contains(above)) continue;  // nobody is left whose end would be its own
            note_member(root, id);
            parent = above;
            moves.push_back({id, above});
            if (const auto open = open_.find(id); open != open_.end()) {
                saved_.try_emplace(id, open->second);
                open->second.run.parent_id = above;
            }
        }
        for (const model::RunId id : gone) {
            if (!parents.contains(id)) continue;
            note_member(root, id);
            parents.erase(id);
        }
    }
    return moves;
}

const OpenRun& RunBook::add(OpenRun run) {
    const model::RunId id = run.run.id;
    if (!run.run.session_id.empty()) by_session_[run.run.session_id].insert(id);
    if (!run.run.run_key.empty()) by_key_[key_of(run.run.user_id, run.run.run_key)] = id;
    saved_.try_emplace(id, std::nullopt);
    changed_.insert(id);
    return open_.emplace(id, std::move(run)).first->second;
}

void RunBook::remove(model::RunId id) {
    const auto at = open_.find(id);
    if (at == open_.end()) return;
    saved_.try_emplace(id, at->second);
    changed_.erase(id);
    const model::Run& run = at->second.run;
    if (run.queued != 0) queue_.erase(run.queued);
    if (run.state == model::RunState::running) --running_;
    if (!run.run_key.empty()) by_key_.erase(key_of(run.user_id, run.run_key));
    if (trees_.contains(run.root_id)) {
        leave_tree(run.root_id, id);
        if (trees_.at(run.root_id).open.empty()) drop_tree(run.root_id);
    }
    forget_session(run);
    open_.erase(at);
}

void RunBook::drop_tree(model::RunId root) {
    const auto at = trees_.find(root);
    gone_trees_.insert_or_assign(root, std::move(at->second));
    trees_.erase(at);
}

void RunBook::forget_session(const model::Run& run) {
    const auto at = by_session_.find(run.session_id);
    if (at == by_session_.end()) return;
    at->second.erase(run.id);
    if (at->second.empty()) by_session_.erase(at);
}

void RunBook::wait_for_place(const model::Run& run) {
    queue_[run.queued] = run.id;
}

void RunBook::leave_queue(std::int64_t queued) {
    queue_.erase(queued);
}

std::optional<model::RunId> RunBook::next_in_queue() const {
    if (queue_.empty()) return std::nullopt;
    return queue_.begin()->second;
}

std::int64_t RunBook::position(const model::Run& run) const {
    if (run.queued == 0) return 0;
    return static_cast<std::int64_t>(queue_.order_of_key(run.queued)) + 1;
}

base::Result<void> RunBook::flush(Unit& unit) {
    if (changed_.empty()) return {};
    std::vector<model::Run> rows;
    rows.reserve(changed_.size());
    for (const model::RunId id : changed_) rows.push_back(open_.at(id).run);
    return unit.store.runs().put(rows);
}

void RunBook::committed() {
    for (const auto& [id, before] : saved_) {
        const auto at = open_.find(id);
        if (at == open_.end() || !model::is_ended(at->second.run.state)) continue;
        if (!at->second.run.run_key.empty()) by_key_.erase(key_of(at->second.run.user_id, at->second.run.run_key));
        forget_session(at->second.run);
        open_.erase(at);
    }
    for (const Was& was : members_) {
        const auto at = trees_.find(was.root);
        if (at != trees_.end() && at->second.open.empty()) trees_.erase(at);
    }
    saved_.clear();
    members_.clear();
    made_trees_.clear();
    gone_trees_.clear();
    changed_.clear();
    saved_last_id_ = last_id_;
}

void RunBook::dropped() {
    last_id_ = saved_last_id_;
    if (saved_.empty() && members_.empty()) return;
    for (auto& [id, before] : saved_) {
        if (before) open_.insert_or_assign(id, std::move(*before));
        else open_.erase(id);
    }
    for (auto& [root, tree] : gone_trees_) trees_.insert_or_assign(root, std::move(tree));
    for (auto was = members_.rbegin(); was != members_.rend(); ++was) {
        RunTree& tree = trees_[was->root];
        if (was->parent) tree.parents[was->id] = *was->parent;
        else tree.parents.erase(was->id);
        if (was->open) tree.open.insert(was->id);
        else tree.open.erase(was->id);
    }
    for (const model::RunId root : made_trees_) trees_.erase(root);
    saved_.clear();
    members_.clear();
    made_trees_.clear();
    gone_trees_.clear();
    changed_.clear();
    count();
}

}  // namespace belfry::engine
