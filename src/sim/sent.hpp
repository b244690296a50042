#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ports/commands/access.hpp"
#include "ports/commands/erasure.hpp"
#include "ports/commands/intake.hpp"
#include "ports/commands/outbox.hpp"

// What the made-up producers sent. Kept beside the commands, because the engine fills those in.
namespace belfry::sim {

using Complaints = std::vector<std::string>;

struct SentEvent {
    model::Event event;
    std::string marker;                          // stands in the payload of this sending and nowhere else
    std::optional<base::Error> broken;           // the bytes were no event
    std::array<std::uint8_t, 16> fingerprint{};  // a repeat has the same, though its marker tells it from the first
};

struct SentRequest {
    model::Principal principal;
    std::string key;  // empty: none
    std::array<std::uint8_t, 16> fingerprint{};
    std::vector<SentEvent> entries;
};

struct SentMint {
    std::string name;  // no other has it
    std::string user_id;
    std::optional<base::Duration> life;
};

struct SentRevoke {
    std::string token_id;
};

struct SentErase {
    std::string user_id;
};

// A claim as the performer holds it, and what he says about it.
struct SentSlice {
    base::Uuid obligation;
    std::int64_t fence = 0;
    bool is_stale = false;  // somebody else's claim came after it
};

struct SentPostpone {
    base::Uuid obligation;
    std::int64_t fence = 0;
};

using Sent = std::variant<SentRequest, SentMint, SentRevoke, SentErase, SentSlice, SentPostpone>;

ports::AnyCommand to_command(const Sent& sent);

model::Principal admin_principal();

}  // namespace belfry::sim
