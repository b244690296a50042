#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace belfry::net {

// The other side of a WebSocket that has something to say while it follows a stream. Each word gets one answer, and
// answers go out in the order of the words, however they come.
class Guest {
public:
    virtual ~Guest() = default;

    void hear(std::string_view message) {
        answers_.emplace_back();
        take(first_ + answers_.size() - 1, message);
    }
    // The answer to word number `number` is there.
    void answer(std::uint64_t number, std::string text) { answers_[number - first_] = std::move(text); }
    // The next answer that may go out.
    std::optional<std::string> next_answer() {
        if (answers_.empty() || !answers_.front()) return std::nullopt;
        std::optional<std::string> out = std::move(answers_.front());
        answers_.pop_front();
        ++first_;
        return out;
    }
    [[nodiscard]] std::size_t unanswered() const { return answers_.size(); }

    // Whether there is more to be told before the stream is followed. It is asked for when all before it is written
    // out, and comes through the connection. False: it cannot be had.
    [[nodiscard]] virtual bool has_more_to_tell() const { return false; }
    [[nodiscard]] virtual bool ask_for_more() { return false; }

private:
    // Answers now by `answer`, or later through its connection.
    virtual void take(std::uint64_t number, std::string_view message) = 0;

    std::uint64_t first_ = 0;  // the number of the first one that has not gone out
    std::deque<std::optional<std::string>> answers_;
};

}  // namespace belfry::net
