#include <algorithm>

#include "base/limits.hpp"
#include "client/agent_answers.hpp"
#include "client/client.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

std::string agent_target(std::string_view id, std::string_view what = {}) {
    return "/v1/agents/" + percent_encode(id) + std::string(what);
}

std::string wake_target(model::WakeId id, std::string_view what = {}) {
    return "/v1/wakes/" + std::to_string(id) + std::string(what);
}

}  // namespace

base::Result<AgentNow> Client::create_agent(const AgentRequest& wish) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("POST", "/v1/agents", agent_request_json(wish))));
    return read_agent(answer.body);
}

base::Result<AgentNow> Client::agent(std::string_view id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", agent_target(id))));
    return read_agent(answer.body);
}

base::Result<std::vector<AgentNow>> Client::agents(const AgentQuestion& question) {
    std::vector<AgentNow> found;
    std::string after;
    do {
        Query query;
        query.add("user", question.user_id).add("lifecycle", question.lifecycle).add("after", after);
        query.add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/agents" + query.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { found.push_back(agent_of(element)); });
        after = fields.text("next");
    } while (!after.empty());
    return found;
}

base::Result<AgentNow> Client::change_agent(std::string_view id, const model::RawJson& patch) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("PATCH", agent_target(id), std::string(patch.bytes()))));
    return read_agent(answer.body);
}

base::Result<AgentNow> Client::destroy_agent(std::string_view id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("DELETE", agent_target(id))));
    return read_agent(answer.body);
}

base::Result<WakeSubscriptionNow> Client::subscribe_agent(std::string_view id, const WakeSubscriptionRequest& wish) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("POST", agent_target(id, "/subscriptions"), wake_subscription_json(wish))));
    return read_wake_subscription(answer.body);
}

base::Result<std::vector<WakeSubscriptionNow>> Client::wake_subscriptions(std::string_view agent_id) {
    std::vector<WakeSubscriptionNow> found;
    std::string after;
    do {
        Query query;
        query.add("after", after).add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer,
                   ask_until_known(request("GET", agent_target(agent_id, "/subscriptions") + query.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { found.push_back(wake_subscription_of(element)); });
        after = fields.text("next");
    } while (!after.empty());
    return found;
}

base::Result<void> Client::unsubscribe_agent(std::string_view agent_id, std::string_view subscription_id) {
    TRY(ask(request("DELETE", agent_target(agent_id, "/subscriptions/") + percent_encode(subscription_id))));
    return {};
}

// With a name of the caller's it may be repeated: the wake that is there is given.
base::Result<WakeNow> Client::wake_agent(std::string_view agent_id, const WakeRequest& wish) {
    const wire::HttpRequest post = request("POST", agent_target(agent_id, "/wake"), wake_request_json(wish));
    const bool is_named = !wish.request_id.empty() || !wish.turn_id.empty();
    TRY_ASSIGN(const wire::HttpAnswer answer, is_named ? ask_until_known(post) : ask(post));
    return read_wake(answer.body);
}

base::Result<WakeNow> Client::wake(model::WakeId id, base::Duration wait) {
    Query query;
    if (wait.us > 0) query.add("wait_s", std::to_string(wait.us / 1'000'000));
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", wake_target(id) + query.text())));
    return read_wake(answer.body);
}

base::Result<WakeNowList> Client::wakes(const WakeQuestion& question) {
    WakeNowList list;
    model::WakeId after = 0;
    do {
        Query query;
        query.add("user", question.user_id).add("agent", question.agent_id).add("state", question.state);
        if (question.open) query.add("open", "true");
        if (after != 0) query.add("after", std::to_string(after));
        const std::size_t left = question.limit - std::min(question.limit, list.wakes.size());
        query.add("limit", std::to_string(std::min(left, base::limits::page_entries_max)));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/wakes" + query.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { list.wakes.push_back(wake_of(element)); });
        after = fields.number("next");
    } while (after != 0 && list.wakes.size() < question.limit);
    list.more = after != 0;
    return list;
}

base::Result<std::vector<WakeSignalNow>> Client::wake_signals(model::WakeId id) {
    std::vector<WakeSignalNow> found;
    std::int64_t after = 0;
    do {
        Query query;
        if (after != 0) query.add("after", std::to_string(after));
        query.add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer,
                   ask_until_known(request("GET", wake_target(id, "/signals") + query.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { found.push_back(wake_signal_of(element)); });
        after = fields.number("next");
    } while (after != 0);
    return found;
}

base::Result<std::optional<Grant>> Client::claim_wake(const ClaimRequest& wish) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", "/v1/wakes/claim", claim_json(wish))));
    if (answer.status == 204) return std::optional<Grant>{};
    TRY_ASSIGN(Grant grant, read_grant(answer.body));
    return std::optional(std::move(grant));
}

base::Result<WakeNow> Client::renew_wake(model::WakeId id, std::int64_t fence, base::Duration lease) {
    std::string body;
    model::JsonWriter(body).begin_object().field("fence", fence).field("lease_s", lease.us / 1'000'000).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", wake_target(id, "/renew"), std::move(body))));
    return read_wake(answer.body);
}

base::Result<WakeNow> Client::end_wake(model::WakeId id, std::int64_t fence, const WakeOutcome& outcome) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask(request("POST", wake_target(id, "/end"), wake_outcome_json(fence, outcome))));
    return read_wake(answer.body);
}

base::Result<WakeNow> Client::cancel_wake(model::WakeId id, std::string_view reason) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    if (!reason.empty()) writer.field("reason", reason);
    writer.end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", wake_target(id, "/cancel"), std::move(body))));
    return read_wake(answer.body);
}

}  // namespace belfry::client
