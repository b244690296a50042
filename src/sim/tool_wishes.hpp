#pragma once

#include <string>
#include <vector>

#include "ports/commands/tools.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// What an agent has in mind to do in one run: a plan, what it plans once that is done, and calls that are in no plan.
struct ToolWishes {
    explicit ToolWishes(SeededRandom random);

    // The second round, which concludes a task by what the preview of the first told. Empty: there is none.
    [[nodiscard]] std::vector<ports::ToolWish> second(const std::string& preview_token) const;

    std::vector<ports::ToolWish> first;
    struct Own {
        std::string operation_id;
        ports::ToolWish wish;
    };
    std::vector<Own> unplanned;
    bool concludes = false;

private:
    bool concludes_twice_ = false;
    std::string follow_up_title_;
};

[[nodiscard]] ports::ToolWish wish_for_tool(const std::string& tool, std::string arguments);

}  // namespace belfry::sim
