#include "engine/runs.hpp"

#include <algorithm>
#include <utility>

#include "rules/may.hpp"
#include "rules/run_state.hpp"

namespace belfry::engine {
namespace {

using base::Code;
using model::RunState;

// The run that a command names; 0: it names none.
model::RunId named_by(const ports::Command& command) {
    if (const auto* wish = dynamic_cast<const ports::EmitRunEvents*>(&command)) return wish->run_id;
    if (const auto* wish = dynamic_cast<const ports::CreateRun*>(&command)) return wish->parent_id;
    if (const auto* wish = dynamic_cast<const ports::StartRun*>(&command)) return wish->run_id;
    if (const auto* wish = dynamic_cast<const ports::CancelRun*>(&command)) return wish->run_id;
    if (const auto* wish = dynamic_cast<const ports::FinishRun*>(&command)) return wish->run_id;
    if (const auto* wish = dynamic_cast<const ports::PauseRun*>(&command)) return wish->run_id;
    return static_cast<const ports::SignalRun&>(command).run_id;
}

std::string member(std::string_view name, std::string_view json) {
    std::string out = "{\"";
    out += name;
    out += "\":";
    out += json;
    out += '}';
    return out;
}

}  // namespace

std::string Runs::run_error_json(const model::RunError& error) {
    std::string out;
    model::JsonWriter(out).begin_object().field("type", error.type).field("message", error.message).end_object();
    return out;
}

std::vector<std::type_index> Runs::handles() const {
    return {typeid(ports::CreateRun), typeid(ports::StartRun),  typeid(ports::CancelRun),    typeid(ports::FinishRun),
            typeid(ports::PauseRun),  typeid(ports::SignalRun), typeid(ports::EmitRunEvents)};
}

base::Result<void> Runs::rebuild(Unit& unit) {
    dropped();
    TRY(book_.rebuild(unit));
    next_due_ = unit.now;  // what may start since there are more places, and what has expired
    next_look_.reset();
    if (options_.silence.us > 0) next_look_ = unit.now + options_.silence;
    return {};
}

base::Result<void> Runs::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<model::RunId> ids;
    std::vector<std::string> sessions;
    for (const ports::Command* command : commands) {
        const model::RunId id = named_by(*command);
        if (id > 0 && id <= book_.last_id() && book_.find(id) == nullptr) ids.push_back(id);
        if (const auto* wish = dynamic_cast<const ports::CreateRun*>(command); wish != nullptr) {
            if (!wish->session_id.empty()) sessions.push_back(wish->session_id);
        }
    }
    if (!sessions.empty()) TRY(sessions_.load(sessions, unit));
    if (ids.empty()) return {};
    TRY_ASSIGN(std::vector<model::Run> found, unit.store.runs().find(ids));
    for (model::Run& run : found) {
        const model::RunId id = run.id;
        ended_.insert_or_assign(id, std::move(run));
    }
    return {};
}

base::Result<void> Runs::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::EmitRunEvents*>(&command)) {
        emit(*wish, unit);
        return {};
    }
    if (auto* wish = dynamic_cast<ports::CreateRun*>(&command)) return create(*wish, unit);
    if (auto* wish = dynamic_cast<ports::StartRun*>(&command)) return start(*wish, unit);
    if (auto* wish = dynamic_cast<ports::CancelRun*>(&command)) return cancel(*wish, unit);
    if (auto* wish = dynamic_cast<ports::FinishRun*>(&command)) return finish(*wish, unit);
    if (auto* wish = dynamic_cast<ports::PauseRun*>(&command)) return pause(*wish, unit);
    return signal(static_cast<ports::SignalRun&>(command), unit);
}

base::Result<const OpenRun*> Runs::find(const model::Principal& who, model::RunId id) const {
    const OpenRun* const open = book_.find(id);
    const auto ended = ended_.find(id);
    const model::Run* const run = open != nullptr ? &open->run : ended != ended_.end() ? &ended->second : nullptr;
    if (run == nullptr) {
        if (id > 0 && id <= book_.last_id()) return base::error(Code::gone, "this run has expired");
        return base::error(Code::not_found, "there is no such run");
    }
    TRY(rules::may_use_session(who, run->session_id, run->user_id, run->agent_id));
    TRY(rules::require_open(*run));
    return open;
}

model::Run Runs::shown(const OpenRun& open, const Unit& unit) const {
    model::Run run = open.run;
    run.queue_position = book_.position(run);
    run.events = static_cast<std::int64_t>(unit.streams.head(open.stream));
    if (run.ended_at) run.expires_at = *run.ended_at + options_.kept;
    return run;
}

base::Result<void> Runs::start(ports::StartRun& command, Unit& unit) {
    auto found = find(command.principal, command.run_id);
    if (!found.ok()) {
        command.refuse(std::move(found).error());
        return {};
    }
    model::Run tried = (*found)->run;
    auto may = rules::start_run(tried, true, 1, unit.now);
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY(start_or_queue(command.run_id, unit));
    command.settle(shown(**found, unit));
    return {};
}

