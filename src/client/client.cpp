#include "client/client.hpp"

#include <algorithm>
#include <random>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "client/answers.hpp"
#include "client/requests.hpp"
#include "codec/json.hpp"

namespace belfry::client {
namespace {

// Another attempt can succeed: the daemon is busy, restarting, or out of sight.
bool may_pass(base::Code code) {
    return code == base::Code::unavailable || code == base::Code::overloaded || code == base::Code::outcome_unknown ||
           code == base::Code::timeout || code == base::Code::rate_limited;
}

std::string make_key() {
    std::random_device device;
    std::string bytes;
    for (int i = 0; i < 5; ++i) {
        const std::uint32_t word = device();
        bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
    }
    return "client-" + base::base64url(bytes);
}

base::Result<wire::HttpAnswer> successful(base::Result<wire::HttpAnswer> answer) {
    if (answer.ok() && answer->status / 100 != 2) return read_problem(*answer);
    return answer;
}

wire::HttpClientOptions http_options(const Options& options, const wire::Interrupt& interrupt) {
    wire::HttpClientOptions http;
    http.connect_time_max = options.connect_time_max;
    http.answer_time_max = options.answer_time_max;
    http.silence_max = options.silence_max;
    http.tls_ca_file = options.tls_ca_file;
    http.interrupt = &interrupt;
    return http;
}

}  // namespace

Client::Client(Options options)
    : options_(std::move(options)),
      http_(std::make_unique<wire::HttpClient>(options_.endpoint, http_options(options_, interrupt_))) {}

Client::~Client() = default;

void Client::interrupt() {
    interrupt_.raise();
}

bool Client::rest(base::Duration time) {
    return interrupt_.wait(time);
}

base::Result<model::RawJson> Client::call(std::string method, std::string target, std::string body) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request(std::move(method), std::move(target), std::move(body))));
    if (answer.body.empty()) return model::RawJson::trusted("null");  // 204
    return codec::validate(answer.body);
}

base::Duration Client::pause(std::size_t attempt) const {
    if (options_.pauses.empty()) return {};
    return options_.pauses[std::min(attempt, options_.pauses.size() - 1)];
}

base::Error Client::explain(base::Error error) const {
    if (error.code != base::Code::unavailable || !error.message.starts_with("cannot connect")) return error;
    if (error.message.find("certificate") != std::string::npos) {
        error.message += "; --ca-file names the certificate to trust";
    } else {
        error.message += "; is the daemon running? start it with `belfry serve`";
    }
    return error;
}

wire::HttpRequest Client::request(std::string method, std::string target, std::string body) const {
    wire::HttpRequest made{std::move(method), std::move(target), {}, std::move(body)};
    made.headers.emplace_back("User-Agent", "belfry/" BELFRY_VERSION);
    made.headers.emplace_back("Accept", "application/json");
    if (!made.body.empty()) made.headers.emplace_back("Content-Type", "application/json");
    if (!options_.token.empty()) made.headers.emplace_back("Authorization", "Bearer " + options_.token);
    return made;
}

base::Result<void> Client::ask_leave() const {
    if (!options_.may_send) return {};
    auto leave = options_.may_send();
    if (!leave.ok()) return explain(std::move(leave).error());
    return {};
}

base::Result<wire::HttpAnswer> Client::send(const wire::HttpRequest& request) {
    TRY(ask_leave());
    auto answer = http_->send(request);
    if (!answer.ok()) return explain(std::move(answer).error());
    reached_ = true;
    return answer;
}

// Only for requests that may be repeated without harm.
base::Result<wire::HttpAnswer> Client::send_until_known(const wire::HttpRequest& request) {
    for (std::size_t attempt = 0;; ++attempt) {
        auto answer = send(request);
        if (answer.ok() && answer->status < 400) return answer;
        const base::Error error = answer.ok() ? read_problem(*answer) : answer.error();
        // Nothing was ever sent to a daemon that was never there: the caller should hear of it now.
        const bool never_there = !reached_ && error.code == base::Code::unavailable;
        if (!may_pass(error.code) || never_there || attempt + 1 >= options_.emit_attempts_max) return answer;
        const base::Duration wish = answer.ok() ? retry_after(*answer) : base::Duration{};
        if (interrupt_.wait(std::max(pause(attempt), wish))) return answer;
    }
}

base::Result<wire::HttpAnswer> Client::ask(const wire::HttpRequest& request) {
    return successful(send(request));
}

base::Result<wire::HttpAnswer> Client::ask_until_known(const wire::HttpRequest& request) {
    return successful(send_until_known(request));
}

