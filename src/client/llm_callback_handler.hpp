#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "client/run_context.hpp"

namespace belfry::client {

// What a model's calls tell while they go on, turned into events of a run: one handler for each agent of each run. It
// never changes but for its counters and the text of the message that is under way, and any thread may call it.
//
// An event goes to the direct callback where there is one, else to the callback that is registered for the run id, else
// nowhere: it is dropped and counted.
class LLMCallbackHandler {
public:
    struct Options {
        CallerContext caller_context;
        EventCallback event_callback;               // wins over the run id
        std::optional<RunId> run_id;                // for the registry
        RunRegistry* registry = nullptr;            // needed with a run id; must outlive the handler
        bool verbose = false;                       // every event is told to `log` as well, as one line
        std::function<void(std::string_view)> log;  // empty: standard error
    };

    // Refused (invalid, run_id) where a run id is not positive, or given without a registry.
    static base::Result<LLMCallbackHandler> make(Options options);
    static LLMCallbackHandler of(const RunContext& context, bool verbose = false);
    LLMCallbackHandler(LLMCallbackHandler&& other) noexcept;  // before it is shared among threads
    LLMCallbackHandler(const LLMCallbackHandler&) = delete;
    LLMCallbackHandler& operator=(const LLMCallbackHandler&) = delete;

    // A message of the model: `llm.message_start`, `llm.stream` for each piece as it comes (any text, white space
    // alone too; an empty one is none), `llm.message_end` with the whole text. All carry the message's id. A piece may
    // end inside a character: its beginning waits for the next piece. Bytes that are no UTF-8 become U+FFFD.
    void on_message_start(std::string_view message_id);
    void on_text(std::string_view piece);
    void on_message_end();
    // `llm.tool_call` and `llm.tool_result`.
    void on_tool_call(std::string_view call_id, std::string_view tool_name, const model::RawJson& arguments);
    void on_tool_result(std::string_view call_id, std::string_view tool_name, std::string_view content);
    // `llm.error`: the call of the model failed.
    void on_error(std::string_view type, std::string_view message);
    // Any other event.
    void emit(std::string_view event, model::RawJson data);

    // Should the work stop? Asked between two steps.
    [[nodiscard]] bool is_cancelled() const;

    [[nodiscard]] const CallerContext& caller_context() const { return options_.caller_context; }
    [[nodiscard]] std::optional<RunId> run_id() const { return options_.run_id; }
    [[nodiscard]] bool verbose() const { return options_.verbose; }
    [[nodiscard]] std::uint64_t tool_count() const { return tool_count_.load(std::memory_order_relaxed); }
    // Events of this handler that nobody took.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::string text() const;  // of the message that is under way, or that ended last

private:
    explicit LLMCallbackHandler(Options options) : options_(std::move(options)) {}
    void emit_text(std::string_view piece, bool is_last);

    const Options options_;
    std::atomic<std::uint64_t> tool_count_{0};
    std::atomic<std::uint64_t> dropped_{0};
    mutable std::mutex mutex_;  // of those below; no event goes out under it
    std::string message_id_;
    std::string text_;
    std::string unfinished_;  // the beginning of a character
};

}  // namespace belfry::client
