#pragma once

#include "sim/sent.hpp"

// The commands of the delivery protocol.
namespace belfry::sim {

ports::AnyCommand make(const SentEmit& sent);
ports::AnyCommand make(const SentAck& sent);
ports::AnyCommand make(const SentMark& sent);
ports::AnyCommand make(const SentNarrate& sent);
ports::AnyCommand make(const SentHeartbeat& sent);
ports::AnyCommand make(const SentRetry& sent);
ports::AnyCommand make(const SentOpen& sent);
ports::AnyCommand make(const SentContinue& sent);
ports::AnyCommand make(const SentClose& sent);
ports::AnyCommand make(const SentDelete& sent);
ports::AnyCommand make(const SentTool& sent);
ports::AnyCommand make(const SentFinish& sent);

}  // namespace belfry::sim
