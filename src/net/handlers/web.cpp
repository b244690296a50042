#include <algorithm>

#include "base/assert.hpp"
#include "codec/media_type.hpp"
#include "net/handlers/handlers.hpp"
#include "net/web_files.hpp"

namespace belfry::net::handlers {
namespace {

// Nothing but our own files, and nobody may put the page into a frame.
#define BELFRY_PAGE_FIELDS                                                                                   \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " \
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"                  \
    "Referrer-Policy: no-referrer\r\n"                                                                       \
    "Vary: Accept-Encoding\r\n"
constexpr std::string_view plain_fields = BELFRY_PAGE_FIELDS;
constexpr std::string_view packed_fields = BELFRY_PAGE_FIELDS "Content-Encoding: gzip\r\n";
#undef BELFRY_PAGE_FIELDS

// Browsers name it without a weight; whoever weighs it gets the file as it is.
bool takes_gzip(std::string_view accepted) {
    while (!accepted.empty()) {
        std::string_view coding = accepted.substr(0, accepted.find(','));
        accepted.remove_prefix(std::min(accepted.size(), coding.size() + 1));
        while (coding.starts_with(' ')) coding.remove_prefix(1);
        while (coding.ends_with(' ')) coding.remove_suffix(1);
        if (codec::to_lower(coding) == "gzip") return true;
    }
    return false;
}

}  // namespace

void get_web_file(const Exchange& exchange) {
    const auto files = web_files();
    const auto found = std::ranges::find(files, exchange.request.path, &WebFile::path);
    ASSERT(found != files.end());
    const bool packed = takes_gzip(exchange.request.header(wire::Header::accept_encoding));
    exchange.connection.respond(
        {200, found->content_type, packed ? found->packed : found->plain, packed ? packed_fields : plain_fields});
}

}  // namespace belfry::net::handlers
