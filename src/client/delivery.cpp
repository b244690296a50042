#include <algorithm>

#include "base/limits.hpp"
#include "client/client.hpp"
#include "client/delivery_answers.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

using model::JsonWriter;

void write_text(JsonWriter& writer, std::string_view name, std::string_view text) {
    if (!text.empty()) writer.field(name, text);
}

void write_routing(JsonWriter& writer, const NotifyRequest& request) {
    if (!request.address && !request.target && !request.handler) return;
    writer.name("routing").begin_object();
    if (request.address) writer.field("address", model::address_name(*request.address));
    if (request.target) writer.field("target", model::target_name(*request.target));
    if (request.handler) writer.field("handler", model::handler_name(*request.handler));
    writer.end_object();
}

std::string notify_json(const NotifyRequest& request) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object().field("text", request.text);
    write_routing(writer, request);
    if (request.priority) writer.field("priority", model::priority_name(*request.priority));
    if (request.severity) writer.field("severity", model::severity_name(*request.severity));
    write_text(writer, "session_id", request.session_id);
    write_text(writer, "user_id", request.user_id);
    write_text(writer, "agent_id", request.agent_id);
    write_text(writer, "deduplication_key", request.deduplication_key);
    if (!request.title.empty()) {
        writer.name("metadata").begin_object().field("title", request.title).end_object();
    }
    writer.end_object();
    return out;
}

// One notification's place; `what` of it. A handle counts in a session.
std::string target_of(std::string_view id, std::string_view session_id, std::string_view what = {}) {
    std::string target = "/v1/notifications/" + percent_encode(id);
    target += what;
    return target + Query().add("session", session_id).text();
}

std::string page_size(std::size_t wanted) {
    return std::to_string(std::min(wanted, base::limits::page_entries_max));
}

}  // namespace

base::Result<NotificationState> Client::notify(const NotifyRequest& wish) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", "/v1/notifications", notify_json(wish))));
    return read_notification(answer.body);
}

base::Result<NotificationState> Client::notification(std::string_view id, std::string_view session_id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target_of(id, session_id))));
    return read_notification(answer.body);
}

base::Result<NotificationState> Client::acknowledge_notification(std::string_view id, std::int64_t lease,
                                                                 std::int64_t version, std::string_view how) {
    std::string body;
    JsonWriter writer(body);
    writer.begin_object().field("lease", static_cast<long long>(lease));
    writer.field("version", static_cast<long long>(version)).field("how", how).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", target_of(id, {}, "/ack"), std::move(body))));
    return read_notification(answer.body);
}

base::Result<NotificationState> Client::mark_notification(std::string_view id, model::ReadMark mark) {
    std::string body;
    JsonWriter(body).begin_object().field("mark", model::read_mark_name(mark)).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("POST", target_of(id, {}, "/read"), std::move(body))));
    return read_notification(answer.body);
}

base::Result<NotificationState> Client::retry_notification(std::string_view id, std::string_view session_id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", target_of(id, session_id, "/retry"), "{}")));
    return read_notification(answer.body);
}

base::Result<InboxState> Client::inbox(const InboxQuestion& question) {
    InboxState inbox;
    for (std::int64_t before = 0;;) {
        Query query;
        query.add("user", question.user_id).add("session", question.session_id);
        query.add("unread", question.unread ? "true" : "");
        if (before != 0) query.add("before", std::to_string(before));
        query.add("limit", page_size(question.limit - inbox.items.size()));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/inbox" + query.text())));
        TRY_ASSIGN(before, read_inbox(answer.body, inbox));
        inbox.more = before != 0;
        if (!inbox.more || inbox.items.size() >= question.limit) return inbox;
    }
}

base::Result<LedgerState> Client::ledger(const LedgerQuestion& question) {
    LedgerState ledger;
    const std::string path = question.dead_letters ? "/v1/dead-letters" : "/v1/notifications";
    for (std::int64_t after = 0;;) {
        Query query;
        query.add("user", question.user_id).add("session", question.session_id);
        query.add("subscriber", question.subscriber).add("state", question.state).add("outcome", question.outcome);
        query.add("open", question.open ? "true" : "");
        if (question.older_than) query.add("older_than_s", std::to_string(question.older_than->us / 1'000'000));
        if (after != 0) query.add("after", std::to_string(after));
        query.add("limit", page_size(question.limit - ledger.rows.size()));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", path + query.text())));
        TRY_ASSIGN(after, read_notifications(answer.body, ledger.rows));
        ledger.more = after != 0;
        if (!ledger.more || ledger.rows.size() >= question.limit) return ledger;
    }
}

base::Result<SinkCalls> Client::given_up_calls(std::size_t limit) {
    SinkCalls found;
    for (std::string after;;) {
        Query query;
        query.add("after", after).add("limit", page_size(limit - found.calls.size()));
        TRY_ASSIGN(const wire::HttpAnswer answer,
                   ask_until_known(request("GET", "/v1/dead-letters/sinks" + query.text())));
        TRY_ASSIGN(after, read_sink_calls(answer.body, found.calls));
        found.more = !after.empty();
        if (!found.more || found.calls.size() >= limit) return found;
    }
}

base::Result<void> Client::retry_sink_call(std::string_view id) {
    TRY(ask(request("POST", "/v1/dead-letters/sinks/" + percent_encode(id) + "/retry", "{}")));
    return {};
}

base::Result<WhyState> Client::why(std::string_view id, std::string_view session_id) {
    const std::string target = "/v1/why/" + percent_encode(id) + Query().add("session", session_id).text();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target)));
    return read_why(answer.body);
}

base::Result<std::vector<ToolState>> Client::tools() {
    std::vector<ToolState> tools;
    std::string after;
    do {
        Query query;
        query.add("after", after).add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/tools" + query.text())));
        TRY_ASSIGN(after, read_tools(answer.body, tools));
    } while (!after.empty());
    return tools;
}

base::Result<ToolState> Client::tool(std::string_view name) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/tools/" + percent_encode(name))));
    return read_tool(answer.body);
}

base::Result<void> Client::remove_tool(std::string_view name) {
    TRY(ask(request("DELETE", "/v1/tools/" + percent_encode(name))));
    return {};
}

}  // namespace belfry::client
