#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/log.hpp"
#include "model/principal.hpp"
#include "ports/reading.hpp"

namespace belfry::ports {

enum class Readiness : std::uint8_t { starting, ready, store_down, standby, stopping };
std::string_view readiness_name(Readiness readiness);

struct Status {
    Readiness readiness = Readiness::starting;
    std::string version;
    std::int64_t pid = 0;
    base::Timestamp started_at;
    base::Timestamp now;
    StoreFigures store;
    std::vector<model::StreamInfo> streams;
    std::size_t queue_commands = 0;
    std::size_t queue_bytes = 0;
    std::size_t connections = 0;
};

// Questions that change nothing, answered beside the engine. Called on the network's thread; answers come back on it,
// never before the call returned. Each checks by `rules/may` that the principal may ask.
class Queries {
public:
    virtual ~Queries() = default;

    [[nodiscard]] virtual Readiness readiness() const = 0;
    virtual void status(const model::Principal& who, std::function<void(base::Result<Status>)> done) = 0;
    virtual void obligation(const model::Principal& who, const base::Uuid& id,
                            std::function<void(base::Result<Obligation>)> done) = 0;
};

// Who somebody is. On the network's thread, from memory.
class Access {
public:
    virtual ~Access() = default;

    // The principal behind a bearer token's text, or unauthenticated with a reason that tells an attacker nothing.
    [[nodiscard]] virtual base::Result<model::Principal> authenticate(std::string_view token) const = 0;
    // Counts up with every change of the tokens: a cached principal of an older count must be asked for again.
    [[nodiscard]] virtual std::uint64_t generation() const = 0;
    // All tokens, for those who may see them.
    [[nodiscard]] virtual base::Result<std::vector<model::AccessToken>> tokens(const model::Principal& who) const = 0;
};

}  // namespace belfry::ports
