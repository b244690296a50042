#include "codec/ag_ui.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

namespace belfry::codec {
namespace {

using model::JsonKind;
using model::JsonView;

constexpr std::size_t open_max = 64;  // messages, and steps; beyond it the oldest ends

// The first of these members that is there and not null.
std::optional<JsonView> first_of(JsonView data, std::initializer_list<std::string_view> names) {
    if (data.kind() != JsonKind::object) return std::nullopt;
    for (const std::string_view name : names) {
        if (auto member = data.member(name); member && member->kind() != JsonKind::null) return member;
    }
    return std::nullopt;
}

std::string text_of(JsonView data, std::initializer_list<std::string_view> names) {
    const auto member = first_of(data, names);
    return member ? member->as_text() : std::string();
}

model::RunId run_of(JsonView line) {
    model::RunId id = 0;
    if (const auto member = line.member("run_id")) {
        std::from_chars(member->text.data(), member->text.data() + member->text.size(), id);
    }
    return id;
}

bool is_end(std::string_view event) {
    return event == "lifecycle.completed" || event == "lifecycle.failed" || event == "lifecycle.cancelled";
}

}  // namespace

AgUi::AgUi(model::RunId run, std::string_view session_id, Scope scope, model::Sequence after, std::string_view name)
    : run_id_(name.empty() ? std::to_string(run) : std::string(name)),
      thread_id_(session_id.empty() ? "run-" + run_id_ : std::string(session_id)),
      root_(run),
      scope_(scope),
      after_(after) {}

model::JsonWriter AgUi::begin(std::string_view type) {
    model::JsonWriter writer(made_);
    writer.begin_object().field("type", type);
    return writer;
}

void AgUi::finish(model::JsonWriter& writer) {
    writer.end_object();
    made_ += '\n';
}

// An entry's position goes with the last of its events: who breaks off between them gets them all again.
void AgUi::send(std::string& out, model::Sequence sequence) {
    if (sequence > after_) {
        std::string_view rest = made_;
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(line.size() + 1);
            if (rest.empty()) out += "id: " + std::to_string(sequence) + "\n";
            out += "data: ";
            out += line;
            out += "\n\n";
        }
    }
    made_.clear();
}

void AgUi::append(std::string& out, const model::LogEntry& entry) {
    sequence_ = entry.sequence;
    if (entry.body.empty() || over_) return;
    const JsonView line{entry.body};
    const auto data = line.member("data");
    if (!data) return;
    if (entry.sequence > after_ && std::exchange(anew_, false)) start_anew();
    run_ = scope_ == Scope::run ? root_ : run_of(line);
    map(entry.facets.type, *data);
    send(out, entry.sequence);
}

void AgUi::append_gap(std::string& out, model::Sequence from, model::Sequence to) {
    if (over_) return;
    if (from <= after_) {  // some of what he had: what it left open is not known any more
        anew_ = true;
        messages_.clear();
        steps_.clear();
    }
    if (to <= after_) return;
    sequence_ = to;
    if (std::exchange(anew_, false)) start_anew();
    start();
    end_all();
    custom("gap", "{\"from\":" + std::to_string(std::max(from, after_ + 1)) + ",\"to\":" + std::to_string(to) + "}");
    send(out, to);
}

void AgUi::start_anew() {
    started_ = false;
    start();
    for (const OpenStep& step : steps_) begin_step(step.name);
    for (const OpenMessage& message : messages_) begin_message(message.id);
}

std::string AgUi::named(std::string_view id) const {
    return run_ == root_ ? std::string(id) : std::to_string(run_) + ':' + std::string(id);
}

// The id of the run's open message whose chunks have none; empty: there is none.
std::string AgUi::nameless() const {
    const auto open = std::ranges::find_if(
        messages_, [this](const OpenMessage& message) { return message.run == run_ && message.is_nameless; });
    return open == messages_.end() ? std::string() : open->id;
}

void AgUi::map(std::string_view event, JsonView data) {
    if (event == "tree.closed") {
        if (!last_word_.empty()) end_all();
        made_ += last_word_;
        over_ = true;
        return;
    }
    if (event == "lifecycle.queued" || event == "tree.opened") return;
    if (event.starts_with("lifecycle.") && run_ == root_) return map_lifecycle(event, data);
    start();
    if (event == "llm.stream") return map_chunk(data);
    const std::string message_id = text_of(data, {"message_id", "id"});
    if (event == "llm.message_start" && !message_id.empty()) {
        end_messages_by_themselves();
        return start_message({run_, named(message_id)});
    }
    const std::string ended = message_id.empty() ? nameless() : named(message_id);
    if (event == "llm.message_end" && !ended.empty()) {
        const auto open = std::ranges::find(messages_, ended, &OpenMessage::id);
        if (open != messages_.end()) end_message(static_cast<std::size_t>(open - messages_.begin()));
        return end_messages_by_themselves();
    }
    end_messages_by_themselves();
    if (is_end(event)) end_all_of_run();
    if (event == "llm.tool_call") return map_tool_call(data);
    if (event == "llm.tool_result") return map_tool_result(data);
    if (event == "step.started" || event == "step.finished") return map_step(event, data);
    custom(event, data.text);
}

