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

std::string_view why_verdict_name(WhyVerdict verdict) {
    switch (verdict) {
        case WhyVerdict::wants: return "wants";
        case WhyVerdict::below_severity: return "below_severity";
        case WhyVerdict::other_source: return "other_source";
        case WhyVerdict::switched_off: return "switched_off";
    }
    return "wants";
}

}  // namespace belfry::ports
