#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/chat.hpp"
#include "model/raw_json.hpp"

namespace belfry::codec {

// Puts the tool calls of an answer together from what comes of them: in pieces by index, or whole; with an index or
// none, an id or none, arguments as a text that holds JSON or as an object.
class ChatCallParts {
public:
    explicit ChatCallParts(const model::ChatBounds& bounds)
        : count_max_(bounds.calls), bytes_max_(bounds.calls_bytes) {}

    // An element of `tool_calls`. Says what is wrong with it; nothing where it was taken.
    std::optional<std::string> take(model::JsonView part);
    [[nodiscard]] bool empty() const { return calls_.empty(); }
    // Each call with an id of its own and its arguments checked.
    [[nodiscard]] std::vector<model::ToolCall> finish() const;

private:
    struct Call {
        std::optional<std::int64_t> index;
        std::string id;
        std::string name;
        std::string arguments;
    };
    // What one element says.
    struct Part {
        std::optional<std::int64_t> index;
        std::string id;
        std::string name;
        std::string arguments;
    };

    static Part read(model::JsonView element);
    Call* call_of(const Part& part);

    std::size_t count_max_;
    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::vector<Call> calls_;
};

}  // namespace belfry::codec
