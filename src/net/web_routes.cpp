#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view id_schema = R"({"type":"string","maxLength":200})";

Route web_file(std::string_view path, std::string_view id, std::string_view content_type) {
    return {Method::get,
            path,
            std::nullopt,
            false,
            handlers::get_web_file,
            id,
            "A file of the web app.",
            "",
            {},
            {{200, "The file; with gzip where the reader takes it.", content_type, ""}}};
}

}  // namespace

// What the web app is made of, and what it asks for that others seldom do. A table is read by its rows.
// clang-format off
void append_web_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        web_file("/", "readPage", "text/html; charset=utf-8"),
        web_file("/app.js", "readScript", "text/javascript; charset=utf-8"),
        web_file("/app.css", "readStyle", "text/css; charset=utf-8"),
        web_file("/icon.svg", "readIcon", "image/svg+xml"),
        {Method::post, "/v1/links", Role::admin, false, handlers::issue_link, "issueLink",
         "A one-time link to the web app: whoever redeems its code within ten minutes gets an access token.", "", {},
         {{201, "The code; the link is `/#link=CODE`.", json, "Link"}}},
        {Method::post, "/v1/links/redeem", std::nullopt, false, handlers::redeem_link, "redeemLink",
         "An access token for the code of a one-time link.", "LinkCode", {},
         {{201, "The token; its text is shown this once.", json, "MintedToken"},
          {410, "Nobody knows the code: it is wrong, spent or too old.", "application/problem+json", "Problem"}}},
        {Method::get, "/v1/me", Role::emitter, false, handlers::get_me, "readMe",
         "Who the caller is, and which daemon answers.", "", {}, {{200, "Who.", json, "Me"}}},
        {Method::get, "/v1/ledger/summary", Role::agent, false, handlers::get_ledger_summary, "readLedgerSummary",
         "How many notifications are in which state.", "",
         {{"user", "query", "Of this user only; needed unless the caller sees all.", id_schema}},
         {{200, "The counts.", json, "LedgerSummary"}}},
        {Method::post, "/v1/subscribers/{id}/test", Role::user, false, handlers::rehearse_subscriber, "testSubscriber",
         "What a subscriber would make of events, or of made-up ones where none are given. Nothing is emitted.",
         "SubscriberTest", {{"id", "path", "The subscriber.", R"({"type":"string"})"}},
         {{200, "Its notifications.", json, "Rehearsal"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
