#pragma once

#include "protocols/conversation.hpp"

namespace belfry::bench {

// Redis Streams: `XADD events * d <event>`; a batch is as many of them pipelined, with every answer counted.
std::unique_ptr<Conversation> redis_conversation(const ConversationPlan& plan);

}  // namespace belfry::bench
