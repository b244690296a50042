#pragma once

#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"

// What Belfry's own workers ask of the engine, besides what every worker does.
namespace belfry::ports {

// No worker of Belfry's own is at work: it has just started, or is about to stop. What was claimed for them waits again
// and is due at once. That is no failure, unless it has happened too often.
struct ReturnWakes final : CommandOf<Nothing> {};

}  // namespace belfry::ports
