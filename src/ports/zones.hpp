#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/zone.hpp"

namespace belfry::ports {

// Where time zones come from, by IANA's names. For any thread.
class Zones {
public:
    virtual ~Zones() = default;
    // Errors: invalid for what cannot be a name, not_found for a name that there is not (with the nearest that there
    // is), malformed and io for data that cannot be used. Asking again is cheap and tells of new data.
    virtual base::Result<std::shared_ptr<const model::Zone>> find(std::string_view name) = 0;
};

}  // namespace belfry::ports
