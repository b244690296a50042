#include "client/llm_callback_handler.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "codec/utf8.hpp"

namespace belfry::client {
namespace {

model::RawJson finished(std::string&& json) {
    return model::RawJson::trusted(std::move(json));
}

// How many bytes at the end begin a character that is not complete yet.
std::size_t unfinished_bytes(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const auto c = static_cast<unsigned char>(text[text.size() - back]);
        if ((c & 0xC0U) == 0x80U) continue;
        const std::size_t whole = c > 0xF4 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 1;
        return whole > back ? back : 0;
    }
    return 0;
}

// A line that a terminal can only print.
std::string harmless(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto c = static_cast<unsigned char>(line[i]);
        const bool is_c1 = c == 0xC2 && i + 1 < line.size() && static_cast<unsigned char>(line[i + 1]) < 0xA0;
        if (is_c1) ++i;
        if (c < 0x20 || c == 0x7F || is_c1) out += '?';
        else out += line[i];
    }
    return out;
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
      text_(std::move(other.text_)),
      unfinished_(std::move(other.unfinished_)) {}

void LLMCallbackHandler::on_message_start(std::string_view message_id) {
    {
        const std::lock_guard lock(mutex_);
        message_id_ = codec::to_utf8(message_id);
        text_.clear();
        unfinished_.clear();
    }
    std::string data;
    model::JsonWriter(data).begin_object().field("message_id", codec::to_utf8(message_id)).end_object();
    emit("llm.message_start", finished(std::move(data)));
}

void LLMCallbackHandler::on_text(std::string_view piece) {
    emit_text(piece, false);
}

void LLMCallbackHandler::emit_text(std::string_view piece, bool is_last) {
    std::string data;
    model::JsonWriter writer(data);
    writer.begin_object();
    {
        const std::lock_guard lock(mutex_);
        unfinished_ += piece;
        const std::size_t waits = is_last ? 0 : unfinished_bytes(unfinished_);
        const std::string whole = codec::to_utf8(std::string_view(unfinished_).substr(0, unfinished_.size() - waits));
        unfinished_.erase(0, unfinished_.size() - waits);
        if (whole.empty()) return;
        text_ += whole;
        if (!message_id_.empty()) writer.field("message_id", message_id_);
        writer.field("text", whole);
    }
    writer.end_object();
    emit("llm.stream", finished(std::move(data)));
}

void LLMCallbackHandler::on_message_end() {
    emit_text({}, true);  // a character that never became complete
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
    writer.begin_object().field("tool_call_id", codec::to_utf8(call_id)).field("tool_name", codec::to_utf8(tool_name));
    writer.name("arguments").raw(arguments.bytes()).end_object();
    emit("llm.tool_call", finished(std::move(data)));
}

void LLMCallbackHandler::on_tool_result(std::string_view call_id, std::string_view tool_name,
                                        std::string_view content) {
    std::string data;
    model::JsonWriter writer(data);
    writer.begin_object().field("tool_call_id", codec::to_utf8(call_id)).field("tool_name", codec::to_utf8(tool_name));
    writer.field("content", codec::to_utf8(content)).end_object();
    emit("llm.tool_result", finished(std::move(data)));
}

void LLMCallbackHandler::on_error(std::string_view type, std::string_view message) {
    std::string data;
    model::JsonWriter writer(data);
    writer.begin_object().field("type", codec::to_utf8(type)).field("message", codec::to_utf8(message)).end_object();
    emit("llm.error", finished(std::move(data)));
}

void LLMCallbackHandler::emit(std::string_view event, model::RawJson data) {
    if (options_.verbose) {
        const std::string line =
            harmless(options_.caller_context.agent_id() + " " + std::string(event) + " " + data.bytes());
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
