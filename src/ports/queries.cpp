#include "ports/queries.hpp"

namespace belfry::ports {

std::string_view readiness_name(Readiness readiness) {
    switch (readiness) {
        case Readiness::starting: return "starting";
        case Readiness::ready: return "ready";
        case Readiness::store_down: return "store_down";
        case Readiness::standby: return "standby";
        case Readiness::stopping: return "stopping";
    }
    return "starting";
}

}  // namespace belfry::ports
