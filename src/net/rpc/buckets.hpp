#pragma once

#include <string>
#include <unordered_map>

#include "base/time.hpp"

namespace belfry::net {

// How many messages each client may still send: a bucket that holds limits::rpc_messages_burst and fills up by
// limits::rpc_messages_per_minute.
class MessageBuckets {
public:
    // Nothing where one more may pass now, and it is counted; else how long to wait for the next.
    base::Duration take(const std::string& who, base::Duration now);
    // Forgets those who have been quiet until their bucket was full.
    void sweep(base::Duration now);

private:
    struct Bucket {
        base::Duration empty_until;  // it is as full as the time since then would have filled it
    };
    std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace belfry::net
