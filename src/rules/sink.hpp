#pragma once

#include "model/notification.hpp"
#include "model/sink.hpp"

namespace belfry::rules {

// Whether this sink is to carry this notification of the inbox: whose it is, its priority and its severity.
bool wants(const model::Sink& sink, const model::Notification& notification);

}  // namespace belfry::rules
