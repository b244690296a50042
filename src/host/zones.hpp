#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "host/environment.hpp"
#include "ports/zones.hpp"

namespace belfry::host {

// The zones of the machine's tzdata, which is in $TZDIR or /usr/share/zoneinfo. A file is read when it is asked for,
// and again when it has changed: tzdata is upgraded under a daemon that runs. UTC is there without any file.
class SystemZones final : public ports::Zones {
public:
    explicit SystemZones(const Environment& environment);

    base::Result<std::shared_ptr<const model::Zone>> find(std::string_view name) override;

private:
    struct Known {
        std::shared_ptr<const model::Zone> zone;
        std::int64_t bytes = 0;
        base::Timestamp modified;
    };

    [[nodiscard]] base::Error unknown(std::string_view name) const;

    std::string folder_;
    std::mutex mutex_;
    std::map<std::string, Known, std::less<>> known_;
};

// Whether it could be the name of a zone: letters, digits, _, + and -, in parts divided by a slash.
bool is_zone_name(std::string_view name);

}  // namespace belfry::host
