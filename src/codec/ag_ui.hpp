#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/log.hpp"
#include "model/raw_json.hpp"
#include "model/run.hpp"

namespace belfry::codec {

// A run's stream as AG-UI events, in server-sent events without a name. What it makes of an entry depends on the
// entries before it (which messages and steps are open), so it is shown all of a stream from its first one that is
// kept; those up to `after` are only looked at. The same log gives the same events, wherever a reader comes back, as
// long as its beginning is kept: what he gets then goes on where he was. Where it is not, nobody can know what he was
// told of it, and he begins anew: RUN_STARTED and the start of all that is open come before the first event that he has
// not. Either way each content comes after its start, and starts and ends are paired.
//
//  lifecycle.started      RUN_STARTED; it is made up where the log begins with something else
//  lifecycle.completed    RUN_FINISHED, after the end of all that is open
//  lifecycle.failed       RUN_ERROR; lifecycle.cancelled likewise, with the code `cancelled`
//  llm.message_start, llm.stream, llm.message_end   TEXT_MESSAGE_START, _CONTENT, _END. A chunk of a message that was
//                         not started starts it, and then the next thing that is not a chunk of it ends it. A chunk
//                         without message_id belongs to `m<sequence of the first such chunk>`
//  llm.tool_call          TOOL_CALL_START, _ARGS, _END; llm.tool_result TOOL_CALL_RESULT
//  step.started, step.finished   STEP_STARTED, STEP_FINISHED
//  lifecycle.queued, tree.*      nothing; everything else CUSTOM
//
// Of a tree the root is the run, and its end waits for its children's. Their lifecycle is CUSTOM, and the end of one
// ends what it had open. What they say and do is told as the root's is; their messages, tool calls and steps are named
// `<run>:<id>`, so that nobody takes two that speak at once for one.
class AgUi {
public:
    enum class Scope : std::uint8_t { run, tree };
    // `name`: what the reader calls the run; empty: its id.
    AgUi(model::RunId run, std::string_view session_id, Scope scope, model::Sequence after, std::string_view name = {});

    void append(std::string& out, const model::LogEntry& entry);
    void append_gap(std::string& out, model::Sequence from, model::Sequence to);

private:
    struct OpenMessage {
        model::RunId run = 0;
        std::string id;            // as it was told
        bool by_itself = false;    // a chunk has started it
        bool is_nameless = false;  // its chunks have no id
    };
    struct OpenStep {
        model::RunId run = 0;
        std::string name;
    };

    void map(std::string_view event, model::JsonView data);
    void map_lifecycle(std::string_view event, model::JsonView data);
    void map_chunk(model::JsonView data);
    void map_tool_call(model::JsonView data);
    void map_tool_result(model::JsonView data);
    void map_step(std::string_view event, model::JsonView data);
    void custom(std::string_view name, std::string_view value);
    void start_message(OpenMessage message);
    void end_message(std::size_t place);
    void end_messages_by_themselves(std::string_view but = {});
    [[nodiscard]] std::string named(std::string_view id) const;
    [[nodiscard]] std::string nameless() const;
    void start();
    void start_anew();
    void begin_message(const std::string& id);
    void begin_step(const std::string& name);
    void end_step(std::size_t place);
    void end_all();
    void end_all_of_run();

    // Events of the entry at hand, one a line, in `made_`.
    model::JsonWriter begin(std::string_view type);
    void finish(model::JsonWriter& writer);
    void send(std::string& out, model::Sequence sequence);

    std::string run_id_;
    std::string thread_id_;
    model::RunId root_;
    Scope scope_;
    model::Sequence after_;
    model::Sequence sequence_ = 0;  // of the entry at hand
    model::RunId run_ = 0;          // whose it is
    bool started_ = false;
    bool over_ = false;
    bool anew_ = false;      // the beginning is gone, and its reader has had some of it
    std::string last_word_;  // of the root, kept until its tree is closed
    std::vector<OpenMessage> messages_;
    std::vector<OpenStep> steps_;
    std::string made_;
};

}  // namespace belfry::codec
