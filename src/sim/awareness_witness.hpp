#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/uuid.hpp"
#include "ports/commands/notifications.hpp"
#include "sim/sent.hpp"

namespace belfry::sim {

// A notification as an interface of the user has shown it.
struct Sight {
    std::string user;
    std::string session;  // that it belongs to; empty: the inbox
    base::Uuid id;
    std::int64_t version = 0;
    std::string text;
};

// Checks from outside that agents know what their users were shown (source document 004, 2.3). It reads interfaces and
// prompts only, of notifications whose text is their own:
// - an agent is told nothing that was never sent to the user;
// - a line that an agent has confirmed is not told to its session again;
// - an agent with room for all facts has been told of everything that an interface showed its user before, in the inbox
//   or in the agent's session.
class AwarenessWitness {
public:
    // The system sent this text to the user's interfaces, whether any was there or not.
    void published(const base::Uuid& id, std::int64_t version, const std::string& text);
    void shown(const std::vector<Sight>& sights, base::Timestamp now);
    // The notification was sent again as another one, with the same text.
    void sent_again(const std::string& text) { doubled_.insert(text); }
    void confirmed(const std::string& session, const base::Uuid& pull);
    // The answer of a pull of this session was not heard. The agent may have got it, and its turn may confirm it.
    void may_be_told(const std::string& session);
    // The session was deleted. Of these notifications the user's other sessions are told from now on; the others stay
    // facts of the deleted session.
    void gone(const std::string& session, const std::set<base::Uuid>& moved, base::Timestamp now);
    void forget(const std::string& user);

    struct Seat {
        std::string user;     // of the session; empty: not known
        bool is_sure = true;  // false: more may have happened than was heard
        base::Timestamp now;
        base::Duration kept;  // how long ended notifications are stored
    };
    void pulled(const SentPull& sent, const ports::PullReply& reply, const Seat& seat, Complaints& complaints);

private:
    struct Shown {
        Sight sight;
        base::Timestamp at;
        std::int64_t step = 0;
    };
    struct Agent {
        std::int64_t first_pull = 0;  // the step
        base::Timestamp first_pull_at;
        std::int64_t may_know_through = 0;  // the step of the last pull whose answer was not heard
        base::Uuid pull;
        std::vector<std::string> lines;   // of that pull
        std::set<std::string> confirmed;  // lines
        std::set<std::string> told;       // texts
        std::set<std::string> cut;        // how the texts of shortened lines begin
    };
    void judge_lines(const std::vector<std::string>& lines, Agent& agent, bool is_sure, Complaints& complaints);

    std::int64_t step_ = 0;
    std::map<base::Uuid, std::int64_t> versions_;
    std::set<std::string> published_;
    std::set<std::string> doubled_;
    std::map<base::Uuid, Shown> shown_;
    std::map<std::string, Agent> agents_;
};

}  // namespace belfry::sim
