#pragma once

#include "net/exchange.hpp"
#include "ports/commands/sessions.hpp"

namespace belfry::net::handlers {

// What a report of a turn or of a tool's call is answered with.
void answer_report(const Reply& to, const base::Result<ports::ReportReply>& result);

}  // namespace belfry::net::handlers
