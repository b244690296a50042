#include "store/history_reading.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "store/session_row.hpp"

namespace belfry::store {
namespace {

#define BELFRY_MESSAGE_BYTES "length(content) + length(metadata_json)"
#define BELFRY_WEIGHT                                                                                 \
    "context_nodes.node_id, length(system_messages_json), coalesce((SELECT sum(" BELFRY_MESSAGE_BYTES \
    ") FROM messages WHERE messages.session_id = $1 AND messages.node_id = context_nodes.node_id), 0)"
constexpr Sql weigh_path{
    "WITH RECURSIVE way (ordinal, parent_id, steps) AS ("
    "SELECT ordinal, parent_id, 1 FROM context_nodes WHERE session_id = $1 AND node_id = $2 UNION ALL "
    "SELECT n.ordinal, n.parent_id, way.steps + 1 FROM way JOIN context_nodes n ON n.node_id = way.parent_id "
    "WHERE n.session_id = $1 AND way.steps < $3) "
    "SELECT " BELFRY_WEIGHT " FROM way JOIN context_nodes ON context_nodes.ordinal = way.ordinal ORDER BY way.steps"};
constexpr Sql weigh_tree{"SELECT " BELFRY_WEIGHT
                         " FROM context_nodes WHERE session_id = $1 AND ordinal > "
                         "coalesce((SELECT ordinal FROM context_nodes WHERE node_id = $2), 0) - $4 ORDER BY ordinal "
                         "LIMIT $3"};
#define BELFRY_PART " FROM messages WHERE session_id = $1 AND node_id = $2 AND ordinal > $3 AND ordinal < $4 "
constexpr Sql weigh_messages{"SELECT ordinal, " BELFRY_MESSAGE_BYTES BELFRY_PART "ORDER BY ordinal"};
constexpr Sql select_messages{"SELECT " BELFRY_MESSAGE_COLUMNS BELFRY_PART "ORDER BY ordinal"};

constexpr std::int64_t below_all = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t above_all = std::numeric_limits<std::int64_t>::max();

NodeWeight read_weight(RowReader& row) {
    NodeWeight weight;
    weight.node = {row.uuid()};
    weight.own_bytes = static_cast<std::size_t>(row.number());
    weight.bytes = weight.own_bytes + static_cast<std::size_t>(row.number());
    return weight;
}

}  // namespace

base::Result<ports::HistoryPage> HistoryReading::path(const ports::HistoryPlace& leaf, std::size_t limit) {
    TRY_ASSIGN(std::vector<NodeWeight> nodes,
               select(database_, "context_nodes", weigh_path,
                      {bytes(session_id_), bytes(leaf.node.uuid), number(std::uint64_t{limit + 1})}, read_weight));
    return read(std::move(nodes), Way::up, leaf.message, limit);
}

base::Result<ports::HistoryPage> HistoryReading::tree(const std::optional<ports::HistoryPlace>& after,
                                                      std::size_t limit) {
    const base::Uuid from = after ? after->node.uuid : base::Uuid{};
    const std::optional<std::int64_t> message = after ? after->message : std::nullopt;
    const std::int64_t or_itself = message ? 1 : 0;
    TRY_ASSIGN(
        std::vector<NodeWeight> nodes,
        select(database_, "context_nodes", weigh_tree,
               {bytes(session_id_), bytes(from), number(std::uint64_t{limit + 1}), number(or_itself)}, read_weight));
    return read(std::move(nodes), Way::onwards, message, limit);
}

base::Result<HistoryReading::Part> HistoryReading::weigh_first(const NodeWeight& first, Way way,
                                                               std::optional<std::int64_t> message) {
    Part part{below_all, above_all, first.bytes, std::nullopt};
    if (!message && first.bytes <= bytes_max_) return part;
    if (message) (way == Way::up ? part.below : part.above) = *message;
    std::vector<std::pair<std::int64_t, std::size_t>> messages;
    TRY(database_.run(
        weigh_messages, {bytes(session_id_), bytes(first.node.uuid), number(part.above), number(part.below)},
        [&](const Row& row) { messages.emplace_back(row.number(0), static_cast<std::size_t>(row.number(1))); }));
    if (way == Way::up) std::ranges::reverse(messages);
    part.bytes = first.own_bytes;  // they come with each part
    for (std::size_t i = 0; i < messages.size(); ++i) {
        part.bytes += messages[i].second;
        if (i == 0 || part.bytes <= bytes_max_) continue;
        (way == Way::up ? part.above : part.below) = messages[i].first;
        part.cut_at = messages[i - 1].first;
        break;
    }
    return part;
}

base::Result<ports::HistoryPage> HistoryReading::read(std::vector<NodeWeight> nodes, Way way,
                                                      std::optional<std::int64_t> message, std::size_t limit) {
    ports::HistoryPage page;
    if (nodes.empty()) return page;
    const model::NodeId first = nodes.front().node;
    TRY_ASSIGN(const Part part, weigh_first(nodes.front(), way, message));
    std::size_t count = 1;
    if (part.cut_at) {
        page.next = ports::HistoryPlace{first, part.cut_at};
    } else {
        for (std::size_t held = part.bytes; count < nodes.size() && count < limit; ++count) {
            held += nodes[count].bytes;
            if (held > bytes_max_) break;
        }
        if (count < nodes.size()) page.next = ports::HistoryPlace{nodes[way == Way::up ? count : count - 1].node};
    }
    nodes.resize(count);
    if (way == Way::up) std::ranges::reverse(nodes);
    TRY_ASSIGN(page.nodes, load(nodes, first, part));
    return page;
}

base::Result<std::vector<ports::HistoryNode>> HistoryReading::load(const std::vector<NodeWeight>& nodes,
                                                                   const model::NodeId& first, const Part& part) {
    std::vector<std::vector<Param>> ids;
    std::vector<std::vector<Param>> parts;
    for (const NodeWeight& weight : nodes) {
        const bool is_whole = weight.node != first;
        ids.push_back({bytes(session_id_), bytes(weight.node.uuid)});
        parts.push_back({bytes(session_id_), bytes(weight.node.uuid), number(is_whole ? below_all : part.above),
                         number(is_whole ? above_all : part.below)});
    }
    TRY_ASSIGN(std::vector<model::ContextNode> found,
               select_many(database_, "context_nodes", select_node, ids, read_node));
    TRY_ASSIGN(std::vector<model::SessionMessage> messages,
               select_many(database_, "messages", select_messages, parts, read_message));
    std::vector<ports::HistoryNode> history;
    history.reserve(found.size());
    std::map<model::NodeId, std::size_t> places;
    for (model::ContextNode& node : found) {
        places[node.id] = history.size();
        history.push_back({std::move(node), {}});
    }
    for (model::SessionMessage& message : messages) {
        history[places.at(message.node)].messages.push_back(std::move(message));
    }
    return history;
}

}  // namespace belfry::store
