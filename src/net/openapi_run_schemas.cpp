#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_run_schemas() {
    return R"json("RunState":{"type":"string","enum":["pending","running","completed","failed","cancelled"]},
"CallerContext":{"type":"object","additionalProperties":false,"required":["agent_id","agent_type","agent_name"],
  "properties":{"agent_id":{"type":"string","minLength":1,"maxLength":200},
  "agent_type":{"type":"string","enum":["global_supervisor","team_supervisor","worker"]},
  "agent_name":{"type":"string","minLength":1,"maxLength":200},
  "team_name":{"type":["string","null"],"maxLength":200,
  "description":"Required for a team supervisor and a worker."}}},
"RunFault":{"type":"object","additionalProperties":false,"required":["type"],"properties":{
  "type":{"type":"string","minLength":1,"maxLength":200},"message":{"type":"string","maxLength":8192}}},
"RunInput":{"type":"object","additionalProperties":false,"properties":{
  "user_id":{"$ref":"#/components/schemas/ScopeId"},"session_id":{"$ref":"#/components/schemas/ScopeId"},
  "agent_id":{"$ref":"#/components/schemas/ScopeId"},
  "hierarchy_id":{"type":"string","minLength":1,"maxLength":200,"description":"The team of agents that carries out the run, by the caller's own id. A child without one has its parent's."},
  "run_key":{"type":"string","minLength":1,"maxLength":255,"description":"Makes a repeat harmless, per user."},
  "parent_id":{"type":"integer","minimum":1},"title":{"type":"string","maxLength":500},
  "metadata":{"type":"object"},"caller":{"$ref":"#/components/schemas/CallerContext"},
  "tree":{"type":"boolean","default":false},"start":{"type":"boolean","default":true}}},
"Run":{"type":"object","required":["id","run_key","parent_id","root_id","user_id","session_id","agent_id",
  "hierarchy_id","title","metadata","caller","state","paused","queue_position","tree","result","error","cancel_reason","created_at",
  "started_at","ended_at","expires_at","events"],"properties":{"id":{"type":"integer"},
  "run_key":{"$ref":"#/components/schemas/MaybeText"},"parent_id":{"type":["integer","null"]},
  "root_id":{"type":"integer"},"user_id":{"type":"string"},"session_id":{"$ref":"#/components/schemas/MaybeText"},
  "agent_id":{"$ref":"#/components/schemas/MaybeText"},"hierarchy_id":{"$ref":"#/components/schemas/MaybeText"},
  "title":{"type":"string"},"metadata":{"type":"object"},
  "caller":{"anyOf":[{"$ref":"#/components/schemas/CallerContext"},{"type":"null"}]},
  "state":{"$ref":"#/components/schemas/RunState"},"paused":{"type":"boolean"},
  "queue_position":{"type":["integer","null"],"description":"1 is next."},"tree":{"type":"boolean"},
  "result":{"description":"Any JSON."},
  "error":{"anyOf":[{"$ref":"#/components/schemas/RunFault"},{"type":"null"}]},
  "cancel_reason":{"$ref":"#/components/schemas/MaybeText"},"created_at":{"$ref":"#/components/schemas/Time"},
  "started_at":{"$ref":"#/components/schemas/MaybeTime"},"ended_at":{"$ref":"#/components/schemas/MaybeTime"},
  "expires_at":{"$ref":"#/components/schemas/MaybeTime"},
  "events":{"type":"integer","description":"The last sequence of its stream."}}},
"RunList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Run"}},"next":{"type":["integer","null"]},
  "has_more":{"type":"boolean"}}},
"RunNothing":{"type":"object","additionalProperties":false},
"RunCancel":{"type":"object","additionalProperties":false,"properties":{"reason":{"type":"string","maxLength":500}}},
"RunFinish":{"type":"object","additionalProperties":false,"required":["state"],"properties":{
  "state":{"type":"string","enum":["completed","failed"]},"result":{"description":"Of a completed one: any JSON."},
  "error":{"$ref":"#/components/schemas/RunFault"}}},
"RunEventInput":{"type":"object","additionalProperties":false,"required":["event"],"properties":{
  "event":{"type":"string","maxLength":100,"pattern":"^[a-z_]+(\\.[a-z_]+)+$",
  "description":"Not lifecycle.*, control.*, interaction.*, tree.*."},
  "data":{"description":"Any JSON; an empty object unless told."},
  "source":{"$ref":"#/components/schemas/CallerContext"},"id":{"type":"string","format":"uuid"},
  "timestamp":{"$ref":"#/components/schemas/Time"}}},
"RunEventsInput":{"anyOf":[{"$ref":"#/components/schemas/RunEventInput"},{"type":"array","minItems":1,
  "maxItems":1000,"items":{"$ref":"#/components/schemas/RunEventInput"}}]},
"RunEmitProblem":{"allOf":[{"$ref":"#/components/schemas/Problem"},{"type":"object","properties":{
  "head":{"type":"integer","description":"Of a place that is taken: the run's last event."},
  "line":{"type":"integer","description":"Of an upload: the line at which it ended."},
  "accepted":{"type":"integer","description":"Of an upload: how many stay."},
  "first":{"type":["integer","null"]},"last":{"type":["integer","null"]}}}]},
"RunEmitted":{"type":"object","required":["accepted","first","last","state","paused"],"properties":{
  "accepted":{"type":"integer"},"first":{"type":["integer","null"]},"last":{"type":["integer","null"]},
  "state":{"$ref":"#/components/schemas/RunState"},"paused":{"type":"boolean"}}},
"RunEvent":{"type":"object","required":["id","run_id","timestamp","sequence","source","event","data"],"properties":{
  "id":{"type":"string","format":"uuid"},"run_id":{"type":"integer"},
  "timestamp":{"$ref":"#/components/schemas/Time"},"sequence":{"type":"integer"},
  "source":{"anyOf":[{"$ref":"#/components/schemas/CallerContext"},{"type":"null"}]},"event":{"type":"string"},
  "data":{"description":"Any JSON."}}},
"RunStreamMessage":{"oneOf":[{"type":"object","required":["type","sequence","event"],"properties":{
  "type":{"const":"entry"},"sequence":{"type":"integer","description":"Of a tree, its own position."},
  "event":{"$ref":"#/components/schemas/RunEvent"}}},
  {"type":"object","required":["type","from","to"],"properties":{"type":{"const":"gap"},
  "from":{"type":"integer"},"to":{"type":"integer"}}},
  {"type":"object","required":["type","after"],"description":"Who follows live begins here.",
  "properties":{"type":{"const":"live"},"after":{"type":"integer"}}},
  {"type":"object","required":["type"],"description":"Of a WebSocket, where nothing else came for a while: the line is alive.",
  "properties":{"type":{"const":"beat"}}},
  {"type":"object","required":["type","state"],"properties":{"type":{"const":"store"},
  "state":{"type":"string","enum":["down","up"]}}},
  {"type":"object","required":["type","reason"],"properties":{"type":{"const":"close"},
  "reason":{"type":"string","enum":["ended","expired","stopping","slow_reader","silent","revoked","store"]}}}]},
"RunEventPage":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/RunEvent"}},
  "next":{"type":"integer","description":"The `after` of the next page."},"has_more":{"type":"boolean"},
  "gap":{"type":"object","required":["from","to"],"properties":{"from":{"type":"integer"},
  "to":{"type":"integer"}}}}})json";
}

}  // namespace belfry::net
