#include "client/answers.hpp"
#include "client/client.hpp"
#include "client/delivery_answers.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

std::string session_target(std::string_view session_id, std::string_view what = {}) {
    std::string target = "/v1/sessions/" + percent_encode(session_id);
    target += what;
    return target;
}

std::string_view format_query(MessageFormat format) {
    switch (format) {
        case MessageFormat::none: return "";
        case MessageFormat::openai: return "?format=openai";
        case MessageFormat::anthropic: break;
    }
    return "?format=anthropic";
}

// With the last hand-over that was got in this session, unless it says which.
template <class Told>
Told naming(Told told, const std::map<std::string, std::string, std::less<>>& pulls, std::string_view session_id) {
    const auto last = pulls.find(session_id);
    if (told.pull_id.empty() && last != pulls.end()) told.pull_id = last->second;
    return told;
}

}  // namespace

base::Result<SessionState> Client::put_session(std::string_view id, const SessionRequest& wish) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("PUT", session_target(id), session_request_json(wish))));
    return read_session(answer.body);
}

base::Result<SessionState> Client::session(std::string_view id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", session_target(id))));
    return read_session(answer.body);
}

base::Result<ContextState> Client::context(std::string_view session_id, model::InjectAt point) {
    const std::string target =
        session_target(session_id, "/context") + Query().add("point", model::inject_at_name(point)).text();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target)));
    return read_context(answer.body);
}

base::Result<ReportState> Client::report_turn(std::string_view session_id, const TurnReport& told) {
    const TurnReport report = naming(told, pulls_, session_id);
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask(request("POST", session_target(session_id, "/turns"), turn_report_json(report))));
    if (report.edge == TurnReport::Edge::end) pulls_.erase(std::string(session_id));
    return read_report(answer.body);
}

base::Result<ReportState> Client::report_tool_call(std::string_view session_id, const ToolCallReport& told) {
    const ToolCallReport report = naming(told, pulls_, session_id);
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask(request("POST", session_target(session_id, "/tool-calls"), tool_call_report_json(report))));
    return read_report(answer.body);
}

base::Result<SelfNoteState> Client::notify_self(std::string_view session_id, const SelfNote& note) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask(request("POST", session_target(session_id, "/notify-self"), self_note_json(note))));
    return read_self_note(answer.body);
}

base::Result<Pulled> Client::pull(std::string_view session_id, const PullRequest& wish) {
    std::string target = session_target(session_id, "/pull");
    target += format_query(wish.format);
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask(request("POST", std::move(target), pull_request_json(naming(wish, pulls_, session_id)))));
    TRY_ASSIGN(Pulled pulled, read_pulled(answer.body));
    if (!pulled.pull_id.empty()) pulls_.insert_or_assign(std::string(session_id), pulled.pull_id);
    return pulled;
}

base::Result<std::int64_t> Client::acknowledge(std::string_view session_id, std::string_view pull_id) {
    std::string body;
    model::JsonWriter(body).begin_object().field("pull_id", pull_id).end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("POST", session_target(session_id, "/acknowledge"), std::move(body))));
    return read_acknowledged(answer.body);
}

base::Result<std::int64_t> Client::acknowledge(std::string_view session_id, const std::vector<ItemLease>& items) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("POST", session_target(session_id, "/acknowledge"), item_leases_json(items))));
    return read_acknowledged(answer.body);
}

base::Result<std::int64_t> Client::heartbeat(std::string_view session_id, std::int64_t lease_s) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    if (lease_s != 0) writer.field("lease_s", static_cast<long long>(lease_s));
    if (const auto last = pulls_.find(session_id); last != pulls_.end()) writer.field("pull_id", last->second);
    writer.end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask_until_known(request("POST", session_target(session_id, "/heartbeat"), std::move(body))));
    return read_renewed(answer.body);
}

// Not repeated by itself: a second attempt after a lost answer would be refused, although the words are shown.
base::Result<NotificationState> Client::narrate(std::string_view session_id, std::string_view id, std::int64_t lease,
                                                std::string_view words) {
    return narrate(session_id, std::vector<ItemLease>{{std::string(id), lease}}, {}, words);
}

base::Result<NotificationState> Client::narrate(std::string_view session_id, const std::vector<ItemLease>& items,
                                                std::string_view pull_id, std::string_view words) {
    if (items.empty()) return base::error(base::Code::invalid, "must name a notification", "items");
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    if (pull_id.empty()) writer.field("lease", static_cast<long long>(items.front().lease));
    else writer.field("pull_id", pull_id);
    writer.field("text", words);
    if (items.size() > 1) {
        writer.name("also").begin_array();
        for (std::size_t i = 1; i < items.size(); ++i) {
            writer.begin_object().field("id", items[i].id);
            if (pull_id.empty()) writer.field("lease", static_cast<long long>(items[i].lease));
            writer.end_object();
        }
        writer.end_array();
    }
    writer.end_object();
    const std::string target = "/v1/notifications/" + percent_encode(items.front().id) + "/narrate" +
                               Query().add("session", session_id).text();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", target, std::move(body))));
    return read_notification(answer.body);
}

base::Result<void> Client::remove_session(std::string_view id) {
    TRY(ask(request("DELETE", session_target(id))));
    return {};
}

}  // namespace belfry::client
