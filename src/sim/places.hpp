#pragma once

#include <array>
#include <set>
#include <string>

#include "sim/random.hpp"

namespace belfry::sim {

// The sessions that everything is about. One that was deleted is followed by another; its name is still used at times.
class Places {
public:
    std::string some(SeededRandom& random) const;
    void deleted(const std::string& session);
    [[nodiscard]] bool was_deleted(const std::string& session) const { return deleted_.contains(session); }

private:
    std::array<int, 5> generations_{};
    std::set<std::string> deleted_;
};

}  // namespace belfry::sim
