#include <utility>

#include "base/limits.hpp"
#include "codec/json.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/token_words.hpp"
#include "ports/commands/access.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;

base::Result<void> read_texts(JsonReader& reader, std::vector<std::string>& texts) {
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return {};
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        texts.emplace_back(text);
    }
}

base::Result<void> read_bounds(JsonReader& reader, model::Bounds& bounds) {
    return read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "users") return read_texts(reader, bounds.users);
        if (name == "sessions") return read_texts(reader, bounds.sessions);
        if (name == "agents") return read_texts(reader, bounds.agents);
        if (name == "type_prefixes") return read_texts(reader, bounds.type_prefixes);
        if (name != "severity_max") return unknown(reader);
        TRY_ASSIGN(const std::string_view severity, reader.read_string());
        bounds.severity_max = model::parse_severity(severity);
        if (!bounds.severity_max) return reader.invalid("must be debug, info, warning, error or critical");
        return {};
    });
}

base::Result<void> read_member(JsonReader& reader, std::string_view name, ports::MintToken& wish, bool& has_role) {
    if (name == "name") {
        TRY_ASSIGN(wish.name, reader.read_string());
    } else if (name == "role") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        const auto role = model::parse_role(text);
        if (!role) return reader.invalid("must be admin, service, user, agent or emitter");
        wish.role = *role;
        has_role = true;
    } else if (name == "user_id") {
        TRY_ASSIGN(wish.user_id, reader.read_string());
    } else if (name == "ttl_s") {
        TRY_ASSIGN(const std::int64_t seconds, reader.read_integer());
        constexpr std::int64_t seconds_max = 100LL * 366 * 86400;
        if (seconds <= 0 || seconds > seconds_max) return reader.invalid("must lie between a second and a century");
        wish.life = base::seconds(seconds);
    } else if (name == "events_per_second") {
        TRY_ASSIGN(wish.events_per_second, reader.read_integer());
        if (wish.events_per_second < 0) return reader.invalid("must not be negative");
    } else if (name == "bounds") {
        TRY(read_bounds(reader, wish.bounds));
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<std::unique_ptr<ports::MintToken>> read_wish(std::string_view body) {
    auto wish = std::make_unique<ports::MintToken>();
    bool has_role = false;
    JsonReader reader(body);
    TRY(read_body(reader, [&](std::string_view name) { return read_member(reader, name, *wish, has_role); }));
    if (!has_role) return missing("role");
    return wish;
}

void append_texts(model::JsonWriter& writer, std::string_view name, const std::vector<std::string>& texts) {
    writer.name(name).begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
}

void append_token(model::JsonWriter& writer, const model::AccessToken& token, std::string_view secret_text = {}) {
    writer.begin_object().field("id", token.id);
    if (!secret_text.empty()) writer.field("token", secret_text);
    writer.field("name", token.name).field("role", model::role_name(token.role)).name("user_id");
    token.user_id.empty() ? writer.null() : writer.text(token.user_id);
    writer.field("events_per_second", static_cast<long long>(token.events_per_second)).name("bounds").begin_object();
    append_texts(writer, "users", token.bounds.users);
    append_texts(writer, "sessions", token.bounds.sessions);
    append_texts(writer, "agents", token.bounds.agents);
    append_texts(writer, "type_prefixes", token.bounds.type_prefixes);
    writer.name("severity_max");
    token.bounds.severity_max ? writer.text(model::severity_name(*token.bounds.severity_max)) : writer.null();
    writer.end_object().field("created_at", base::format_timestamp(token.created_at)).name("expires_at");
    token.expires_at ? writer.text(base::format_timestamp(*token.expires_at)) : writer.null();
    writer.field("created_by", token.created_by).end_object();
}

}  // namespace

std::string minted_token_body(const ports::MintedToken& minted) {
    std::string body;
    model::JsonWriter writer(body);
    append_token(writer, minted.token, minted.secret_text);
    return body;
}

void list_tokens(const Exchange& exchange) {
    const auto tokens = exchange.service.ports.access.tokens(exchange.principal());
    if (!tokens) return exchange.fail(tokens.error());
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("data").begin_array();
    for (const model::AccessToken& token : *tokens) append_token(writer, token);
    writer.end_array().name("next").null().name("has_more").boolean(false).end_object();
    exchange.respond(200, body);
}

void mint_token(const Exchange& exchange) {
    auto wish = read_wish(exchange.request.body);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->done = [to = exchange.reply()](const base::Result<ports::MintedToken>& result) {
        if (!result) return to.fail(result.error());
        to.respond({201, "application/json", minted_token_body(*result), {}});
    };
    exchange.submit(std::move(command));
}

void revoke_token(const Exchange& exchange) {
    auto command = std::make_unique<ports::RevokeToken>();
    command->lane = ports::Lane::control;
    command->token_id = exchange.captures.front();
    command->done = [to = exchange.reply()](const base::Result<model::AccessToken>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        model::JsonWriter writer(body);
        append_token(writer, *result);
        to.respond({200, "application/json", body, {}});
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
