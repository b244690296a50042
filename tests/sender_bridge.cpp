// Lets the end-to-end tests use the C++ Sender: one JSON object a line on standard input, results on standard output.
//   {"id":1,"open":"unix:/path","token":"…","ca_file":"…"}          makes one → {"id":1,"result":null}
//   {"id":2,"on":1,"session_id":…,"message_type":…,"payload":…,"message_id":…}  → {"id":2,"result":{…}} or
//   {"id":2,"error":{…}}
//   {"id":3,"close":1}                                              ends it → {"id":3,"result":null}
//   and {"id":1,"feedback":"…","message_id":"…"} whenever it has words for the person.
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "client/fields.hpp"
#include "client/sender.hpp"
#include "codec/json.hpp"

namespace {

using namespace belfry;

class Bridge {
public:
    void take(const client::Fields& order) {
        const std::int64_t id = order.number("id");
        if (order.member("open")) return open(id, order);
        if (order.member("close")) {
            senders_.erase(order.number("close"));
            return answer(id, "null");
        }
        client::UserMessage message;
        message.session_id = order.text("session_id");
        message.message_type = order.text("message_type");
        message.message_id = order.text("message_id");
        if (const auto payload = order.member("payload"))
            message.payload = model::RawJson::trusted(std::string(payload->text));
        const auto done = [this, id](const base::Result<client::Receipt>& receipt) { tell(id, receipt); };
        const auto sender = senders_.find(order.number("on"));
        if (sender == senders_.end()) return tell(id, base::error(base::Code::unavailable, "this sender is closed"));
        const auto taken = sender->second->submit(message, done);
        if (!taken.ok()) tell(id, taken.error());
    }

private:
    void open(std::int64_t id, const client::Fields& order) {
        auto endpoint = client::parse_rpc_address(order.text("open"));
        if (!endpoint.ok()) return tell(id, endpoint.error());
        client::SenderOptions options;
        options.server.endpoint = std::move(endpoint).value();
        options.server.token = order.text("token");
        options.server.tls_ca_file = order.text("ca_file");
        options.on_feedback = [this, id](std::string_view words, const std::string& message_id) {
            std::string line;
            model::JsonWriter writer(line);
            writer.begin_object()
                .field("id", static_cast<long long>(id))
                .field("feedback", words)
                .field("message_id", message_id);
            writer.end_object();
            say(line);
        };
        senders_[id] = std::make_unique<client::Sender>(std::move(options));
        answer(id, "null");
    }

    void tell(std::int64_t id, const base::Result<client::Receipt>& outcome) {
        std::string json;
        model::JsonWriter writer(json);
        writer.begin_object();
        if (outcome.ok()) {
            writer.name("success").boolean(true).field("message", outcome->message);
            writer.field("notification_id", outcome->notification_id).end_object();
            return answer(id, json);
        }
        const base::Error& error = outcome.error();
        writer.field("name", "Error").field("code", base::code_name(error.code)).field("detail", error.message);
        writer.field("field", error.field).end_object();
        say("{\"id\":" + std::to_string(id) + ",\"error\":" + json + "}");
    }

    void answer(std::int64_t id, const std::string& json) {
        say("{\"id\":" + std::to_string(id) + ",\"result\":" + json + "}");
    }

    void say(const std::string& line) {
        const std::lock_guard lock(mutex_);
        std::cout << line << std::endl;
    }

    std::mutex mutex_;
    std::map<std::int64_t, std::unique_ptr<client::Sender>> senders_;
};

}  // namespace

int main() {
    Bridge bridge;
    for (std::string line; std::getline(std::cin, line);) {
        const auto order = codec::validate(line);
        if (!order.ok()) return 1;
        bridge.take(client::Fields(order->view()));
    }
    return 0;
}
