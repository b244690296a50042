#include "protocols/http.hpp"

#include "common/fail.hpp"
#include "common/http_answer.hpp"

namespace belfry::bench {

namespace {

std::string body_of(const EventShape& shape, std::size_t events) {
    const std::string event = event_json(shape);
    if (events == 1) return event;
    std::string body = "[" + event;
    for (std::size_t i = 1; i < events; ++i) body.append(",").append(event);
    return body + "]";
}

std::string requests_of(const ConversationPlan& plan, const HttpDialect& dialect) {
    const std::string body = body_of(plan.event, dialect.events_per_request);
    std::string request = "POST " + dialect.target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(plan.port) +
                          "\r\n" + dialect.authorization + "Content-Type: " + dialect.content_type +
                          "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    std::string all;
    for (std::size_t i = 0; i < dialect.requests_at_once; ++i) all += request;
    return all;
}

class HttpConversation final : public Conversation {
public:
    HttpConversation(const ConversationPlan& plan, const HttpDialect& dialect)
        : dialect_(dialect), requests_(requests_of(plan, dialect), places_in(plan.event)) {}

    std::string_view hello() const override { return {}; }

    std::string_view request(std::uint64_t first) override {
        awaited_ = dialect_.requests_at_once;
        return requests_.numbered(first);
    }

    Taken take(std::string_view in, std::string&) override {
        Taken taken;
        while (awaited_ > 0) {
            const auto answer = read_http_answer(in.substr(taken.bytes));
            if (!answer) return taken;
            check(*answer, in.substr(taken.bytes));
            taken.bytes += answer->bytes;
            --awaited_;
        }
        if (taken.bytes < in.size()) fail_bytes("an answer that nobody asked for", in.substr(taken.bytes));
        taken.answered = true;
        return taken;
    }

private:
    void check(const HttpAnswer& answer, std::string_view bytes) const {
        if (answer.head.status != dialect_.status && answer.head.status != dialect_.status_otherwise)
            fail_bytes("refused", bytes);
        if (answer.body.find(dialect_.body_has) == std::string_view::npos) fail_bytes("a strange answer", bytes);
        // A repeat would be answered without being stored.
        if (http_field(answer.head, "idempotent-replayed")) fail_bytes("taken for a repeat", bytes);
    }

    HttpDialect dialect_;
    Template requests_;
    std::size_t awaited_ = 0;
};

class RotatingConversation final : public Conversation {
public:
    explicit RotatingConversation(std::vector<std::unique_ptr<Conversation>> all) : all_(std::move(all)) {}
    std::string_view hello() const override { return all_.front()->hello(); }
    std::string_view request(std::uint64_t first) override {
        at_ = at_ + 1 < all_.size() ? at_ + 1 : 0;
        return all_[at_]->request(first);
    }
    Taken take(std::string_view in, std::string& back) override { return all_[at_]->take(in, back); }

private:
    std::vector<std::unique_ptr<Conversation>> all_;
    std::size_t at_ = 0;
};

}  // namespace

HttpDialect belfry_dialect(const ConversationPlan& plan) {
    HttpDialect dialect;
    dialect.target = "/v1/events";
    dialect.authorization = "Authorization: Bearer " + plan.token + "\r\n";
    dialect.content_type = "application/json";
    dialect.events_per_request = plan.batch;
    dialect.body_has = plan.batch == 1 ? "\"id\":\"" : "\"accepted\":" + std::to_string(plan.batch) + ",";
    return dialect;
}

HttpDialect belfry_run_dialect(const ConversationPlan& plan, std::size_t run) {
    HttpDialect dialect = belfry_dialect(plan);
    dialect.target = "/v1/runs/" + std::to_string(run) + "/events";
    dialect.body_has = "\"accepted\":" + std::to_string(plan.batch) + ",";
    return dialect;
}

HttpDialect nchan_dialect(const ConversationPlan& plan) {
    HttpDialect dialect;
    dialect.target = "/pub/events";
    dialect.content_type = "application/json";
    dialect.requests_at_once = plan.batch;
    // 201: there are subscribers; 202: there are none yet.
    dialect.status_otherwise = 202;
    return dialect;
}

std::unique_ptr<Conversation> rotating_conversation(std::vector<std::unique_ptr<Conversation>> all) {
    return std::make_unique<RotatingConversation>(std::move(all));
}

std::unique_ptr<Conversation> http_conversation(const ConversationPlan& plan, const HttpDialect& dialect) {
    return std::make_unique<HttpConversation>(plan, dialect);
}

}  // namespace belfry::bench
