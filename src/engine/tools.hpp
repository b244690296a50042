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
    // Those that this agent may call in such a run and that somebody carries out, by name; a model is told of no more
    // than limits::tools_offered_max.
    base::Result<std::vector<model::ToolInfo>> offered_to(const model::Agent& agent, model::WakeReason reason,
                                                          Unit& unit) const;
    // Of Belfry's own: internal. Of one that nobody registered: external.
    [[nodiscard]] model::Impact impact_of(const std::string& name) const;

private:
    base::Result<void> put(ports::PutTool& command, Unit& unit);
    base::Result<void> remove(ports::DeleteTool& command, Unit& unit);
    // The tool as it is by now; null: there is none.
    [[nodiscard]] const model::ToolInfo* look_up(const std::string& name) const;
    // The number of tools as it is by now, with those of this transaction.
    [[nodiscard]] std::size_t count() const;
    [[nodiscard]] base::Result<void> may_change(const model::Principal& who, const std::string& name,
                                                model::ToolRunner runner) const;

    // Without descriptions and schemas.
    std::map<std::string, model::ToolInfo> known_;                   // as committed
    std::map<std::string, std::optional<model::ToolInfo>> pending_;  // nothing: removed
};

}  // namespace belfry::engine
