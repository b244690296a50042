#include "net/handlers/stream_request.hpp"

#include <algorithm>
#include <charconv>

#include "base/limits.hpp"
#include "codec/sse.hpp"
#include "model/severity.hpp"

namespace belfry::net::handlers {
namespace {

constexpr std::size_t name_chars_max = 64;  // of an unknown parameter, to be repeated in the answer

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
}

StreamForm form_of(const wire::Request& request) {
    if (request.method != wire::Method::get) return StreamForm::page;
    if (request.asks_upgrade && lower(request.header(wire::Header::upgrade)) == "websocket") {
        return StreamForm::websocket;
    }
    const bool sse = lower(request.header(wire::Header::accept)).find("text/event-stream") != std::string::npos;
    return sse ? StreamForm::sse : StreamForm::page;
}

base::Result<std::size_t> read_limit(const std::string& text) {
    std::size_t limit = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (ec != std::errc{} || end != text.data() + text.size() || limit == 0 || limit > base::limits::page_entries_max) {
        return base::error(base::Code::invalid,
                           "must be a number from 1 to " + std::to_string(base::limits::page_entries_max), "limit");
    }
    return limit;
}

void add_patterns(std::vector<std::string>& patterns, std::string_view list) {
    while (!list.empty()) {
        const std::string_view pattern = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), pattern.size() + 1));
        if (!pattern.empty()) patterns.emplace_back(pattern);
    }
}

struct Places {
    bool has_after = false;
    bool from_start = false;
};

base::Result<void> take_parameter(StreamRequest& wish, Places& places, const std::string& name,
                                  const std::string& value) {
    if (name == "after") {
        TRY_ASSIGN(wish.open.after, codec::parse_position(value));
        places.has_after = true;
    } else if (name == "from") {
        if (value != "start" && value != "live") {
            return base::error(base::Code::invalid, "must be start or live", "from");
        }
        places.from_start = value == "start";
    } else if (name == "limit") {
        TRY_ASSIGN(wish.limit, read_limit(value));
    } else if (name == "type") {
        add_patterns(wish.open.filter.type_patterns, value);
    } else if (name == "severity") {
        wish.open.filter.severity_min = model::parse_severity(value);
        if (!wish.open.filter.severity_min) {
            return base::error(base::Code::invalid, "must be debug, info, warning, error or critical", "severity");
        }
    } else if (name == "user") {
        wish.open.filter.user_id = value;
    } else if (name == "session") {
        wish.open.filter.session_id = value;
    } else if (name != "ticket") {
        // A filter that is misspelt would silently let everything through.
        const bool plain = name.size() <= name_chars_max &&
                           std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f; });
        return base::error(base::Code::invalid, "there is no such parameter", plain ? name : "query");
    }
    return {};
}

}  // namespace

base::Result<StreamRequest> read_stream_request(const Exchange& exchange) {
    StreamRequest wish;
    wish.form = form_of(exchange.request);
    wish.limit = base::limits::page_entries_default;
    wish.open.principal = exchange.principal();
    wish.open.stream = exchange.captures.front();
    const auto parameters = wire::parse_query(exchange.request.query);
    if (!parameters) return base::error(base::Code::malformed, "the query is not properly encoded");
    Places places;
    for (const auto& [name, value] : *parameters) TRY(take_parameter(wish, places, name, value));
    const std::string_view last = exchange.request.header(wire::Header::last_event_id);
    if (!last.empty()) {
        TRY_ASSIGN(wish.open.after, codec::parse_position(last, "Last-Event-ID"));
        places.has_after = true;
    }
    if (places.has_after) {
        wish.open.start = ports::StartAt::after;
    } else if (places.from_start || wish.form == StreamForm::page) {
        wish.open.start = ports::StartAt::beginning;
    }
    return wish;
}

}  // namespace belfry::net::handlers
