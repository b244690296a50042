#include "client/context_values.hpp"

#include "client/fields.hpp"
#include "client/requests.hpp"

namespace belfry::client {
namespace {

constexpr std::string_view route = "/v1/context";

void write_text(model::JsonWriter& writer, std::string_view name, std::string_view text) {
    if (!text.empty()) writer.field(name, text);
}

std::string path_of(std::string_view name) {
    return std::string(route) + "/" + percent_encode(name);
}

std::string query_of(const ContextValueScope& scope) {
    return Query().add("user", scope.user_id).add("session", scope.session_id).add("agent", scope.agent_id).text();
}

ContextValueNow value_of(model::RawJson json) {
    const Fields fields(json.view());
    ContextValueNow value;
    value.name = fields.text("name");
    value.scope = {fields.text("user_id"), fields.text("session_id"), fields.text("agent_id")};
    value.content = fields.text("content");
    value.updated_at = fields.text("updated_at");
    value.expires_at = fields.text("expires_at");
    value.set_by = fields.text("set_by");
    value.json = std::move(json);
    return value;
}

base::Result<ContextValueNow> read_value(model::RawJson json) {
    if (!json.member("expires_at")) return strange("it has no \"expires_at\"");
    return value_of(std::move(json));
}

}  // namespace

base::Result<ContextValueNow> ContextValues::set(std::string_view name, std::string_view content,
                                                 const ContextValueScope& scope, std::optional<base::Duration> ttl) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("content", content);
    write_text(writer, "user_id", scope.user_id);
    write_text(writer, "session_id", scope.session_id);
    write_text(writer, "agent_id", scope.agent_id);
    if (ttl) writer.field("ttl_s", ttl->us / 1'000'000);
    writer.end_object();
    TRY_ASSIGN(model::RawJson json, client_.call("PUT", path_of(name), std::move(body)));
    return read_value(std::move(json));
}

base::Result<ContextValueNow> ContextValues::get(std::string_view name, const ContextValueScope& scope) {
    TRY_ASSIGN(model::RawJson json, client_.call("GET", path_of(name) + query_of(scope), {}));
    return read_value(std::move(json));
}

base::Result<std::vector<ContextValueNow>> ContextValues::list(const ContextValueScope& scope) {
    TRY_ASSIGN(const model::RawJson json, client_.call("GET", std::string(route) + query_of(scope), {}));
    if (!json.member("data")) return strange("it has no \"data\"");
    std::vector<ContextValueNow> values;
    Fields(json.view()).each("data", [&](model::JsonView element) {
        values.push_back(value_of(model::RawJson::trusted(std::string(element.text))));
    });
    return values;
}

base::Result<void> ContextValues::remove(std::string_view name, const ContextValueScope& scope) {
    TRY(client_.call("DELETE", path_of(name) + query_of(scope), {}));
    return {};
}

}  // namespace belfry::client
