#include "net/handlers/handlers.hpp"
#include "net/web_file.hpp"

namespace belfry::net::handlers {
namespace {

// Nothing but our own files, and nobody may put the page into a frame.
constexpr std::string_view page_fields =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n";

void send(const Exchange& exchange, std::string_view file, std::string_view content_type) {
    exchange.connection.respond({200, content_type, web_file(file), page_fields});
}

}  // namespace

void get_page(const Exchange& exchange) {
    send(exchange, "index.html", "text/html; charset=utf-8");
}
void get_script(const Exchange& exchange) {
    send(exchange, "app.js", "text/javascript; charset=utf-8");
}
void get_style(const Exchange& exchange) {
    send(exchange, "app.css", "text/css; charset=utf-8");
}

}  // namespace belfry::net::handlers
