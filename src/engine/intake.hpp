#pragma once

#include <string>
#include <unordered_map>

#include "engine/capability.hpp"
#include "ports/commands/intake.hpp"

namespace belfry::engine {

// Takes events in: each is checked, given its id and sequence, and recorded; a repeat of one that was taken before gets
// the answer of then.
class Intake final : public Capability {
public:
    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> load(std::span<ports::Command* const> commands, Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

private:
    ports::Admission admit_entry(const ports::EmitEvents& command, ports::EventDraft& draft, Unit& unit);
    // The answer that was given under this key, now or earlier; conflict where it was for another body.
    base::Result<const ports::RememberedAnswer*> recall(const std::string& key, std::string_view fingerprint,
                                                        const char* field) const;
    void remember(std::string key, std::string_view fingerprint, const std::vector<ports::Admission>& entries);

    std::unordered_map<std::string, ports::RememberedAnswer> known_;  // of this group: loaded, and decided since
    std::vector<std::string> fresh_;                                  // keys of those to be written
    Figures figures_;
    std::string body_;  // scratch
};

}  // namespace belfry::engine
