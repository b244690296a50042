#include "sim/session_streams_witness.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/session_stream.hpp"

namespace belfry::sim {
namespace {

std::string text_in(const model::JsonView& body, std::string_view name) {
    const auto member = body.member(name);
    if (!member) return {};
    return member->kind() == model::JsonKind::string ? member->as_text() : std::string(member->text);
}

struct Entry {
    std::string type;
    std::string user_id;
    std::string body;  // empty: erased
};

// What was said and where: node, ordinal and role, by the id of the message; of a node its parent.
struct Conversation {
    std::map<std::string, std::string> messages;
    std::map<std::string, std::string> nodes;
};

std::string place(std::string_view node, std::string_view ordinal, std::string_view role) {
    return std::string(role) + " " + std::string(ordinal) + " in " + std::string(node);
}

Conversation read(const Stock::Conversation& stored) {
    Conversation found;
    for (const ports::HistoryNode& node : stored.nodes) {
        const std::string id = base::format_uuid(node.node.id.uuid);
        found.nodes[id] = node.node.parent ? base::format_uuid(node.node.parent->uuid) : "null";
        for (const model::SessionMessage& message : node.messages) {
            found.messages[base::format_uuid(message.id.uuid)] =
                place(id, std::to_string(message.ordinal), model::message_role_name(message.role));
        }
        model::JsonWalker walker(node.node.system_messages.view());
        while (const auto one = walker.next()) {
            found.messages[text_in(*one, "id")] = place(id, text_in(*one, "ordinal"), "system");
        }
    }
    return found;
}

class Reading {
public:
    Reading(const Stock::Conversation& stored, const model::StreamInfo& stream, Complaints& complaints)
        : stored_(stored), stream_(stream), complaints_(complaints), conversation_(read(stored)) {}

    void take(const Entry& entry) {
        last_type_ = entry.type;
        if (entry.body.empty()) {
            is_whole_ = false;
            return;
        }
        const model::JsonView body{entry.body};
        if (entry.type == "message_removed") removed_.insert(text_in(body, "notification_id"));
        if (entry.type.starts_with("turn_")) last_turn_ = entry.type;
        if (entry.type == "node") {
            note(entry, text_in(body, "id"), text_in(body, "parent_id"), {});
        } else if (entry.type == "message") {
            note(entry, text_in(body, "id"),
                 place(text_in(body, "node_id"), text_in(body, "ordinal"), text_in(body, "role")),
                 text_in(body, "notification_id"));
        }
    }

    void judge() {
        if (stream_.owner != stored_.session.user_id) complain("the stream belongs to " + stream_.owner);
        if (stored_.session.deleted_at) {
            if (stream_.head > stream_.floor && last_type_ != model::session_deleted_type)
                complain("its end is not told");
            return;
        }
        for (const Told& one : told_) judge(one);
        if (!is_whole_ || stream_.floor > 0) return;
        for (const auto& [id, where] : conversation_.messages) {
            if (!seen_.contains(id)) complain("nobody was told of " + where);
        }
        for (const auto& [id, parent] : conversation_.nodes) {
            if (!seen_.contains(id)) complain("nobody was told of node " + id);
        }
        if (stored_.session.progress.in_turn && last_turn_ != "turn_began") complain("nobody was told of the turn");
    }

private:
    struct Told {
        std::string user_id;
        bool is_node = false;
        std::string id;
        std::string where;
        std::string notification_id;
    };

    void note(const Entry& entry, std::string id, std::string where, std::string notification_id) {
        if (!seen_.insert(id).second) complain(entry.type + " " + id + " was told twice");
        told_.push_back(
            {entry.user_id, entry.type == "node", std::move(id), std::move(where), std::move(notification_id)});
    }

    // What was told while the session was somebody else's may have been erased with him.
    void judge(const Told& one) {
        const auto& known = one.is_node ? conversation_.nodes : conversation_.messages;
        const auto at = known.find(one.id);
        if (at == known.end()) {
            const bool may_be_gone = removed_.contains(one.notification_id) || one.user_id != stored_.session.user_id;
            if (!may_be_gone) complain("what was told of is not there: " + one.where);
        } else if (at->second != one.where) {
            complain("told was " + one.where + " instead of " + at->second);
        }
    }

    void complain(const std::string& what) {
        complaints_.push_back("the stream of session " + stored_.session.id + ": " + what);
    }

    const Stock::Conversation& stored_;
    const model::StreamInfo& stream_;
    Complaints& complaints_;
    Conversation conversation_;
    std::vector<Told> told_;
    std::set<std::string> seen_;
    std::set<std::string> removed_;
    std::string last_type_;
    std::string last_turn_;
    bool is_whole_ = true;
};

std::set<std::string> users_being_erased(const Stock& stock) {
    std::set<std::string> users;
    for (const ports::Obligation& obligation : stock.obligations) {
        if (!obligation.finished_at && obligation.kind == "erase_user") {
            users.insert(obligation.detail.member("user_id")->as_text());
        }
    }
    return users;
}

}  // namespace

void compare_session_streams(const Stock& stock, Complaints& complaints) {
    std::map<std::string, const model::StreamInfo*> streams;
    for (const model::StreamInfo& stream : stock.streams) streams[stream.name] = &stream;
    std::map<model::StreamId, std::vector<Entry>> entries;
    for (const model::SharedBlock& block : stock.delivery) {
        for (const model::LogEntry& logged : block->entries) {
            entries[logged.stream].push_back(
                {std::string(logged.facets.type), std::string(logged.facets.user_id), std::string(logged.body)});
        }
    }
    const std::set<std::string> in_part = users_being_erased(stock);
    for (const Stock::Conversation& conversation : stock.conversations) {
        if (in_part.contains(conversation.session.user_id)) continue;
        const auto stream = streams.find(model::session_stream_name(conversation.session.id));
        if (stream == streams.end()) {
            complaints.push_back("session " + conversation.session.id + " has no stream");
            continue;
        }
        Reading reading(conversation, *stream->second, complaints);
        for (const Entry& entry : entries[stream->second->id]) reading.take(entry);
        reading.judge();
    }
}

}  // namespace belfry::sim
