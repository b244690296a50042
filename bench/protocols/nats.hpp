#pragma once

#include "protocols/conversation.hpp"

namespace belfry::bench {

// NATS JetStream: `PUB bench.events <inbox> <size>`, answered in the inbox by the stream's acknowledgement with its
// sequence. A batch is as many of them published, then as many acknowledgements awaited. The stream must be there.
std::unique_ptr<Conversation> nats_conversation(const ConversationPlan& plan);

}  // namespace belfry::bench
