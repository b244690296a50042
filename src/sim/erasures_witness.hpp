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
// person's entries are gone: that part it tells the witnesses of events and tokens.
class ErasuresWitness {
public:
    ErasuresWitness(EventsWitness& events, TokensWitness& tokens) : events_(events), tokens_(tokens) {}

    void told(const SentErase& sent, const base::Result<ports::ErasureReply>& reply, Complaints& complaints);
    void told(const SentSlice& sent, const base::Result<ports::EraseProgress>& reply, Complaints& complaints);
    void unheard(const SentErase& sent);
    void unheard(const SentSlice& sent);
    void compare(const Stock& stock, Complaints& complaints);

    [[nodiscard]] std::size_t unfinished() const;

private:
    struct Owed {
        std::string user;
        model::Sequence through = 0;  // the head when it was asked for
        bool is_finished = false;
        bool may_be_finished = false;
    };

    void finish(Owed& owed);

    EventsWitness& events_;
    TokensWitness& tokens_;
    std::map<base::Uuid, Owed> owed_;
    std::vector<Owed> open_;
};

}  // namespace belfry::sim
