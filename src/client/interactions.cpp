#include "base/limits.hpp"
#include "client/client.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

InteractionState interaction_of(model::JsonView view) {
    const Fields fields(view);
    InteractionState state;
    state.id = fields.text("id");
    state.kind = fields.text("kind");
    state.session_id = fields.text("session_id");
    state.user_id = fields.text("user_id");
    state.state = fields.text("state");
    state.message = fields.text("message");
    state.tool_name = fields.text("tool_name");
    if (const auto answer = fields.member("answer"); answer && answer->kind() == model::JsonKind::object) {
        state.answer = model::RawJson::trusted(std::string(answer->text));
    }
    state.answered_by = fields.text("answered_by");
    state.expires_at = fields.text("expires_at");
    state.json = model::RawJson::trusted(std::string(view.text));
    return state;
}

std::string answer_json(const InteractionWords& words) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    if (!words.decision.empty()) writer.field("decision", words.decision);
    if (!words.action.empty()) writer.field("action", words.action);
    if (words.content) writer.name("content").raw(words.content->bytes());
    writer.end_object();
    return out;
}

}  // namespace

base::Result<std::vector<InteractionState>> Client::interactions(const InteractionQuestion& question) {
    std::vector<InteractionState> found;
    std::int64_t after = 0;
    do {
        Query query;
        query.add("user", question.user_id).add("session", question.session_id).add("state", question.state);
        if (question.always_allowed) query.add("always_allowed", "true");
        if (after != 0) query.add("after", std::to_string(after));
        query.add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/interactions" + query.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { found.push_back(interaction_of(element)); });
        after = fields.number("next");
    } while (after != 0);
    return found;
}

base::Result<InteractionState> Client::answer_interaction(std::string_view id, const InteractionWords& words) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask(request("POST", "/v1/interactions/" + percent_encode(id) + "/answer", answer_json(words))));
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "state"));
    return interaction_of(json.view());
}

base::Result<InteractionState> Client::take_back_allowance(std::string_view id) {
    TRY_ASSIGN(const wire::HttpAnswer answer,
               ask(request("DELETE", "/v1/interactions/" + percent_encode(id) + "/always-allowed")));
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "state"));
    return interaction_of(json.view());
}

}  // namespace belfry::client
