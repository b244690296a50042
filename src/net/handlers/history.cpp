#include <utility>

#include "base/limits.hpp"
#include "codec/session_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using ports::HistoryShape;

struct HistoryRequest {
    ports::HistoryQuestion question;
    std::size_t limit = limits::page_entries_default;
};

base::Result<model::NodeId> parse_node(const std::string& name, const std::string& value) {
    const auto id = base::parse_uuid(value);
    if (!id) return base::error(base::Code::invalid, "must be a node's id, a UUID", name);
    return model::NodeId{*id};
}

base::Result<HistoryRequest> read_request(const Exchange& exchange) {
    HistoryRequest wish;
    TRY_ASSIGN(wish.question.session_id, scope_id_of_path(exchange, "session_id"));
    std::optional<model::NodeId> node;
    std::optional<model::NodeId> after;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "node") {
            TRY_ASSIGN(node, parse_node(name, value));
        } else if (name == "after") {
            TRY_ASSIGN(after, parse_node(name, value));
        } else if (name == "shape") {
            if (value != "path" && value != "tree") {
                return base::error(base::Code::invalid, "must be path or tree", "shape");
            }
            wish.question.shape = value == "tree" ? HistoryShape::tree : HistoryShape::path;
        } else if (name == "limit") {
            TRY_ASSIGN(wish.limit, parse_limit(value));
        } else {
            return unknown_parameter(name);
        }
        return {};
    }));
    const bool tree = wish.question.shape == HistoryShape::tree;
    if (tree && node) return base::error(base::Code::invalid, "is for shape=path; a tree goes on with after", "node");
    if (!tree && after) return base::error(base::Code::invalid, "is for shape=tree; a path goes on with node", "after");
    wish.question.node = tree ? after : node;
    wish.question.limit = tree ? wish.limit + 1 : wish.limit;
    return wish;
}

std::size_t bytes_of(const ports::HistoryNode& node) {
    std::size_t bytes = node.node.system_messages.bytes().size();
    for (const model::SessionMessage& message : node.messages) {
        bytes += message.content.size() + message.metadata.bytes().size();
    }
    return bytes;
}

// What of the nodes goes into one answer: so many that its size keeps in bounds, and at least one. Of a tree the
// oldest, of a path the last ones, which are those that its reader is at.
struct Cut {
    std::size_t first = 0;
    std::size_t end = 0;
};

Cut cut(const std::vector<ports::HistoryNode>& nodes, bool tree, std::size_t limit) {
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (count < nodes.size() && count < limit) {
        bytes += bytes_of(tree ? nodes[count] : nodes[nodes.size() - 1 - count]);
        if (count > 0 && bytes > limits::page_bytes_max) break;
        ++count;
    }
    return tree ? Cut{0, count} : Cut{nodes.size() - count, nodes.size()};
}

// `next` is the `after` of a tree's next page, and the `node` of the part of a path that lies before this one.
std::string history_body(const ports::History& history, bool tree, std::size_t limit) {
    const std::vector<ports::HistoryNode>& nodes = history.nodes;
    const Cut shown = cut(nodes, tree, limit);
    std::optional<model::NodeId> next;
    if (tree && shown.end < nodes.size()) next = nodes[shown.end - 1].node.id;
    if (!tree && shown.first < nodes.size()) next = nodes[shown.first].node.parent;
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("session");
    codec::append_session(writer, history.session);
    writer.name("data").begin_array();
    for (std::size_t i = shown.first; i < shown.end; ++i) codec::append_node(writer, nodes[i].node, nodes[i].messages);
    writer.end_array().name("next");
    next ? writer.text(base::format_uuid(next->uuid)) : writer.null();
    writer.name("has_more").boolean(next.has_value()).end_object();
    return body;
}

}  // namespace

void get_history(const Exchange& exchange) {
    auto wish = read_request(exchange);
    if (!wish) return exchange.fail(wish.error());
    const bool tree = wish->question.shape == HistoryShape::tree;
    exchange.service.ports.queries.history(
        exchange.principal(), std::move(wish->question),
        [to = exchange.reply(), tree, limit = wish->limit](const base::Result<ports::History>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", history_body(*result, tree, limit), {}});
        });
}

}  // namespace belfry::net::handlers