void AgUi::map_lifecycle(std::string_view event, JsonView data) {
    if (event == "lifecycle.started") return start();
    if (event == "lifecycle.completed") {
        start();
        end_all_of_run();
    }
    const std::size_t last = made_.size();
    if (event == "lifecycle.completed") {
        model::JsonWriter writer = begin("RUN_FINISHED");
        writer.field("threadId", thread_id_).field("runId", run_id_);
        if (const auto result = first_of(data, {"result"})) writer.name("result").raw(result->text);
        finish(writer);
    } else if (event == "lifecycle.failed") {
        const auto error = first_of(data, {"error"});
        const std::string message = error ? text_of(*error, {"message"}) : std::string();
        const std::string code = error ? text_of(*error, {"type"}) : std::string();
        model::JsonWriter writer = begin("RUN_ERROR");
        writer.field("message", message.empty() ? "failed" : message);
        if (!code.empty()) writer.field("code", code);
        finish(writer);
    } else {
        const std::string reason = text_of(data, {"reason"});
        model::JsonWriter writer = begin("RUN_ERROR");
        writer.field("message", reason.empty() ? "cancelled" : reason).field("code", "cancelled");
        finish(writer);
    }
    if (scope_ == Scope::run) {
        over_ = true;
        return;
    }
    last_word_ = made_.substr(last);
    made_.resize(last);
}

void AgUi::start() {
    if (std::exchange(started_, true)) return;
    model::JsonWriter writer = begin("RUN_STARTED");
    writer.field("threadId", thread_id_).field("runId", run_id_);
    finish(writer);
}

void AgUi::start_message(OpenMessage message) {
    if (std::ranges::find(messages_, message.id, &OpenMessage::id) != messages_.end()) return;
    if (messages_.size() == open_max) end_message(0);
    begin_message(message.id);
    messages_.push_back(std::move(message));
}

void AgUi::begin_message(const std::string& id) {
    model::JsonWriter writer = begin("TEXT_MESSAGE_START");
    writer.field("messageId", id).field("role", "assistant");
    finish(writer);
}

void AgUi::begin_step(const std::string& name) {
    model::JsonWriter writer = begin("STEP_STARTED");
    writer.field("stepName", name);
    finish(writer);
}

void AgUi::end_step(std::size_t place) {
    model::JsonWriter writer = begin("STEP_FINISHED");
    writer.field("stepName", steps_[place].name);
    finish(writer);
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(place));
}

void AgUi::end_message(std::size_t place) {
    model::JsonWriter writer = begin("TEXT_MESSAGE_END");
    writer.field("messageId", messages_[place].id);
    finish(writer);
    messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(place));
}

void AgUi::end_messages_by_themselves(std::string_view but) {
    for (std::size_t i = 0; i < messages_.size();) {
        const OpenMessage& message = messages_[i];
        if (message.by_itself && message.run == run_ && message.id != but) end_message(i);
        else ++i;
    }
}

void AgUi::end_all() {
    while (!messages_.empty()) end_message(0);
    while (!steps_.empty()) end_step(0);
}

void AgUi::end_all_of_run() {
    for (std::size_t i = 0; i < messages_.size();) {
        if (messages_[i].run == run_) end_message(i);
        else ++i;
    }
    for (std::size_t i = 0; i < steps_.size();) {
        if (steps_[i].run == run_) end_step(i);
        else ++i;
    }
}

void AgUi::map_chunk(JsonView data) {
    const std::string delta =
        data.kind() == JsonKind::string ? data.as_text() : text_of(data, {"delta", "content", "text", "chunk"});
    if (delta.empty()) return;  // which AG-UI has no word for
    std::string id = text_of(data, {"message_id"});
    const bool is_nameless = id.empty();
    id = is_nameless ? nameless() : named(id);
    if (id.empty()) id = named("m" + std::to_string(sequence_));
    end_messages_by_themselves(id);
    start_message({run_, id, true, is_nameless});
    model::JsonWriter writer = begin("TEXT_MESSAGE_CONTENT");
    writer.field("messageId", id).field("delta", delta);
    finish(writer);
}

void AgUi::map_tool_call(JsonView data) {
    std::string id = text_of(data, {"tool_call_id", "call_id", "id"});
    id = named(id.empty() ? "t" + std::to_string(sequence_) : id);
    const std::string name = text_of(data, {"tool_name", "name"});
    model::JsonWriter begun = begin("TOOL_CALL_START");
    begun.field("toolCallId", id).field("toolCallName", name.empty() ? "tool" : name);
    finish(begun);
    if (const std::string arguments = text_of(data, {"arguments", "args", "input"}); !arguments.empty()) {
        model::JsonWriter writer = begin("TOOL_CALL_ARGS");
        writer.field("toolCallId", id).field("delta", arguments);
        finish(writer);
    }
    model::JsonWriter ended = begin("TOOL_CALL_END");
    ended.field("toolCallId", id);
    finish(ended);
}

void AgUi::map_tool_result(JsonView data) {
    std::string id = text_of(data, {"tool_call_id", "call_id", "id"});
    id = named(id.empty() ? "t" + std::to_string(sequence_) : id);
    std::string message = text_of(data, {"message_id"});
    message = named(message.empty() ? "r" + std::to_string(sequence_) : message);
    model::JsonWriter writer = begin("TOOL_CALL_RESULT");
    writer.field("messageId", message).field("toolCallId", id);
    writer.field("content", text_of(data, {"content", "result", "output", "error"})).field("role", "tool");
    finish(writer);
}

void AgUi::map_step(std::string_view event, JsonView data) {
    std::string name = text_of(data, {"step_name", "name", "step"});
    name = named(name.empty() ? "step" : name);
    const auto open = std::ranges::find(steps_, name, &OpenStep::name);
    const bool begins = event == "step.started";
    if (begins == (open != steps_.end())) return;  // begun twice, or ended without a beginning
    if (!begins) return end_step(static_cast<std::size_t>(open - steps_.begin()));
    if (steps_.size() == open_max) end_step(0);
    begin_step(name);
    steps_.push_back({run_, std::move(name)});
}

void AgUi::custom(std::string_view name, std::string_view value) {
    model::JsonWriter writer = begin("CUSTOM");
    writer.field("name", name).name("value").raw(value);
    finish(writer);
}

}  // namespace belfry::codec
