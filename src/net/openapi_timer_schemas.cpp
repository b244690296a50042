#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_timer_schemas() {
    return R"json("Schedule":{"type":"object","additionalProperties":false,"required":["kind"],
  "description":"Its kind, and what that has: `cron`; `time`; `days` and `time`; `interval` and `anchor`; `at`. docs/schedules.md.","properties":{
  "kind":{"type":"string","enum":["cron","daily","weekly","every","at"]},
  "cron":{"type":"string","maxLength":256,"description":"Five fields: `30 2 * * *`; or `@daily`."},
  "time":{"type":"string","description":"A wall time: `07:00`."},
  "days":{"type":"array","maxItems":7,"items":{"type":"string"},"description":"`mon`, `thu`."},
  "interval":{"type":"string","description":"Elapsed time, 1 s to 3660 days: `90s`, `15m`, `12h`, `30d`."},
  "anchor":{"description":"What the interval counts from; when it was asked for unless given.","allOf":[{"$ref":"#/components/schemas/Time"}]},
  "at":{"$ref":"#/components/schemas/Time"}}},
"TimerFiring":{"type":"object","required":["at","local","note"],"properties":{
  "at":{"$ref":"#/components/schemas/Time"},"local":{"type":"string","description":"As the zone's clocks show it."},
  "note":{"type":["string","null"],"enum":["gap","repeated",null],
  "description":"gap: the clocks jump over its wall time; repeated: they show it once more, later."}}},
"TimerInput":{"type":"object","additionalProperties":false,"required":["name","schedule"],"properties":{
  "name":{"type":"string","minLength":1,"maxLength":200,"description":"Of its agent's timers only this one has it."},
  "schedule":{"$ref":"#/components/schemas/Schedule"},
  "zone":{"type":"string","maxLength":256,"default":"UTC","description":"IANA's name, of wall times: `Europe/Berlin`."},
  "input":{"type":"object","description":"What its agent is given, in the body of the signal; 32 KB at the most."},
  "priority":{"type":"integer","minimum":-100,"maximum":100,"default":0,"description":"The larger runs first."},
  "active":{"type":"boolean","default":true},
  "dry_run":{"type":"boolean","default":false,"description":"Say what would be, and store nothing."}}},
"TimerPatch":{"type":"object","additionalProperties":false,"properties":{
  "name":{"type":"string","minLength":1,"maxLength":200},"schedule":{"$ref":"#/components/schemas/Schedule"},
  "zone":{"type":"string","maxLength":256},"input":{"type":"object"},
  "priority":{"type":"integer","minimum":-100,"maximum":100},
  "active":{"type":"boolean","description":"true: it fires from now on; false: it does not."}}},
"Timer":{"type":"object","required":["id","agent_id","user_id","name","schedule","zone","active","next_run_at",
  "last_scheduled_at","fault","input","priority","created_at","updated_at","next"],"properties":{
  "id":{"type":["string","null"],"format":"uuid","description":"null: it was only rehearsed."},
  "agent_id":{"type":"string"},"user_id":{"type":"string"},"name":{"type":"string"},
  "schedule":{"$ref":"#/components/schemas/Schedule"},"zone":{"$ref":"#/components/schemas/MaybeText"},
  "active":{"type":"boolean"},"next_run_at":{"$ref":"#/components/schemas/MaybeTime"},
  "last_scheduled_at":{"description":"The instant that it last fired for.","anyOf":[{"$ref":"#/components/schemas/MaybeTime"}]},
  "fault":{"description":"Why it rests: the data of its zone is gone or broken. It is tried again every minute.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "input":{"type":"object"},"priority":{"type":"integer"},"created_at":{"$ref":"#/components/schemas/Time"},
  "updated_at":{"$ref":"#/components/schemas/Time"},
  "next":{"type":"array","maxItems":5,"description":"The next five firings.","items":{"$ref":"#/components/schemas/TimerFiring"}}}},
"TimerList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Timer"}},"next":{"$ref":"#/components/schemas/MaybeText"},
  "has_more":{"type":"boolean"}}})json";
}

}  // namespace belfry::net
