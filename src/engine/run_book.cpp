#include "engine/run_book.hpp"

#include <algorithm>
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

bool RunTree::is_below(model::RunId run, model::RunId ancestor) const {
    for (auto at = parents.find(run); at != parents.end(); at = parents.find(at->second)) {
        if (at->second == ancestor) return true;
    }
    return false;
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
        if (run.caller) model::append_caller_json(open.source, *run.caller);
        else open.source = "null";
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
    queue_.clear();
    running_ = 0;
    for (const auto& [id, open] : open_) {
        if (!open.run.run_key.empty()) by_key_[key_of(open.run.user_id, open.run.run_key)] = id;
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
    for (const auto& [id, open] : open_) {
        if (open.run.session_id == session_id && !model::is_ended(open.run.state)) found.push_back(id);
    }
    std::ranges::sort(found);
    return found;
}

model::Run& RunBook::change(model::RunId id) {
    const auto at = open_.find(id);
    ASSERT(at != open_.end());
    saved_.try_emplace(id, at->second);
    changed_.insert(id);
    return at->second.run;
}

RunTree& RunBook::change_tree(model::RunId root) {
    const auto at = trees_.find(root);
    saved_trees_.try_emplace(root, at == trees_.end() ? std::nullopt : std::optional<RunTree>(at->second));
    return trees_[root];
}

const OpenRun& RunBook::add(OpenRun run) {
    const model::RunId id = run.run.id;
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
        RunTree& tree = change_tree(run.root_id);
        tree.open.erase(id);
        if (tree.open.empty()) trees_.erase(run.root_id);
    }
    open_.erase(at);
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
    return std::distance(queue_.begin(), queue_.find(run.queued)) + 1;
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
        open_.erase(at);
    }
    for (const auto& [root, before] : saved_trees_) {
        const auto at = trees_.find(root);
        if (at != trees_.end() && at->second.open.empty()) trees_.erase(at);
    }
    saved_.clear();
    saved_trees_.clear();
    changed_.clear();
    saved_last_id_ = last_id_;
}

void RunBook::dropped() {
    last_id_ = saved_last_id_;
    if (saved_.empty() && saved_trees_.empty()) return;
    for (auto& [id, before] : saved_) {
        if (before) open_.insert_or_assign(id, std::move(*before));
        else open_.erase(id);
    }
    for (auto& [root, before] : saved_trees_) {
        if (before) trees_.insert_or_assign(root, std::move(*before));
        else trees_.erase(root);
    }
    saved_.clear();
    saved_trees_.clear();
    changed_.clear();
    count();
}

}  // namespace belfry::engine
