#include "client/client.hpp"
#include "client/cursor.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"
#include "client/run_answers.hpp"
#include "codec/json.hpp"

namespace belfry::client {
namespace {

// Events of a run or of a tree of runs: each once and in order. The position is the id of the message, which is the
// stream's own sequence.
class RunCursor final : public Cursor {
public:
    RunCursor(model::RunId id, const RunFollow& wish, const RunHandlers& handlers)
        : path_("/v1/runs/" + std::to_string(id) + "/events"), wish_(wish), handlers_(handlers), last_(wish.after) {}

    [[nodiscard]] std::string target() const override {
        Query query;
        if (last_ != 0) query.add("after", std::to_string(last_));
        if (wish_.tree) query.add("tree", "true");
        query.add("agent", wish_.agent_id);
        return path_ + query.text();
    }

    base::Result<bool> take(const codec::SseMessage& message) override {
        if (message.event == "store") return true;  // a word about the server, no event of the run
        TRY_ASSIGN(model::RawJson json, codec::validate(message.data));
        if (json.view().kind() != model::JsonKind::object) return true;
        if (message.event == "gap") {
            const Fields fields(json.view());
            const model::Sequence to = fields.sequence("to");
            if (to <= last_) return true;
            last_ = to;
            if (handlers_.on_gap) handlers_.on_gap(fields.sequence("from"), to);
            return true;
        }
        const auto position = codec::parse_position(message.id);
        if (!position.ok()) return strange("an event of a run has no position");
        if (*position <= last_) return true;  // had before
        last_ = *position;
        return handlers_.on_event({last_, message.event, std::move(json)});
    }

private:
    std::string path_;
    const RunFollow& wish_;
    const RunHandlers& handlers_;
    model::Sequence last_;  // what was handed on, or is known to be gone
};

}  // namespace

base::Result<void> Client::follow_run(model::RunId id, const RunFollow& wish, const RunHandlers& handlers) {
    RunFollow from = wish;
    // "From now on" becomes a position at once: what is appended while a connection is down would be lost otherwise.
    if (wish.live) {
        Query query;
        query.add("from", "live").add("limit", "1");
        if (wish.tree) query.add("tree", "true");
        const std::string target = "/v1/runs/" + std::to_string(id) + "/events" + query.text();
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target)));
        TRY_ASSIGN(from.after, read_run_place(answer.body));
    }
    RunCursor cursor(id, from, handlers);
    return follow_cursor(cursor, handlers.on_lost);
}

}  // namespace belfry::client
