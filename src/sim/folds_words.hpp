#pragma once

#include <memory>

#include "ports/commands/command.hpp"

// What everybody in the world of memory says to Belfry, and how its answer is taken.
namespace belfry::sim {

template <class C>
ports::AnyCommand by_house(std::unique_ptr<C> command) {
    command->principal = model::house_principal();
    return command;
}

// Belfry could not say what became of it.
inline bool is_in_doubt(const base::Error& why) {
    using base::Code;
    return why.code == Code::unavailable || why.code == Code::outcome_unknown || why.code == Code::io ||
           why.code == Code::overloaded;
}

}  // namespace belfry::sim
