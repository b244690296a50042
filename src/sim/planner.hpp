#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sim/places.hpp"
#include "sim/random.hpp"
#include "sim/sent.hpp"

namespace belfry::sim {

// One of the people that everything in the made-up world is about.
const std::string& some_person(SeededRandom& random);
// The name of an agent: of one that sessions may have.
const std::string& some_agent(SeededRandom& random);
// Stands in the dedupe key of an event that names no user.
inline constexpr const char* nobodys = "/-";

// What producers, administrators and the performer of obligations come up with.
class Planner {
public:
    Planner(SeededRandom random, const Places& places) : random_(random), places_(places) {}

    // Events: new ones, repeats of earlier requests, earlier keys with another body, and what no rule allows.
    SentRequest request();
    SentMint mint();
    SentErase erase();

private:
    SentRequest fresh();
    SentRequest repeat(const SentRequest& before);
    SentRequest reuse(const SentRequest& before);
    SentEvent event();
    void mark(SentEvent& entry);
    void break_rule(SentEvent& entry);

    SeededRandom random_;
    const Places& places_;
    std::deque<SentRequest> history_;
    std::uint64_t count_ = 0;
};

}  // namespace belfry::sim
