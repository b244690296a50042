#include "codec/problem.hpp"

#include "codec/utf8.hpp"
#include "model/raw_json.hpp"

namespace belfry::codec {
namespace {

using base::Code;

// What every form of it shares. A message may quote what somebody sent, so it is made printable first.
void write_members(model::JsonWriter& writer, const base::Error& error) {
    writer.field("code", base::code_name(error.code)).field("detail", to_utf8(error.message));
    if (!error.field.empty()) writer.field("field", to_utf8(error.field));
    if (!error.reason.empty()) writer.field("reason", error.reason);
}

}  // namespace

unsigned status_of(Code code) {
    switch (code) {
        case Code::invalid: return 422;
        case Code::malformed: return 400;
        case Code::too_large: return 413;
        case Code::unauthenticated: return 401;
        case Code::forbidden: return 403;
        case Code::not_found: return 404;
        case Code::gone: return 410;
        case Code::conflict: return 409;
        case Code::not_acceptable: return 406;
        case Code::unsupported: return 415;
        case Code::rate_limited: return 429;
        case Code::overloaded:
        case Code::unavailable:
        case Code::outcome_unknown: return 503;
        case Code::timeout: return 408;
        case Code::io:
        case Code::internal: return 500;
    }
    return 500;
}

std::string_view title_of(unsigned status) {
    switch (status) {
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 406: return "Not Acceptable";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 410: return "Gone";
        case 411: return "Length Required";
        case 413: return "Content Too Large";
        case 414: return "URI Too Long";
        case 415: return "Unsupported Media Type";
        case 417: return "Expectation Failed";
        case 421: return "Misdirected Request";
        case 422: return "Unprocessable Content";
        case 426: return "Upgrade Required";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 503: return "Service Unavailable";
        case 505: return "HTTP Version Not Supported";
        default: return "Error";
    }
}

void append_problem(std::string& out, unsigned status, const base::Error& error, std::string_view more) {
    model::JsonWriter writer(out);
    writer.begin_object().field("type", "about:blank").field("title", title_of(status)).field("status", status);
    write_members(writer, error);
    if (!more.empty()) {
        out += ',';
        out += more;
    }
    writer.end_object();
}

void append_entry_problem(std::string& out, const base::Error& error) {
    model::JsonWriter writer(out);
    writer.begin_object();
    write_members(writer, error);
    writer.end_object();
}

}  // namespace belfry::codec