base::Result<void> Runs::start_or_queue(model::RunId id, Unit& unit) {
    model::Run& run = book_.change(id);
    const bool has_place = book_.running() < options_.capacity && !book_.next_in_queue();
    TRY_ASSIGN(const rules::Started started,
               rules::start_run(run, has_place, has_place ? 0 : book_.next_queue_number(), unit.now));
    const OpenRun& open = *book_.find(id);
    if (started == rules::Started::running) {
        book_.count_running(1);
        append(open, "lifecycle.started", "{}", unit);
        return {};
    }
    book_.wait_for_place(run);
    append(open, "lifecycle.queued", member("position", std::to_string(book_.position(run))), unit);
    return {};
}

void Runs::fill_places(Unit& unit) {
    while (book_.running() < options_.capacity) {
        const auto next = book_.next_in_queue();
        if (!next) return;
        model::Run& run = book_.change(*next);
        book_.leave_queue(run.queued);
        rules::place_run(run, unit.now);
        book_.count_running(1);
        book_.hear(*next, unit.now);
        append(*book_.find(*next), "lifecycle.started", "{}", unit);
    }
}

base::Result<void> Runs::finish(ports::FinishRun& command, Unit& unit) {
    auto found = find(command.principal, command.run_id);
    if (found.ok() && is_seen_to_) {
        TRY_ASSIGN(const bool is_seen_to, is_seen_to_(command.run_id, unit));
        if (is_seen_to) {
            found = base::error(Code::conflict,
                                "this run is a wake's: who has claimed that ends it with its fence; others may cancel "
                                "the run",
                                {}, "claimed");
        }
    }
    if (!found.ok()) {
        command.refuse(std::move(found).error());
        return {};
    }
    return end(command, **found, unit);
}

base::Result<void> Runs::end(ports::FinishRun& command, const OpenRun& open, Unit& unit) {
    model::Run ended = open.run;
    auto done = rules::finish_run(ended, command.state, command.result, command.error, unit.now);
    if (!done.ok()) {
        command.refuse(std::move(done).error());
        return {};
    }
    book_.change(command.run_id) = std::move(ended);
    if (command.state == RunState::completed) {
        note_end(command.run_id, "lifecycle.completed",
                 member("result", command.result ? command.result->bytes() : "null"), true, unit);
    } else {
        note_end(command.run_id, "lifecycle.failed",
                 member("error", command.error ? run_error_json(*command.error) : "null"), true, unit);
    }
    fill_places(unit);
    command.settle(shown(*book_.find(command.run_id), unit));
    return {};
}

base::Result<void> Runs::cancel(ports::CancelRun& command, Unit& unit) {
    auto found = find(command.principal, command.run_id);
    auto may = found.ok() ? rules::may_cancel((*found)->run, command.reason) : base::Result<void>(found.error());
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY(cancel_with_kin(command.run_id, command.reason, command.principal, unit));
    command.settle(shown(*book_.find(command.run_id), unit));
    return {};
}

base::Result<void> Runs::cancel_with_kin(model::RunId id, const std::string& reason, const model::Principal& by,
                                         Unit& unit) {
    std::vector<model::RunId> going{id};
    if (const RunTree* tree = book_.tree_of(book_.find(id)->run)) {
        const std::vector<model::RunId> below = tree->open_below(id);
        going.insert(going.end(), below.begin(), below.end());
    }
    for (const model::RunId one : going) {
        model::Run& run = book_.change(one);
        const bool had_place = run.state == RunState::running;
        if (run.queued != 0) book_.leave_queue(run.queued);
        const std::string why = one == id ? reason : "its parent was cancelled";
        TRY(rules::cancel_run(run, why, unit.now));
        std::string data;
        model::JsonWriter writer(data);
        writer.begin_object().name("reason");
        why.empty() ? writer.null() : writer.text(why);
        writer.field("by", by.id).end_object();
        note_end(one, "lifecycle.cancelled", data, had_place, unit);
    }
    fill_places(unit);
    return {};
}

void Runs::note_end(model::RunId id, std::string_view event, std::string_view data, bool had_place, Unit& unit) {
    const OpenRun& open = *book_.find(id);
    append(open, event, data, unit);
    book_.change(id).events = static_cast<std::int64_t>(unit.streams.head(open.stream));
    if (had_place) book_.count_running(-1);
    ended_now_.push_back(id);
    const base::Timestamp expires = unit.now + options_.kept;
    if (!next_due_ || expires < *next_due_) next_due_ = expires;
    if (book_.tree_of(open.run) == nullptr) return;
    book_.leave_tree(open.run.root_id, id);
    const RunTree& tree = *book_.tree_of(open.run);
    if (!tree.open.empty()) return;
    // Nobody is left who could get children: the tree's stream ends with its own last word.
    body_.clear();
    const std::string entry = base::format_uuid(base::make_uuid7(unit.now, unit.random.next(), unit.random.next()));
    const auto sequence = static_cast<std::int64_t>(unit.streams.head(tree.stream) + 1);
    model::append_run_event_head(body_, {entry, open.run.root_id, unit.now, sequence, "null", "tree.closed"});
    body_ += "{}}";
    const model::Facets facets{model::Severity::info, "tree.closed", open.run.user_id, open.run.session_id};
    unit.streams.append(unit.store, tree.stream, facets, body_);
}

