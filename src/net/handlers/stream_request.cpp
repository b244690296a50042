#include "net/handlers/stream_request.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "codec/sse.hpp"
#include "model/severity.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
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
        TRY_ASSIGN(wish.limit, parse_limit(value));
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
        return unknown_parameter(name);
    }
    return {};
}

}  // namespace

StreamForm form_of(const wire::Request& request) {
    if (request.method != wire::Method::get) return StreamForm::page;
    if (request.asks_upgrade && lower(request.header(wire::Header::upgrade)) == "websocket") {
        return StreamForm::websocket;
    }
    const bool sse = lower(request.header(wire::Header::accept)).find("text/event-stream") != std::string::npos;
    return sse ? StreamForm::sse : StreamForm::page;
}

base::Result<StreamRequest> read_stream_request(const Exchange& exchange) {
    StreamRequest wish;
    wish.form = form_of(exchange.request);
    wish.limit = base::limits::page_entries_default;
    wish.open.principal = exchange.principal();
    wish.open.stream = exchange.captures.front();
    Places places;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(wish, places, name, value);
    }));
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
