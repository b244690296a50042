#include "net/links.hpp"

#include <utility>

#include "base/limits.hpp"
#include "net/guard.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/token_words.hpp"
#include "ports/commands/access.hpp"

namespace belfry::net::handlers {
namespace {

constexpr std::size_t code_bytes_max = 200;

base::Result<std::string> read_code(const Exchange& exchange) {
    std::string code;
    codec::JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name != "code") return unknown(reader);
        TRY_ASSIGN(code, read_text(reader, 1, code_bytes_max));
        return {};
    }));
    if (code.empty()) return missing("code");
    return code;
}

}  // namespace

void issue_link(const Exchange& exchange) {
    const auto link = make_link(exchange.service, exchange.caller);
    if (!link) return exchange.fail(link.error());
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("code", link->code).field("url", link->url);
    writer.field("expires_in", static_cast<long long>(base::limits::link_life.us / 1'000'000)).end_object();
    exchange.respond(201, body);
}

// The token is made in the name of whoever made the link, and lives on when that one's is revoked: it stands in the
// list of tokens as what it is.
void redeem_link(const Exchange& exchange) {
    const auto code = read_code(exchange);
    if (!code) return exchange.fail(code.error());
    Service& service = exchange.service;
    const SharedCaller issuer = service.links.redeem(*code, service.ports.clock.monotonic());
    if (!issuer || !is_admitted(service, *issuer)) {
        return exchange.fail(failed_login(
            service, exchange.connection.peer(),
            base::error(base::Code::gone, "the link is unknown, used or too old; `belfry open` makes another")));
    }
    auto mint = std::make_unique<ports::MintToken>();
    mint->name = "web app, by a one-time link";
    mint->role = model::Role::admin;
    mint->life = base::limits::link_token_life;
    mint->done = [to = exchange.reply()](const base::Result<ports::MintedToken>& result) {
        if (!result) return to.fail(result.error());
        to.respond({201, "application/json", minted_token_body(*result), {}});
    };
    Exchange as_issuer = exchange;
    as_issuer.caller = issuer;
    as_issuer.submit(std::move(mint));
}

void get_me(const Exchange& exchange) {
    const model::Principal& who = exchange.principal();
    const ports::House house = exchange.service.ports.queries.house();
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("principal", who.id).field("role", model::role_name(who.role)).name("user_id");
    who.user_id.empty() ? writer.null() : writer.text(who.user_id);
    writer.field("owner", house.owner).field("version", house.version);
    writer.field("started_at", base::format_timestamp(house.started_at)).end_object();
    exchange.respond(200, body);
}

}  // namespace belfry::net::handlers
