#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/events_witness.hpp"
#include "sim/sent.hpp"
#include "sim/stock.hpp"
#include "sim/tokens_witness.hpp"

namespace belfry::sim {

// Remembers which erasures are owed. What was promised is never forgotten, what is finished stays so, and then the
// person's entries are gone: that part it tells the witnesses of events and tokens. What was made of those entries, and
// the person's sessions, are gone as well.
class ErasuresWitness {
public:
    ErasuresWitness(EventsWitness& events, TokensWitness& tokens) : events_(events), tokens_(tokens) {}

    void told(const SentErase& sent, const base::Result<ports::ErasureReply>& reply, Complaints& complaints);
    void told(const SentSlice& sent, const base::Result<ports::EraseProgress>& reply, Complaints& complaints);
    void unheard(const SentErase& sent);
    void unheard(const SentSlice& sent);
    void compare(const Stock& stock, base::Timestamp now, Complaints& complaints);

    [[nodiscard]] std::size_t unfinished() const;
    // Whose erasure it is; empty where nobody knows.
    [[nodiscard]] std::string user_of(const base::Uuid& obligation) const;

private:
    struct Owed {
        std::string user;
        model::Sequence through = 0;  // the head when it was asked for
        bool is_finished = false;
        bool may_be_finished = false;
        base::Timestamp finished_at;
    };
    // A session as it was seen last.
    struct Seen {
        std::string user;
        base::Timestamp created_at;
        base::Timestamp at;
    };

    void finish(Owed& owed);
    void compare_gone(const Stock& stock, base::Timestamp now, Complaints& complaints);
    static bool is_in_log(const Stock& stock, model::Sequence sequence);
    static bool is_anothers(const Stock& stock, const std::string& user, model::Sequence sequence);

    EventsWitness& events_;
    TokensWitness& tokens_;
    std::map<base::Uuid, Owed> owed_;
    std::vector<Owed> open_;
    std::map<std::string, Seen> sessions_;
};

}  // namespace belfry::sim
