#include "client/llm_callback_handler.hpp"

#include <cstdio>
#include <utility>

namespace belfry::client {
namespace {

model::RawJson finished(std::string&& json) {
    return model::RawJson::trusted(std::move(json));
}

}  // namespace

base::Result<LLMCallbackHandler> LLMCallbackHandler::make(Options options) {
    if (options.run_id && *options.run_id <= 0) {
        return base::error(base::Code::invalid, "run_id must be positive, not " + std::to_string(*options.run_id),
                           "run_id");
    }
    if (options.run_id && options.registry == nullptr && !options.event_callback) {
        return base::error(base::Code::invalid, "run_id leads nowhere without a registry", "run_id");
    }
    return LLMCallbackHandler(std::move(options));
}

LLMCallbackHandler LLMCallbackHandler::of(const RunContext& context, bool verbose) {
    return LLMCallbackHandler(Options{context.caller(), {}, context.run_id(), &context.registry(), verbose, {}});
}

LLMCallbackHandler::LLMCallbackHandler(LLMCallbackHandler&& other) noexcept
    : options_(other.options_),
      tool_count_(other.tool_count_.load()),
      dropped_(other.dropped_.load()),
      message_id_(std::move(other.message_id_)),
      text_(std::move(other.text_)) {}

void LLMCallbackHandler::on_message_start(std::string_view message_id) {
    {
        const std::lock_guard lock(mutex_);
        message_id_ = message_id;
        text_.clear();
    }
    std::string data;
    model::JsonWriter(data).begin_object().field("message_id", message_id).end_object();
    emit("llm.message_start", finished(std::move(data)));
}

void LLMCallbackHandler::on_text(std::string_view piece) {
    if (piece.empty()) return;
    std::string data;
    model::JsonWriter writer(data);
    writer.begin_object();
    {
        const std::lock_guard lock(mutex_);
        text_ += piece;
        if (!message_id_.empty()) writer.field("message_id", message_id_);
    }
    writer.field("text", piece).end_object();
    emit("llm.stream", finished(std::move(data)));
}

void LLMCallbackHandler::on_message_end() {
    std::string data;
    model::JsonWriter writer(data);
    writer.begin_object();
    {
        const std::lock_guard lock(mutex_);
        if (!message_id_.empty()) writer.field("message_id", message_id_);
        writer.field("text", text_);
    }
    writer.end_object();
    emit("llm.message_end", finished(std::move(data)));
}

void LLMCallbackHandler::on_tool_call(std::string_view call_id, std::string_view tool_name,
                                      const model::RawJson& arguments) {
    tool_count_.fetch_add(1, std::memory_order_relaxed);
    std::string data;
    model::JsonWriter writer(data);
    writer.begin_object().field("call_id", call_id).field("tool_name", tool_name);
    writer.name("arguments").raw(arguments.bytes()).end_object();
    emit("llm.tool_call", finished(std::move(data)));
}

void LLMCallbackHandler::on_tool_result(std::string_view call_id, std::string_view tool_name,
                                        std::string_view content) {
    std::string data;
    model::JsonWriter writer(data);
    writer.begin_object().field("call_id", call_id).field("tool_name", tool_name).field("content", content);
    writer.end_object();
    emit("llm.tool_result", finished(std::move(data)));
}

void LLMCallbackHandler::on_error(std::string_view type, std::string_view message) {
    std::string data;
    model::JsonWriter(data).begin_object().field("type", type).field("message", message).end_object();
    emit("llm.error", finished(std::move(data)));
}

void LLMCallbackHandler::emit(std::string_view event, model::RawJson data) {
    if (options_.verbose) {
        const std::string line = options_.caller_context.agent_id() + " " + std::string(event) + " " + data.bytes();
        if (options_.log) options_.log(line);
        else std::fprintf(stderr, "%s\n", line.c_str());
    }
    const RunEvent made{options_.run_id.value_or(0), options_.caller_context, std::string(event), std::move(data)};
    if (options_.event_callback) return options_.event_callback(made);
    const bool taken = options_.run_id && options_.registry != nullptr && options_.registry->emit(made);
    if (!taken) dropped_.fetch_add(1, std::memory_order_relaxed);
}

bool LLMCallbackHandler::is_cancelled() const {
    return options_.run_id && options_.registry != nullptr && options_.registry->is_cancelled(*options_.run_id);
}

std::string LLMCallbackHandler::text() const {
    const std::lock_guard lock(mutex_);
    return text_;
}

}  // namespace belfry::client
