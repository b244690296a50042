#include "base/limits.hpp"
#include "client/client.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

ChangeItemNow change_item_of(model::JsonView view) {
    const Fields fields(view);
    ChangeItemNow item;
    item.number = fields.number("number");
    item.tool_name = fields.text("tool_name");
    item.state = fields.text("state");
    item.arguments = fields.object("arguments");
    if (const auto changes = fields.member("changes")) {
        item.changes = model::RawJson::trusted(std::string(changes->text));
    }
    if (const auto error = fields.member("error"); error && error->kind() == model::JsonKind::object) {
        const Fields why(*error);
        item.error = why.text("code") + ": " + why.text("message");
    }
    return item;
}

ChangeSetNow change_set_of(model::JsonView view) {
    const Fields fields(view);
    ChangeSetNow set;
    set.id = fields.text("id");
    set.user_id = fields.text("user_id");
    set.agent_id = fields.text("agent_id");
    set.agent_name = fields.text("agent_name");
    set.state = fields.text("state");
    if (const auto member = fields.member("counts")) {
        const Fields counts(*member);
        set.proposed = counts.number("proposed");
        set.accepted = counts.number("accepted");
        set.rejected = counts.number("rejected");
        set.failed = counts.number("failed");
    }
    set.created_at = fields.text("created_at");
    fields.each("items", [&](model::JsonView element) { set.items.push_back(change_item_of(element)); });
    set.json = model::RawJson::trusted(std::string(view.text));
    return set;
}

base::Result<ChangeSetNow> read_change_set(const wire::HttpAnswer& answer) {
    TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "items"));
    return change_set_of(json.view());
}

}  // namespace

base::Result<std::vector<ChangeSetNow>> Client::change_sets(const ChangeSetQuestion& question) {
    std::vector<ChangeSetNow> found;
    std::int64_t after = 0;
    do {
        Query query;
        query.add("user", question.user_id).add("agent", question.agent_id);
        query.add("state", question.all ? "all" : "open");
        if (after != 0) query.add("after", std::to_string(after));
        query.add("limit", std::to_string(base::limits::page_entries_max));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/change-sets" + query.text())));
        TRY_ASSIGN(const model::RawJson json, read_object(answer.body, "data"));
        const Fields fields(json.view());
        fields.each("data", [&](model::JsonView element) { found.push_back(change_set_of(element)); });
        after = fields.number("next");
    } while (after != 0);
    return found;
}

base::Result<ChangeSetNow> Client::change_set(std::string_view id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/change-sets/" + percent_encode(id))));
    return read_change_set(answer);
}

base::Result<ChangeSetNow> Client::decide_changes(std::string_view id, std::optional<std::int64_t> number,
                                                  ChangeDecision decision) {
    std::string path = "/v1/change-sets/" + percent_encode(id);
    if (number) path += "/items/" + std::to_string(*number);
    path += decision == ChangeDecision::accept ? "/accept" : "/reject";
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("POST", path)));
    return read_change_set(answer);
}

}  // namespace belfry::client
