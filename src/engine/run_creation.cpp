#include <utility>

#include "engine/enter_session.hpp"
#include "engine/runs.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/run_state.hpp"

// How a run comes into being: whose it is, whose child, its streams.
namespace belfry::engine {

using base::Code;

base::Result<base::Result<model::Run>> Runs::draft(const ports::CreateRun& command, Unit& unit) {
    using Draft = base::Result<model::Run>;
    model::Run run;
    run.user_id = command.user_id;
    run.session_id = command.session_id;
    if (command.parent_id != 0) {
        auto parent = find(command.principal, command.parent_id);
        if (!parent.ok()) {
            base::Error error = std::move(parent).error();
            error.field = "parent_id";
            return Draft(std::move(error));
        }
        const model::Run& above = (*parent)->run;
        if (run.user_id.empty()) run.user_id = above.user_id;
        if (run.user_id != above.user_id) {
            return Draft(base::error(Code::conflict, "a child is of its parent's user", "user_id"));
        }
        if (run.session_id.empty()) run.session_id = above.session_id;
        run.hierarchy_id = above.hierarchy_id;
        run.parent_id = above.id;
        run.root_id = above.root_id;
        const RunTree* const kin = book_.tree_of(above);
        if (kin != nullptr && kin->parents.size() >= base::limits::run_tree_max) {
            return Draft(base::error(Code::too_large,
                                     "a tree has at most " + std::to_string(base::limits::run_tree_max) + " runs",
                                     "parent_id"));
        }
    }
    if (book_.size() >= base::limits::runs_open_max) {
        return Draft(base::error(Code::overloaded, "at most " + std::to_string(base::limits::runs_open_max) +
                                                       " runs may be open; end some first"));
    }
    model::Session* session = nullptr;
    if (!run.session_id.empty()) {
        TRY_ASSIGN(session, sessions_.find(run.session_id, unit));
    }
    if (session != nullptr) {
        if (session->deleted_at) return Draft(base::error(Code::gone, "this session was deleted", "session_id"));
        if (!run.user_id.empty() && run.user_id != session->user_id) {
            return Draft(base::error(Code::conflict, "this session is another user's", "user_id"));
        }
        run.user_id = session->user_id;
    }
    const bool is_guess = run.user_id.empty();
    if (is_guess) run.user_id = rules::default_user(command.principal, owner_);
    run.agent_id = command.agent_id;
    if (run.agent_id.empty() && command.principal.bounds.agents.size() == 1) {
        run.agent_id = command.principal.bounds.agents.front();
    }
    auto may = rules::may_use_session(command.principal, run.session_id, run.user_id, run.agent_id);
    if (may.ok() && session != nullptr) {
        TRY_ASSIGN(const std::string agent, agent_in_session(command.principal, *session, unit));
        may = rules::may_use_agent(command.principal, agent);
    }
    if (may.ok() && session == nullptr && !run.session_id.empty()) {
        may = rules::may_make_session(command.principal, run.session_id, run.agent_id);
    }
    if (!may.ok()) return Draft(std::move(may).error());
    TRY_ASSIGN(auto named, check_naming(sessions_, command.principal, command.session_id, command.user_id, unit));
    if (!named.ok()) return Draft(std::move(named).error());
    run.run_key = command.run_key;
    if (!command.hierarchy_id.empty()) run.hierarchy_id = command.hierarchy_id;
    run.title = command.title;
    run.metadata = command.metadata;
    run.caller = command.caller;
    run.tree = command.tree && run.parent_id == 0;
    run.created_at = unit.now;
    return Draft(std::move(run));
}

base::Result<std::optional<model::Run>> Runs::find_by_key(const model::Run& wanted, Unit& unit) {
    if (wanted.run_key.empty()) return std::optional<model::Run>{};
    if (const OpenRun* there = book_.find_key(wanted.user_id, wanted.run_key))
        return std::optional(shown(*there, unit));
    const ports::RunTable::Key key{wanted.user_id, wanted.run_key};
    TRY_ASSIGN(std::vector<model::Run> ended, unit.store.runs().find_keys(std::span(&key, 1)));
    if (ended.empty()) return std::optional<model::Run>{};
    if (ended.front().ended_at) ended.front().expires_at = *ended.front().ended_at + options_.kept;
    return std::optional(std::move(ended.front()));
}

base::Result<void> Runs::create(ports::CreateRun& command, Unit& unit) {
    TRY_ASSIGN(auto drafted, draft(command, unit));
    if (!drafted.ok()) {
        command.refuse(std::move(drafted).error());
        return {};
    }
    model::Run& run = *drafted;
    TRY_ASSIGN(auto there, find_by_key(run, unit));
    // The key of a wake is a public hash: a caller can give it to a run of its own before the wake comes. The wake then
    // gets a run without a key, because the agent of the other run would read and cancel it.
    const bool is_of_a_wake = command.principal.id == model::house_principal().id;
    if (there && is_of_a_wake && (there->agent_id != run.agent_id || there->session_id != run.session_id)) {
        run.run_key.clear();
        there.reset();
    }
    if (there) {
        // Who may not see it learns only that the name is taken.
        if (rules::may_use_session(command.principal, there->session_id, there->user_id, there->agent_id).ok()) {
            command.settle(ports::CreatedRun{std::move(*there), false});
        } else {
            command.refuse(base::error(Code::conflict, "run_key is taken", "run_key", "taken"));
        }
        return {};
    }
    if (!run.session_id.empty()) {
        const bool is_guess =
            command.user_id.empty() && run.user_id == owner_ && !rules::proves_user(command.principal);
        TRY_ASSIGN(const model::Session* const there_before, sessions_.find(run.session_id, unit));
        const bool is_new = there_before == nullptr;
        TRY_ASSIGN(model::Session* const session, sessions_.find_or_make(run.session_id, run.user_id, is_guess, unit));
        // A session that a token with the bound makes belongs to its agent, else the token could not use the session.
        if (is_new && rules::is_confined(command.principal)) session->agent_id = run.agent_id;
    }
    run.id = book_.next_id();
    if (run.root_id == 0) run.root_id = run.id;
    OpenRun open;
    open.source = source_of(run);
    open.run = std::move(run);
    open.heard_at = unit.now;
    TRY_ASSIGN(open.stream, unit.streams.named(unit.store, model::run_stream_name(open.run.id), open.run.user_id,
                                               model::RetentionClass::runs));
    const OpenRun& added = book_.add(std::move(open));
    if (added.run.tree || added.run.parent_id != 0) TRY(join_tree(added.run, unit));
    if (command.start) TRY(start_or_queue(added.run.id, unit));
    ++created_count_;
    command.settle(ports::CreatedRun{shown(added, unit), true});
    return {};
}

base::Result<base::Result<void>> Runs::check_session(const std::string& session_id, const std::string& user_id,
                                                     Unit& unit) {
    using Check = base::Result<void>;
    if (session_id.empty()) return Check{};
    TRY_ASSIGN(const model::Session* const session, sessions_.find(session_id, unit));
    if (session == nullptr) return Check{};
    if (session->deleted_at) return Check(base::error(Code::gone, "this session was deleted", "session_id"));
    if (session->user_id == user_id) return Check{};
    return Check(base::error(Code::conflict, "this session is another user's", "session_id"));
}

base::Result<base::Result<model::RunId>> Runs::begin(ports::CreateRun& wish, Unit& unit) {
    TRY(create(wish, unit));
    if (!wish.result().ok()) return base::Result<model::RunId>(wish.result().error());
    return base::Result<model::RunId>(wish.result()->run.id);
}

base::Result<void> Runs::start_pending(model::RunId id, Unit& unit) {
    const OpenRun* const open = book_.find(id);
    if (open == nullptr || open->run.state != model::RunState::pending) return {};
    return start_or_queue(id, unit);
}

// A root that asked for it has its tree's stream from its first event on; else it begins with the first child, and says
// where the root was by then.
base::Result<void> Runs::join_tree(const model::Run& run, Unit& unit) {
    if (book_.tree_of(run) == nullptr) {
        TRY_ASSIGN(const model::StreamId stream, unit.streams.named(unit.store, model::tree_stream_name(run.root_id),
                                                                    run.user_id, model::RetentionClass::runs));
        book_.open_tree(run.root_id, stream);
        if (run.parent_id != 0) {
            const OpenRun* const root = book_.find(run.root_id);
            ASSERT(root != nullptr);  // the first child's parent is the root, and it is open
            book_.join_tree(run.root_id, run.root_id, 0);
            book_.change(root->run.id).tree = true;
            body_.clear();
            const std::string id =
                base::format_uuid(base::make_uuid7(unit.now, unit.random.next(), unit.random.next()));
            model::append_run_event_head(body_, {id, root->run.id, unit.now, 1, "null", "tree.opened"});
            body_ += "{\"root_sequence\":" + std::to_string(unit.streams.head(root->stream)) + "}}";
            const model::Facets facets{model::Severity::info, "tree.opened", run.user_id, run.session_id};
            unit.streams.append(unit.store, stream, facets, body_);
        }
    }
    book_.join_tree(run.root_id, run.id, run.parent_id);
    return {};
}

}  // namespace belfry::engine
