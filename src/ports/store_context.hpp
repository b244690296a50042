#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/context_value.hpp"

namespace belfry::ports {

// The values that a session sees: those of its user that name no other session and no other agent.
struct ContextScope {
    model::Scope scope;  // an empty agent: values of no agent
    base::Timestamp now;
    std::vector<std::string> names = {};  // empty: of every name
};

struct ContextFilter {
    std::string user_id;
    std::string session_id;  // empty fields do not narrow
    std::string agent_id;
    base::Timestamp now;
};

// Context values as the engine's thread sees them. Values that are not current (model::is_current) are never returned.
class ContextTable {
public:
    virtual ~ContextTable() = default;
    // Inserts the value, or replaces the one with the same key.
    virtual base::Result<void> put(const model::ContextValue& value) = 0;
    // True if there was a current value.
    virtual base::Result<bool> remove(const model::ContextKey& key, base::Timestamp now) = 0;
    // By name, session and agent.
    virtual base::Result<std::vector<model::ContextValue>> in_scope(const ContextScope& scope) = 0;
    // The current values of a user without the one of this key.
    virtual base::Result<std::int64_t> count_others(const model::ContextKey& key, base::Timestamp now) = 0;
    // Removes values that are not current; returns how many.
    virtual base::Result<std::uint64_t> drop_expired(base::Timestamp now, std::size_t limit) = 0;
    virtual base::Result<void> drop_expired_of(std::string_view user_id, base::Timestamp now) = 0;
    virtual base::Result<void> remove_session(std::string_view session_id) = 0;
    // Moves the times of all values back by so much.
    virtual base::Result<void> set_back(base::Duration by) = 0;
    virtual base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) = 0;
};

// Reading beside the engine.
class ContextReading {
public:
    virtual ~ContextReading() = default;
    virtual base::Result<std::optional<model::ContextValue>> find(const model::ContextKey& key,
                                                                  base::Timestamp now) = 0;
    virtual base::Result<std::vector<model::ContextValue>> in_scope(const ContextScope& scope) = 0;
    // By name, session and agent.
    virtual base::Result<std::vector<model::ContextValue>> list(const ContextFilter& filter) = 0;
};

}  // namespace belfry::ports
