#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "model/tool.hpp"
#include "sim/delivery_witness.hpp"
#include "sim/places.hpp"
#include "sim/random.hpp"
#include "sim/sent.hpp"

namespace belfry::sim {

// What programs emit directly, and what agents and people's interfaces do with it: mostly what is right, and often too
// late, twice, under an old lease, of an old version, for somebody else.
class People {
public:
    People(SeededRandom random, const Places& places) : random_(random), places_(places) {}

    Sent act(DeliveryWitness& known);
    void handed(const SentPull& sent, const ports::PullReply& reply);

private:
    SentEmit emit(const DeliveryWitness& known, const model::Notification* row);
    Sent about(const model::Notification& row);
    SentPull pull(const model::Notification& row);
    // Gives a call something that may prove that its caller holds the row: the truth, an old truth, or nothing.
    template <class Call>
    void prove(Call& call, const model::Notification& row, const std::string& name);
    std::optional<base::Uuid> some_pull(const std::string& session, const std::optional<base::Uuid>& last);
    SentAck ack(const model::Notification& row);
    model::Principal person(const model::Notification& row);
    std::string user();
    std::string tool();
    std::optional<model::Impact> impact();
    std::optional<base::Duration> some_lease();

    SeededRandom random_;
    const Places& places_;
    std::uint64_t count_ = 0;
    std::vector<SentOpen> there_;                          // interfaces that came and did not go
    std::map<std::string, std::deque<base::Uuid>> pulls_;  // of each session, the newest last
};

}  // namespace belfry::sim
