#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Remembers what was said in conversations, and says where the store contradicts it: a message that was taken is there
// once, with its words, until its user is erased; every visible notification of a session has one system message there,
// and there is none without a notification; ordinals are given once; nodes hang together.
class SessionsWitness {
public:
    void told(const SentMessage& sent, const base::Result<model::SessionMessage>& reply, Complaints& complaints);
    void unheard(const SentMessage& sent) { open_.insert(sent.content); }
    // One that was emitted directly, or changed, may be gone before it was seen in the store.
    void emitted(const ports::EmittedNotification& one);
    // The agent's words stand in the conversation that they were meant for.
    void narrated(const model::Notification& row);
    // Or may be: nobody heard.
    void deleted(const std::string& session) { deleted_.insert(session); }
    void erased(const std::string& user) { erased_.insert(user); }
    void compare(const Stock& stock, Complaints& complaints);

private:
    struct Said {
        std::string session_id;
        std::int64_t ordinal = 0;  // 0: nobody has said which
    };

    void compare_message(const model::SessionMessage& message, Complaints& complaints);
    static std::set<std::string> being_erased(const Stock& stock);
    void let_go(const Stock& stock, const std::set<std::string>& found, Complaints& complaints);
    void compare_system_messages(const Stock& stock, Complaints& complaints);

    std::map<std::string, Said> said_;  // by content
    std::set<std::string> open_;
    std::set<std::string> deleted_;             // sessions
    std::set<std::string> erased_;              // since the last comparison
    std::map<std::string, std::string> users_;  // of sessions, as they were seen last
    std::set<base::Uuid> ever_notified_;        // ids of all notifications that were seen
    std::set<base::Uuid> ever_updated_;         // and of those that their emitter changed
};

}  // namespace belfry::sim
