#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/capability.hpp"

namespace belfry::engine {

// Answers repeats of requests that carry an idempotency key. The key, the fingerprint of the request and the answer are
// written in the transaction of the effect, so that a crash neither loses the answer nor lets a repeat act twice.
class Idempotency final : public Capability {
public:
    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command&, Unit&) override { return {}; }
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;

    // Reads the stored answers under the keys of a group, before the group is decided.
    base::Result<void> load_keys(std::span<ports::Command* const> commands, Unit& unit);
    // Settles the command if its key was used before: with the stored answer, or with `conflict` if the request
    // differs. Returns true if the command is settled.
    base::Result<bool> answer_repeat(ports::Command& command, Capability& capability);
    // Stores the answer of a command that `capability` has just decided.
    void remember(const ports::Command& command, const Capability& capability);
    // Removes the answers that may repeat what users wrote. A repeat then gets `gone` and still changes nothing.
    base::Result<void> erase_answers(Unit& unit);

private:
    std::unordered_map<std::string, ports::RememberedAnswer> known_;  // of this group: loaded, and decided since
    std::vector<std::string> fresh_;                                  // keys of the answers to write
};

}  // namespace belfry::engine
