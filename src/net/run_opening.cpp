#include "net/run_opening.hpp"

#include <algorithm>
#include <utility>

namespace belfry::net {
namespace {

base::Error beyond(model::Sequence position, model::Sequence head) {
    return base::error(
        base::Code::invalid,
        "position " + std::to_string(position) + " lies beyond the stream's head, " + std::to_string(head), "after");
}

}  // namespace

base::Result<OpenedRun> open_run(ports::Streams& streams, const model::Principal& who, const model::Run& run,
                                 const RunWish& wish, RunReading reading) {
    ports::OpenStream open;
    open.principal = who;
    // The caller may use the run itself. Its tree has runs of other agents, too.
    if (!wish.tree) open.principal.bounds.agents.clear();
    open.stream = wish.tree ? model::tree_stream_name(run.root_id) : model::run_stream_name(run.id);
    open.filter.agent_id = wish.agent_id;
    if (!who.bounds.sessions.empty()) open.filter.session_id = run.session_id;
    open.start = ports::StartAt::after;
    const model::Sequence head = streams.head(open.stream);
    // Who wants all is told what is gone of it: he begins before the first.
    const model::Sequence from = wish.after ? *wish.after : wish.live ? head : 0;
    if (reading == RunReading::page) open.after = from;
    if (reading == RunReading::onward && from > 0) open.after = from - 1;
    open.after = std::min(open.after, head);
    auto cursor = streams.open(open);
    if (!cursor.ok()) {
        if (wish.tree && cursor.error().code == base::Code::not_found) {
            return base::error(base::Code::not_found,
                               "this run has no tree: it has no children, and was not made with tree", "tree");
        }
        return std::move(cursor).error();
    }
    if (from > head) return beyond(from, head);
    // What is stored may be further than what was let out; `events` says how far it has to be.
    const bool ends_here = !wish.tree && model::is_ended(run.state) && head >= static_cast<model::Sequence>(run.events);
    return OpenedRun{std::move(cursor).value(), from, ends_here};
}

}  // namespace belfry::net
