#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "client/client.hpp"
#include "model/raw_json.hpp"

namespace belfry::client {

// Where a context value lives. Empty: the daemon's default user, all sessions, all agents.
struct ContextValueScope {
    std::string user_id;
    std::string session_id;
    std::string agent_id;
};

struct ContextValueNow {
    std::string name;
    ContextValueScope scope;
    std::string content;
    std::string updated_at;
    std::string expires_at;
    std::string set_by;
    model::RawJson json;
};

// Context values, through the connection of a client, which outlives it. Each call is made once. Setting a value again
// is harmless.
class ContextValues {
public:
    explicit ContextValues(Client& client) : client_(client) {}

    // `ttl`: whole seconds; nothing: the daemon's default.
    base::Result<ContextValueNow> set(std::string_view name, std::string_view content,
                                      const ContextValueScope& scope = {}, std::optional<base::Duration> ttl = {});
    base::Result<ContextValueNow> get(std::string_view name, const ContextValueScope& scope = {});
    // By name. Empty members of the scope do not narrow, except the user.
    base::Result<std::vector<ContextValueNow>> list(const ContextValueScope& scope = {});
    base::Result<void> remove(std::string_view name, const ContextValueScope& scope = {});

private:
    Client& client_;
};

}  // namespace belfry::client
