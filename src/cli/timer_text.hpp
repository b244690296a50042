#pragma once

#include <string>
#include <vector>

#include "base/time.hpp"
#include "host/machine_zone.hpp"
#include "model/schedule.hpp"
#include "model/zone.hpp"
#include "rules/next_occurrence.hpp"

namespace belfry::cli {

// The firings of a schedule that come after an instant.
struct Preview {
    model::Schedule schedule;
    host::MachineZone zone_choice;  // by whose word it is this zone
    const model::Zone& zone;
    base::Timestamp from;
    std::vector<rules::Occurrence> firings;
    bool has_more = false;  // there are further ones
};

// What a person must know of a firing whose clock was moved: "moved from 02:30: the clock jumps forward". Else empty.
std::string note_of(const rules::Occurrence& firing, const model::Zone& zone);

std::string preview_table(const Preview& preview, bool colours);
std::string preview_json(const Preview& preview);

}  // namespace belfry::cli