base::Result<void> Runs::pause(ports::PauseRun& command, Unit& unit) {
    auto found = find(command.principal, command.run_id);
    if (!found.ok()) {
        command.refuse(std::move(found).error());
        return {};
    }
    if (auto done = set_paused(**found, command.paused, unit); !done.ok()) {
        command.refuse(std::move(done).error());
        return {};
    }
    command.settle(shown(**found, unit));
    return {};
}

base::Result<void> Runs::set_paused(const OpenRun& open, bool paused, Unit& unit) {
    model::Run tried = open.run;
    TRY_ASSIGN(const bool changed, rules::pause_run(tried, paused));
    if (!changed) return {};
    book_.hear(tried.id, unit.now);
    book_.change(tried.id) = std::move(tried);
    append(open, paused ? "control.paused" : "control.resumed", "{}", unit);
    return {};
}

base::Result<const OpenRun*> Runs::find_signalled(const ports::SignalRun& command) const {
    model::RunId id = command.run_id;
    if (id == 0) {
        const std::vector<model::RunId> open = book_.of_session(command.session_id);
        if (open.empty()) return base::error(Code::not_found, "no run of this session is open", "run_id");
        if (open.size() > 1) {
            return base::error(Code::conflict, "several runs of this session are open: name one", "run_id",
                               "ambiguous");
        }
        id = open.front();
    }
    TRY_ASSIGN(const OpenRun* const open, find(command.principal, id));
    if (open->run.session_id == command.session_id) return open;
    return base::error(Code::not_found, "this session has no such run", "run_id");
}

base::Result<void> Runs::signal(ports::SignalRun& command, Unit& unit) {
    auto found = find_signalled(command);
    const bool cancels = command.signal == ports::RunSignal::cancel;
    base::Result<void> done = found.ok() ? base::Result<void>{} : base::Result<void>(found.error());
    if (done.ok() && cancels) done = rules::may_cancel((*found)->run, command.reason);
    if (done.ok() && !cancels) done = set_paused(**found, command.signal == ports::RunSignal::pause, unit);
    if (!done.ok()) {
        command.refuse(std::move(done).error());
        return {};
    }
    const model::RunId id = (*found)->run.id;
    if (cancels) TRY(cancel_with_kin(id, command.reason, command.principal, unit));
    command.settle(shown(*book_.find(id), unit));
    return {};
}

const model::Run* Runs::find_open(model::RunId id) const {
    const OpenRun* const open = book_.find(id);
    return open == nullptr || model::is_ended(open->run.state) ? nullptr : &open->run;
}

base::Result<void> Runs::complete(model::RunId id, const std::optional<model::RawJson>& result, Unit& unit) {
    ports::FinishRun wish;
    wish.principal = model::house_principal();
    wish.run_id = id;
    wish.result = result;
    return end(wish, *book_.find(id), unit);
}

base::Result<void> Runs::fail(model::RunId id, const model::RunError& error, Unit& unit) {
    ports::FinishRun wish;
    wish.principal = model::house_principal();
    wish.run_id = id;
    wish.state = RunState::failed;
    wish.error = error;
    return end(wish, *book_.find(id), unit);
}

base::Result<void> Runs::cancel(model::RunId id, const std::string& reason, Unit& unit) {
    return cancel_with_kin(id, reason, model::house_principal(), unit);
}

void Runs::hear(model::RunId id, base::Timestamp now) {
    if (find_open(id) != nullptr) book_.hear(id, now);
}

bool Runs::tell(model::RunId id, std::string_view event, std::string_view data, Unit& unit) {
    if (find_open(id) == nullptr) return false;
    append(*book_.find(id), event, data, unit);
    return true;
}

void Runs::committed(Effects& effects) {
    book_.committed();
    effects.figures.runs_created += created_count_;
    effects.figures.run_events += event_count_;
    if (tended_) next_due_ = pending_due_;
    ended_.clear();
    ended_now_.clear();
    tended_ = false;
    created_count_ = 0;
    event_count_ = 0;
}

void Runs::dropped() {
    book_.dropped();
    ended_.clear();
    ended_now_.clear();
    tended_ = false;
    created_count_ = 0;
    event_count_ = 0;
}

}  // namespace belfry::engine
