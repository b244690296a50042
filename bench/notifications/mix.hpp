#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/event.hpp"

namespace belfry::bench {

enum class MixKind {
    // What a thousand agents at work say. Of 1,000 events 600 are heard by nobody (calls that begin and succeed, turns,
    // events of other programs), 210 are failures and timeouts of tools, 35 budgets, 35 changed files, 35 notes to
    // itself, 30 subagents, 25 checkpoints, 15 nearly full contexts, and 15 of the rest. A session has three tools, two
    // of which fail in one way each and one in two; each call is about some file, and two of three calls that failed
    // are tried again, at most twice, and fail in the same words. It says 500 things and then another begins.
    usual,
    // Nothing can be gathered: each event is a failure of its own kind in a session of its own.
    worst,
};

// Events as agents emit them, the same from the same seed. `next` gives them without id, severity and timestamp.
class EventMix {
public:
    explicit EventMix(MixKind kind, std::uint64_t seed = 1, std::size_t sessions = 1000);

    model::Event next();
    // How many of those given so far the shipped subscribers want.
    [[nodiscard]] std::uint64_t wanted() const { return wanted_; }

private:
    struct Call {
        std::uint64_t error = 0;
        std::string path;
        std::uint64_t retries = 0;
    };
    struct Session {
        std::string id;
        std::uint64_t seed = 0;
        std::uint64_t said = 0;
        std::uint64_t turn = 1;
        std::array<Call, 3> failing;  // the last that failed, by tool
    };

    std::uint64_t draw(std::uint64_t below);
    Session& some_session();
    void begin(Session& session);
    void of_tools(model::Event& event, Session& session, std::uint64_t kind);
    void of_agents(model::Event& event, Session& session, std::uint64_t kind);
    void of_budgets(model::Event& event, std::uint64_t kind);
    void fail_or_retry(Call& call, std::uint64_t error);
    void say_failure(model::Event& event, std::uint64_t tool, const Call& call);
    std::string path();

    MixKind kind_;
    std::uint64_t state_;
    std::uint64_t given_ = 0;
    std::uint64_t wanted_ = 0;
    std::uint64_t begun_ = 0;
    std::vector<Session> sessions_;
};

}  // namespace belfry::bench
