#pragma once

#include "sim/sent.hpp"

// The commands of what agents, conversations and people send.
namespace belfry::sim {

ports::AnyCommand make(const SentPull& sent);
ports::AnyCommand make(const SentAcknowledge& sent);
ports::AnyCommand make(const SentTurn& sent);
ports::AnyCommand make(const SentToolCall& sent);
ports::AnyCommand make(const SentSelf& sent);
ports::AnyCommand make(const SentSession& sent);
ports::AnyCommand make(const SentMessage& sent);
ports::AnyCommand make(const SentSettings& sent);
ports::AnyCommand make(const SentToggle& sent);
ports::AnyCommand make(const SentReload& sent);

}  // namespace belfry::sim
