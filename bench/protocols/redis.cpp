#include "protocols/redis.hpp"

#include <charconv>

#include "common/fail.hpp"

namespace belfry::bench {

namespace {

std::string commands_of(const ConversationPlan& plan) {
    const std::string event = event_json(plan.event);
    const std::string command = "*5\r\n$4\r\nXADD\r\n$6\r\nevents\r\n$1\r\n*\r\n$1\r\nd\r\n$" +
                                std::to_string(event.size()) + "\r\n" + event + "\r\n";
    std::string all;
    for (std::size_t i = 0; i < plan.batch; ++i) all += command;
    return all;
}

class RedisConversation final : public Conversation {
public:
    explicit RedisConversation(const ConversationPlan& plan)
        : batch_(plan.batch), commands_(commands_of(plan), places_in(plan.event)) {}

    std::string_view hello() const override { return {}; }

    std::string_view request(std::uint64_t first) override {
        awaited_ = batch_;
        return commands_.numbered(first);
    }

    Taken take(std::string_view in, std::string&) override {
        Taken taken;
        while (awaited_ > 0) {
            const std::size_t size = answer_size(in.substr(taken.bytes));
            if (size == 0) return taken;
            taken.bytes += size;
            --awaited_;
        }
        if (taken.bytes < in.size()) fail_bytes("an answer that nobody asked for", in.substr(taken.bytes));
        taken.answered = true;
        return taken;
    }

private:
    // An entry's id as a bulk string: `$15\r\n1763000000000-0\r\n`. 0 while it is incomplete.
    static std::size_t answer_size(std::string_view in) {
        if (in.empty()) return 0;
        if (in[0] != '$') fail_bytes("redis refused", in);
        const std::size_t line_end = in.find("\r\n");
        if (line_end == std::string_view::npos) return 0;
        std::size_t size = 0;
        const auto read = std::from_chars(in.data() + 1, in.data() + line_end, size);
        if (read.ec != std::errc() || size < 3) fail_bytes("redis gave no id", in);
        const std::size_t whole = line_end + 2 + size + 2;
        if (in.size() < whole) return 0;
        if (in.substr(line_end + 2, size).find('-') == std::string_view::npos) fail_bytes("redis gave no id", in);
        return whole;
    }

    std::size_t batch_;
    Template commands_;
    std::size_t awaited_ = 0;
};

}  // namespace

std::unique_ptr<Conversation> redis_conversation(const ConversationPlan& plan) {
    return std::make_unique<RedisConversation>(plan);
}

}  // namespace belfry::bench
