#pragma once

#include <map>
#include <string>

#include "engine/capability.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::engine {

// The tools that runtimes have registered, with what Belfry must know of them.
class Tools final : public Capability {
public:
    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

    // One that somebody registered, as it is by now.
    base::Result<std::optional<model::ToolInfo>> find(const std::string& name, Unit& unit) const;
    // Of Belfry's own: internal. Of one that nobody registered: external.
    [[nodiscard]] model::Impact impact_of(const std::string& name) const;

private:
    base::Result<void> put(ports::PutTool& command, Unit& unit);
    base::Result<void> remove(ports::DeleteTool& command, Unit& unit);
    [[nodiscard]] bool is_there(const std::string& name) const;

    std::map<std::string, model::Impact> impacts_;                 // as committed
    std::map<std::string, std::optional<model::Impact>> pending_;  // nothing: removed
};

}  // namespace belfry::engine