base::Result<Emitted> Client::emit(const std::vector<model::Event>& events, std::string idempotency_key) {
    std::string body;
    for (const model::Event& event : events) {
        append_draft_json(body, event);
        body += '\n';
    }
    return emit_lines(std::move(body), std::move(idempotency_key));
}

base::Result<Emitted> Client::emit_lines(std::string ndjson, std::string idempotency_key) {
    if (ndjson.empty()) return Emitted{};
    wire::HttpRequest post = request("POST", "/v1/events", std::move(ndjson));
    for (auto& [name, value] : post.headers) {
        if (name == "Content-Type") value = "application/x-ndjson";
    }
    post.headers.emplace_back("Idempotency-Key", idempotency_key.empty() ? make_key() : std::move(idempotency_key));
    TRY_ASSIGN(const wire::HttpAnswer answer, send_until_known(post));
    if (answer.status / 100 == 2) return read_emitted(answer);
    // 422 with a list: every event was refused, each for its own reason.
    if (auto emitted = read_emitted(answer); answer.status == 422 && emitted.ok()) return emitted;
    return read_problem(answer);
}

base::Result<std::vector<StreamState>> Client::streams() {
    std::vector<StreamState> all;
    for (std::int64_t after = 0;;) {
        Query query;
        query.add("limit", std::to_string(base::limits::page_entries_max));
        if (after > 0) query.add("after", std::to_string(after));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/streams" + query.text())));
        TRY_ASSIGN(StreamList page, read_streams(answer.body));
        all.insert(all.end(), std::make_move_iterator(page.streams.begin()),
                   std::make_move_iterator(page.streams.end()));
        if (page.next <= after) return all;
        after = page.next;
    }
}

base::Result<StreamState> Client::stream(std::string_view name) {
    Query query;
    query.add("name", name);
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/streams" + query.text())));
    TRY_ASSIGN(StreamList page, read_streams(answer.body));
    for (StreamState& state : page.streams) {
        if (state.name == name) return std::move(state);
    }
    return base::error(base::Code::not_found, "there is no stream \"" + std::string(name) + "\"");
}

base::Result<Page> Client::page(std::string_view stream, model::Sequence after, std::size_t limit,
                                const model::StreamFilter& filter) {
    Query query;
    query.add("after", std::to_string(after));
    if (limit != 0) query.add("limit", std::to_string(limit));
    query.add(filter);
    const std::string target = "/v1/streams/" + percent_encode(stream) + query.text();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target)));
    return read_page(answer.body);
}

base::Result<TokenState> Client::mint_token(const TokenRequest& token) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", "/v1/tokens", token_request_json(token))));
    return read_token(answer.body);
}

base::Result<std::vector<TokenState>> Client::tokens() {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/tokens")));
    return read_tokens(answer.body);
}

base::Result<void> Client::revoke_token(std::string_view id) {
    TRY(ask(request("DELETE", "/v1/tokens/" + percent_encode(id))));
    return {};
}

base::Result<LinkState> Client::make_link() {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", "/v1/links")));
    return read_link(answer.body);
}

base::Result<Ticket> Client::ticket() {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", "/v1/tickets")));
    return read_ticket(answer.body);
}

base::Result<ErasureState> Client::erase_user(std::string_view user_id) {
    std::string body;
    model::JsonWriter(body).begin_object().field("user_id", user_id).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", "/v1/erasures", std::move(body))));
    return read_erasure(answer.body);
}

base::Result<ErasureState> Client::erasure(std::string_view id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/erasures/" + percent_encode(id))));
    return read_erasure(answer.body);
}

base::Result<DaemonStatus> Client::status() {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("GET", "/v1/status")));
    return read_status(answer.body);
}

base::Result<SubscriberList> Client::subscribers(std::string_view user_id) {
    SubscriberList list;
    std::string after;
    do {
        Query query;
        query.add("user", user_id).add("after", after).add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/subscribers" + query.text())));
        TRY_ASSIGN(after, read_subscribers(answer.body, list));
    } while (!after.empty());
    return list;
}

base::Result<SubscriberState> Client::subscriber(std::string_view id, std::string_view user_id) {
    Query query;
    query.add("user", user_id);
    const std::string target = "/v1/subscribers/" + percent_encode(id) + query.text();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target)));
    return read_subscriber(answer.body);
}

base::Result<SubscriberState> Client::enable_subscriber(std::string_view id, bool enabled, std::string_view user_id) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("enabled").boolean(enabled);
    if (!user_id.empty()) writer.field("user_id", user_id);
    writer.end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("PUT", "/v1/subscribers/" + percent_encode(id), std::move(body))));
    return read_subscriber(answer.body);
}

}  // namespace belfry::client
