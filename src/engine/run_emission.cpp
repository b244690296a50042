#include <algorithm>
#include <utility>

#include "engine/runs.hpp"
#include "rules/run_state.hpp"

// What runs emit, and what is left of them when their time is over.
namespace belfry::engine {

// The line in `body_`, which the run's stream and its tree's share.
void Runs::append_to_log(const OpenRun& open, std::string_view event, Unit& unit) {
    const model::Facets facets{model::Severity::info, event, open.run.user_id, open.run.session_id};
    unit.streams.append(unit.store, open.stream, facets, body_);
    if (const RunTree* tree = book_.tree_of(open.run)) unit.streams.append(unit.store, tree->stream, facets, body_);
}

void Runs::append(const OpenRun& open, std::string_view event, std::string_view data, Unit& unit) {
    const std::string id = base::format_uuid(base::make_uuid7(unit.now, unit.random.next(), unit.random.next()));
    const auto sequence = static_cast<std::int64_t>(unit.streams.head(open.stream) + 1);
    body_.clear();
    model::append_run_event_head(body_, {id, open.run.id, unit.now, sequence, open.source, event});
    body_ += data;
    body_ += '}';
    append_to_log(open, event, unit);
}

void Runs::emit(ports::EmitRunEvents& command, Unit& unit) {
    auto found = find(command.principal, command.run_id);
    auto may = found.ok() ? rules::takes_events((*found)->run) : base::Result<void>(found.error());
    if (!may.ok()) return command.refuse(std::move(may).error());
    const OpenRun& open = **found;
    model::Sequence sequence = unit.streams.head(open.stream);
    ports::EmittedRunEvents emitted{sequence + 1, sequence, open.run.state, open.run.paused, true};
    if (command.expect_first && *command.expect_first != sequence + 1) {
        emitted.is_taken = false;
        return command.settle(emitted);
    }
    book_.hear(command.run_id, unit.now);
    std::string id;
    for (const model::RunEventDraft& draft : command.events.drafts) {
        id.clear();
        base::append_uuid(id,
                          draft.id ? *draft.id : base::make_uuid7(unit.now, unit.random.next(), unit.random.next()));
        const std::string_view event = draft.event.in(command.events.text);
        body_.clear();
        model::append_run_event_head(
            body_,
            {id, open.run.id, draft.timestamp.value_or(unit.now), static_cast<std::int64_t>(++sequence),
             draft.source.size == 0 ? std::string_view(open.source) : draft.source.in(command.events.text), event});
        body_ += draft.data.in(command.events.text);
        body_ += '}';
        append_to_log(open, event, unit);
    }
    emitted.last = sequence;
    event_count_ += command.events.drafts.size();
    command.settle(emitted);
}

std::optional<base::Timestamp> Runs::next_due() const {
    if (!next_due_ || !next_look_) return next_due_ ? next_due_ : next_look_;
    return std::min(*next_due_, *next_look_);
}

// Whoever drives a run may have died. His session's reports, pulls and heartbeats are a sign of life, too.
base::Result<void> Runs::end_silent(Unit& unit) {
    const base::Timestamp then = unit.now - options_.silence;
    const RunBook::Silent silent = book_.silent_since(then);
    next_look_ = unit.now + std::min(options_.silence, base::limits::runs_silence_look);
    if (silent.runs.empty() && silent.next) next_look_ = std::max(*next_look_, *silent.next + options_.silence);
    for (const model::RunId id : silent.runs) {
        if (is_seen_to_) {
            TRY_ASSIGN(const bool is_seen_to, is_seen_to_(id, unit));
            if (is_seen_to) continue;
        }
        const model::Run& run = book_.find(id)->run;
        model::Session* session = nullptr;
        if (!run.session_id.empty()) {
            TRY_ASSIGN(session, sessions_.find(run.session_id, unit));
        }
        if (session != nullptr && session->progress.heard_at && *session->progress.heard_at > then) {
            book_.hear(id, *session->progress.heard_at);
            continue;
        }
        const model::RunError error{"silence",
                                    "nothing was heard of this run for " + base::format_duration(options_.silence)};
        model::Run ended = run;
        TRY(rules::finish_run(ended, model::RunState::failed, std::nullopt, error, unit.now));
        book_.change(id) = std::move(ended);
        note_end(id, "lifecycle.failed", "{\"error\":" + run_error_json(error) + "}", true, unit);
    }
    return {};
}

base::Result<void> Runs::tend(Unit& unit) {
    constexpr std::size_t slice = base::limits::sweep_slice_rows;
    if (next_look_ && *next_look_ <= unit.now) TRY(end_silent(unit));
    fill_places(unit);
    TRY_ASSIGN(const std::vector<model::Run> expired, unit.store.runs().ended_before(unit.now - options_.kept, slice));
    TRY(remove(expired, unit));
    TRY_ASSIGN(const auto first_end, unit.store.runs().first_end());
    pending_due_.reset();
    // One microsecond more: what ends now is kept until its time is over.
    if (first_end) pending_due_ = std::max(*first_end + options_.kept + base::microseconds(1), unit.now);
    tended_ = true;
    return {};
}

base::Result<void> Runs::remove(const std::vector<model::Run>& runs, Unit& unit) {
    if (runs.empty()) return {};
    std::vector<model::RunId> ids;
    std::vector<model::StreamId> streams;
    std::set<model::RunId> roots;
    const std::vector<ports::RunTable::Move> moves = book_.close_ranks(runs);
    if (!moves.empty()) TRY(unit.store.runs().move(moves));
    for (const model::Run& run : runs) {
        ids.push_back(run.id);
        roots.insert(run.root_id);
        book_.remove(run.id);
        if (const auto stream = unit.streams.find(model::run_stream_name(run.id))) streams.push_back(*stream);
    }
    TRY(unit.store.runs().remove(ids));
    for (const model::RunId root : roots) {
        const auto stream = unit.streams.find(model::tree_stream_name(root));
        if (!stream) continue;
        TRY_ASSIGN(const bool has_more, unit.store.runs().has_tree(root));
        if (!has_more) streams.push_back(*stream);
    }
    return unit.streams.remove(unit.store, streams);
}

base::Result<std::uint64_t> Runs::erase_user(const std::string& user_id, Unit& unit) {
    // What earlier commands of this transaction made is written first, or it would outlive its user.
    TRY(book_.flush(unit));
    TRY_ASSIGN(const std::vector<model::Run> runs, unit.store.runs().of_user(user_id, base::limits::sweep_slice_rows));
    TRY(remove(runs, unit));
    fill_places(unit);
    return runs.size();
}

}  // namespace belfry::engine
