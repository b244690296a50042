#include <utility>

#include "base/limits.hpp"
#include "codec/session_json.hpp"
#include "codec/sse.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using ports::HistoryShape;

// A node's id, or as `next` says it of a node that goes on with the next page: `<id>.<a message's ordinal>`.
base::Result<ports::HistoryPlace> parse_place(const std::string& name, std::string_view value) {
    const std::size_t dot = value.find('.');
    const auto id = base::parse_uuid(value.substr(0, dot));
    const bool is_inside = dot != std::string_view::npos;
    const base::Result<std::uint64_t> message =
        is_inside ? codec::parse_position(value.substr(dot + 1), name) : std::uint64_t{0};
    if (!id || !message) {
        return base::error(base::Code::invalid, "must be a node's id, a UUID, or the next of a page", name);
    }
    ports::HistoryPlace place{model::NodeId{*id}};
    if (is_inside) place.message = static_cast<std::int64_t>(*message);
    return place;
}

std::string format_place(const ports::HistoryPlace& place) {
    const std::string id = base::format_uuid(place.node.uuid);
    return place.message ? id + "." + std::to_string(*place.message) : id;
}

base::Result<ports::HistoryQuestion> read_request(const Exchange& exchange) {
    ports::HistoryQuestion wish;
    wish.limit = limits::page_entries_default;
    TRY_ASSIGN(wish.session_id, scope_id_of_path(exchange, "session_id"));
    std::optional<ports::HistoryPlace> node;
    std::optional<ports::HistoryPlace> after;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "node") {
            TRY_ASSIGN(node, parse_place(name, value));
        } else if (name == "after") {
            TRY_ASSIGN(after, parse_place(name, value));
        } else if (name == "shape") {
            if (value != "path" && value != "tree") {
                return base::error(base::Code::invalid, "must be path or tree", "shape");
            }
            wish.shape = value == "tree" ? HistoryShape::tree : HistoryShape::path;
        } else if (name == "limit") {
            TRY_ASSIGN(wish.limit, parse_limit(value));
        } else {
            return unknown_parameter(name);
        }
        return {};
    }));
    const bool tree = wish.shape == HistoryShape::tree;
    if (tree && node) return base::error(base::Code::invalid, "is for shape=path; a tree goes on with after", "node");
    if (!tree && after) return base::error(base::Code::invalid, "is for shape=tree; a path goes on with node", "after");
    wish.place = tree ? after : node;
    return wish;
}

// `next` is the `after` of a tree's next page, and the `node` of the part of a path that lies before this one.
std::string history_body(const ports::History& history) {
    const ports::HistoryPage& page = history.page;
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("session");
    codec::append_session(writer, history.session);
    writer.name("data").begin_array();
    for (const ports::HistoryNode& one : page.nodes) codec::append_node(writer, one.node, one.messages);
    writer.end_array().name("next");
    page.next ? writer.text(format_place(*page.next)) : writer.null();
    writer.name("has_more").boolean(page.next.has_value()).end_object();
    return body;
}

}  // namespace

void get_history(const Exchange& exchange) {
    auto wish = read_request(exchange);
    if (!wish) return exchange.fail(wish.error());
    exchange.service.ports.queries.history(exchange.principal(), std::move(*wish),
                                           [to = exchange.reply()](const base::Result<ports::History>& result) {
                                               if (!result) return to.fail(result.error());
                                               to.respond({200, "application/json", history_body(*result), {}});
                                           });
}

}  // namespace belfry::net::handlers
