#include "sim/sessions_witness.hpp"

#include <algorithm>
#include <charconv>

namespace belfry::sim {
namespace {

using base::Code;

struct Quiet {  // a system message
    std::int64_t ordinal = 0;
    base::Uuid notification;
};

std::vector<Quiet> read_quiet(const model::RawJson& array) {
    std::vector<Quiet> all;
    model::JsonWalker walker(array.view());
    while (const auto one = walker.next()) {
        Quiet quiet;
        model::JsonWalker members(*one);
        std::string_view name;
        while (const auto value = members.next(&name)) {
            const std::string_view text = value->text;
            if (name == "ordinal") std::from_chars(text.data(), text.data() + text.size(), quiet.ordinal);
            else if (name == "notification_id")
                quiet.notification = base::parse_uuid(value->as_text()).value_or(base::Uuid{});
        }
        all.push_back(quiet);
    }
    return all;
}

void compare_ordinals(const Stock::Conversation& conversation, const std::vector<Quiet>& quiet,
                      Complaints& complaints) {
    const std::string& id = conversation.session.id;
    std::set<std::int64_t> ordinals;
    std::set<model::NodeId> nodes;
    std::int64_t last = 0;
    const auto add = [&](std::int64_t ordinal) {
        if (!ordinals.insert(ordinal).second) complaints.push_back("an ordinal is given twice in " + id);
        last = std::max(last, ordinal);
    };
    for (const ports::HistoryNode& node : conversation.nodes) {
        for (const model::SessionMessage& message : node.messages) add(message.ordinal);
        if (node.node.parent && !nodes.contains(*node.node.parent)) complaints.push_back("a node hangs loose in " + id);
        nodes.insert(node.node.id);
    }
    for (const Quiet& one : quiet) add(one.ordinal);
    if (last >= conversation.session.next_message) complaints.push_back("an ordinal of " + id + " may come again");
    if (!nodes.contains(conversation.session.head)) complaints.push_back("the head of " + id + " is not there");
}

}  // namespace

void SessionsWitness::told(const SentMessage& sent, const base::Result<model::SessionMessage>& reply,
                           Complaints& complaints) {
    if (reply.ok()) said_[sent.content] = {sent.session_id, reply->ordinal};
    else if (reply.error().code == Code::outcome_unknown) unheard(sent);
    else if (reply.error().code != Code::unavailable)
        complaints.push_back("a message was refused: " + reply.error().message);
}

void SessionsWitness::emitted(const ports::EmittedNotification& one) {
    ever_notified_.insert(one.notification.id.uuid);
    if (!one.is_new) ever_updated_.insert(one.notification.id.uuid);
}

void SessionsWitness::narrated(const model::Notification& row) {
    if (row.address == model::Address::session) said_[row.narration] = {row.scope.session_id, 0};
}

void SessionsWitness::compare(const Stock& stock, Complaints& complaints) {
    std::set<std::string> found;
    for (const Stock::Conversation& conversation : stock.conversations) {
        for (const ports::HistoryNode& node : conversation.nodes) {
            for (const model::SessionMessage& message : node.messages) {
                compare_message(message, complaints);
                if (!found.insert(message.content).second) {
                    complaints.push_back("\"" + message.content + "\" is there twice");
                }
            }
        }
    }
    let_go(stock, found, complaints);
    compare_system_messages(stock, complaints);
    open_.clear();
    erased_.clear();
    users_.clear();
    for (const Stock::Conversation& one : stock.conversations) users_[one.session.id] = one.session.user_id;
}

void SessionsWitness::compare_message(const model::SessionMessage& message, Complaints& complaints) {
    const auto at = said_.find(message.content);
    if (at == said_.end()) {
        // A narration names the tools that were used.
        const std::string alone = message.content.substr(0, message.content.find(" (tool"));
        if (!open_.contains(message.content) && !open_.contains(alone)) {
            complaints.push_back("\"" + message.content + "\" is in " + message.session_id + " and nobody said it");
        }
        said_[message.content] = {message.session_id, message.ordinal};
    } else if (at->second.ordinal == 0 && at->second.session_id == message.session_id) {
        at->second.ordinal = message.ordinal;
    } else if (at->second.session_id != message.session_id || at->second.ordinal != message.ordinal) {
        complaints.push_back("\"" + message.content + "\" is not where it was said");
    }
}

// A session that was not there at the last look may have been anybody's.
void SessionsWitness::let_go(const Stock& stock, const std::set<std::string>& found, Complaints& complaints) {
    std::map<std::string, std::string> users = users_;
    for (const Stock::Conversation& one : stock.conversations) users.emplace(one.session.id, one.session.user_id);
    std::erase_if(said_, [&](const auto& one) {
        if (found.contains(one.first)) return false;
        if (deleted_.contains(one.second.session_id)) return true;
        const auto user = users.find(one.second.session_id);
        const bool may_go =
            !erased_.empty() && (user == users.end() || user->second == "owner" ||
                                 !users_.contains(one.second.session_id) || erased_.contains(user->second));
        if (!may_go)
            complaints.push_back("\"" + one.first + "\" was said in " + one.second.session_id + " and is lost");
        return true;
    });
}

// Whose sessions are there in part.
std::set<std::string> SessionsWitness::being_erased(const Stock& stock) {
    std::set<std::string> users;
    for (const ports::Obligation& obligation : stock.obligations) {
        if (!obligation.finished_at && obligation.kind == "erase_user")
            users.insert(obligation.detail.member("user_id")->as_text());
    }
    return users;
}

void SessionsWitness::compare_system_messages(const Stock& stock, Complaints& complaints) {
    const std::set<std::string> in_part = being_erased(stock);
    std::set<std::string> sessions_in_part;
    std::map<base::Uuid, std::string> shown;  // where
    // What its emitter put in its place may have another way than what was shown of it.
    for (const model::Notification& row : stock.notifications) {
        ever_notified_.insert(row.id.uuid);
        if (row.version > 1) ever_updated_.insert(row.id.uuid);
    }
    for (const Stock::Conversation& conversation : stock.conversations) {
        if (in_part.contains(conversation.session.user_id) || conversation.session.deleted_at) {
            sessions_in_part.insert(conversation.session.id);
            continue;
        }
        std::vector<Quiet> quiet;
        for (const ports::HistoryNode& node : conversation.nodes) {
            for (const Quiet& one : read_quiet(node.node.system_messages)) quiet.push_back(one);
        }
        compare_ordinals(conversation, quiet, complaints);
        for (const Quiet& one : quiet) {
            if (!shown.emplace(one.notification, conversation.session.id).second &&
                !ever_updated_.contains(one.notification)) {
                complaints.push_back("a notification has two system messages, one in " + conversation.session.id);
            }
            if (!ever_notified_.contains(one.notification) && erased_.empty()) {
                complaints.push_back("a system message in " + conversation.session.id + " is of no notification");
            }
        }
    }
    for (const model::Notification& row : stock.notifications) {
        if (row.subscriber_id == model::overload_subscriber || row.subscriber_id == "severe") continue;
        if (sessions_in_part.contains(row.scope.session_id) || ever_updated_.contains(row.id.uuid)) continue;
        const auto at = shown.find(row.id.uuid);
        const std::string where = at == shown.end() ? std::string() : at->second;
        // For what found no room at its arrival there is nothing to show.
        if (where.empty() && row.outcome == "overload" && row.ended_at == row.created_at) continue;
        // What an agent is to say first, or what lives with the user, has no place in a conversation.
        const bool is_quiet = row.handler == model::Handler::agent || row.address == model::Address::user;
        if (where != (is_quiet ? std::string() : row.scope.session_id)) {
            complaints.push_back("notification " + std::to_string(row.ordinal) + " of " + row.subscriber_id + " in \"" +
                                 row.scope.session_id + "\" is shown in \"" + where + "\"");
        }
    }
}

}  // namespace belfry::sim
