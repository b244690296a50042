#include "daemon/checkpoints.hpp"

namespace belfry::daemon {
void Checkpoints::start() {}
void Checkpoints::stop() {}
void Checkpoints::notice(std::int64_t) {}
}  // namespace belfry::daemon
