#include "protocols/nats.hpp"

#include <charconv>

#include "common/fail.hpp"

namespace belfry::bench {

namespace {

std::string inbox_of(const ConversationPlan& plan) {
    return "_INBOX.bench." + std::to_string(plan.event.producer);
}

std::string publications_of(const ConversationPlan& plan) {
    const std::string event = event_json(plan.event);
    const std::string one =
        "PUB bench.events " + inbox_of(plan) + " " + std::to_string(event.size()) + "\r\n" + event + "\r\n";
    std::string all;
    for (std::size_t i = 0; i < plan.batch; ++i) all += one;
    return all;
}

class NatsConversation final : public Conversation {
public:
    explicit NatsConversation(const ConversationPlan& plan)
        : batch_(plan.batch),
          hello_("CONNECT {\"verbose\":false,\"pedantic\":false,\"lang\":\"bench\",\"version\":\"1\"}\r\nSUB " +
                 inbox_of(plan) + " 1\r\nPING\r\n"),
          publications_(publications_of(plan), places_in(plan.event)) {}

    std::string_view hello() const override { return hello_; }

    std::string_view request(std::uint64_t first) override {
        awaited_ = batch_;
        return publications_.numbered(first);
    }

    Taken take(std::string_view in, std::string& back) override {
        Taken taken;
        while (const std::size_t size = take_one(in.substr(taken.bytes), taken.answered, back)) taken.bytes += size;
        return taken;
    }

private:
    // Deals with one message and says how long it was; 0 while it is incomplete.
    std::size_t take_one(std::string_view in, bool& answered, std::string& back) {
        const std::size_t line_end = in.find("\r\n");
        if (line_end == std::string_view::npos) return 0;
        const std::string_view line = in.substr(0, line_end);
        const std::size_t line_bytes = line_end + 2;
        if (line.starts_with("MSG ")) return take_acknowledgement(in, line, answered);
        if (line == "PING") {
            back += "PONG\r\n";
        } else if (line == "PONG" && !greeted_) {
            greeted_ = true;
            answered = true;
        } else if (!line.starts_with("INFO ")) {
            fail_bytes("nats refused", in);
        }
        return line_bytes;
    }

    // `MSG <inbox> 1 <size>\r\n{"stream":"EVENTS","seq":7}\r\n`
    std::size_t take_acknowledgement(std::string_view in, std::string_view line, bool& answered) {
        std::size_t size = 0;
        const std::string_view digits = line.substr(line.rfind(' ') + 1);
        if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ec != std::errc())
            fail_bytes("a strange message from nats", in);
        const std::size_t whole = line.size() + 2 + size + 2;
        if (in.size() < whole) return 0;
        const std::string_view body = in.substr(line.size() + 2, size);
        if (body.find("\"error\"") != std::string_view::npos || body.find("\"seq\":") == std::string_view::npos ||
            body.find("\"duplicate\"") != std::string_view::npos)
            fail_bytes("jetstream did not store it", body);
        if (awaited_ == 0) fail_bytes("an acknowledgement that nobody asked for", in);
        answered = --awaited_ == 0;
        return whole;
    }

    std::size_t batch_;
    std::string hello_;
    Template publications_;
    std::size_t awaited_ = 0;
    bool greeted_ = false;
};

}  // namespace

std::unique_ptr<Conversation> nats_conversation(const ConversationPlan& plan) {
    return std::make_unique<NatsConversation>(plan);
}

}  // namespace belfry::bench
