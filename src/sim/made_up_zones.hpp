#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>

#include "ports/zones.hpp"

namespace belfry::sim {

// Two places whose clocks are set by decree, from one moment to the next, and whose data may be damaged for a while.
class MadeUpZones final : public ports::Zones {
public:
    static constexpr std::array<const char*, 2> names{"Made/Here", "Made/There"};

    base::Result<std::shared_ptr<const model::Zone>> find(std::string_view name) override {
        if (is_damaged) return base::error(base::Code::malformed, "the data of " + std::string(name) + " is damaged");
        const auto at = offsets_.find(name);
        if (at == offsets_.end()) return base::error(base::Code::not_found, "there is no such zone");
        return std::make_shared<const model::Zone>(model::Zone{std::string(name), at->second, {}, {}});
    }

    void decree(std::string_view name, std::int32_t offset_s) { offsets_.find(name)->second = offset_s; }
    [[nodiscard]] std::int32_t offset_s(std::string_view name) const { return offsets_.find(name)->second; }

    bool is_damaged = false;

private:
    std::map<std::string, std::int32_t, std::less<>> offsets_{{names[0], 3600}, {names[1], -5 * 3600}};
};

}  // namespace belfry::sim
