#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"
#include "model/severity.hpp"

namespace belfry::model {

using EventId = base::Id<struct EventTag>;

// Something that happened. What a producer leaves out is empty or nothing here; `rules/admit` fills it in, except the
// id, which is always Belfry's own and is given by the engine.
struct Event {
    EventId id;
    std::string type;                          // tool.call.failure
    std::string source;                        // the component that says so
    std::optional<Severity> severity;          // unset: the type's own, or info
    std::optional<base::Timestamp> timestamp;  // when it happened; unset: when it was taken in
    RawJson payload;                           // an object
    std::string dedupe_key;                    // unset: type:source
    std::string user_id;                       // its scope
    std::string session_id;
    std::int64_t run_id = 0;  // 0: none
    std::string agent_id;
    std::vector<std::string> tokens;  // change tokens
    std::string source_id;            // the id that the producer gave, by which a repeat is known
    std::string extensions;           // unknown members as they came: `"a":1,"b":2`, or empty
};

// The event as readers get it, one line of JSON, appended.
void append_event_json(std::string& out, const Event& event);

}  // namespace belfry::model
