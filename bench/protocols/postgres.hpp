#pragma once

#include "protocols/conversation.hpp"

namespace belfry::bench {

// PostgreSQL's own protocol (version 3, trust authentication): one prepared INSERT into `events (body)` a transaction;
// a batch is one INSERT of an array's elements. The table must be there, in the database `postgres` of the role
// `postgres`. The bytes are written here, without libpq, so that the client costs no more than for the other servers.
std::unique_ptr<Conversation> postgres_conversation(const ConversationPlan& plan);

}  // namespace belfry::bench
