#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/log.hpp"
#include "model/principal.hpp"
#include "model/subscriber.hpp"
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

enum class HistoryShape : std::uint8_t { path, tree };

struct HistoryQuestion {
    std::string session_id;
    HistoryShape shape = HistoryShape::path;
    std::optional<model::NodeId> node;  // of a path its leaf, of a tree the last one of the page before
    std::size_t limit = 0;
};

struct History {
    model::Session session;
    std::vector<HistoryNode> nodes;
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

    // `key` is an id, or with a session a handle (`n7`).
    virtual void notification(const model::Principal& who, std::string_view session_id, std::string_view key,
                              std::function<void(base::Result<model::Notification>)> done) = 0;
    virtual void notifications(const model::Principal& who, NotificationFilter filter,
                               std::function<void(base::Result<std::vector<model::Notification>>)> done) = 0;
    virtual void session(const model::Principal& who, std::string_view id,
                         std::function<void(base::Result<model::Session>)> done) = 0;
    virtual void sessions(const model::Principal& who, SessionFilter filter,
                          std::function<void(base::Result<std::vector<model::Session>>)> done) = 0;
    virtual void history(const model::Principal& who, HistoryQuestion question,
                         std::function<void(base::Result<History>)> done) = 0;

    // From memory, as the engine uses them.
    [[nodiscard]] virtual std::shared_ptr<const model::Catalogue> catalogue() const = 0;
    // What a user has chosen; the answer names him. An empty id: the principal's own user, or the owner.
    virtual void settings(const model::Principal& who, std::string_view user_id,
                          std::function<void(base::Result<model::UserSettings>)> done) = 0;
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
