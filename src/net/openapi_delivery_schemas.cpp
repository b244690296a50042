#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_delivery_schemas() {
    return R"json("Routing":{"type":"object","required":["address","target","handler"],"properties":{
  "address":{"type":"string","enum":["session","user"]},"target":{"type":"string","enum":["user","agent"]},
  "handler":{"type":"string","enum":["system","agent"]}}},
"NotificationInput":{"type":"object","additionalProperties":false,
  "description":"content or text must be given. Axes that are left out: session (user without a session), user, system.",
  "properties":{"content":{"type":"string","minLength":1,"maxLength":262144,"description":"For an agent."},
  "text":{"type":"string","minLength":1,"maxLength":2000,"description":"For a person."},
  "routing":{"type":"object","additionalProperties":false,"properties":{
  "address":{"type":"string","enum":["session","user"]},"target":{"type":"string","enum":["user","agent"]},
  "handler":{"type":"string","enum":["system","agent"]}}},
  "priority":{"$ref":"#/components/schemas/Priority"},"inject_at":{"$ref":"#/components/schemas/Point"},
  "severity":{"$ref":"#/components/schemas/Severity"},"session_id":{"$ref":"#/components/schemas/ScopeId"},
  "user_id":{"$ref":"#/components/schemas/ScopeId"},"agent_id":{"$ref":"#/components/schemas/ScopeId"},
  "deduplication_key":{"type":"string","minLength":1,"maxLength":256,
  "description":"Another one of this user with it takes its place while it is open."},
  "directive":{"type":"string","maxLength":2000,"description":"An instruction to the model, as tone_hint: not with an emitter's token, nor an agent's without bounds."},"tone_hint":{"type":"string","maxLength":200},
  "metadata":{"type":"object","description":"Goes along to readers; at most 16384 bytes."},
  "ttl_s":{"type":"integer","minimum":1,"maximum":2592000},
  "caused_by":{"type":"string","description":"The handle or id of the notification that it comes of."},
  "lease":{"type":"integer","minimum":1,"description":"The holder's lease. Only the holder updates a held notification in place."}}},
"NotifyText":{"type":"string","minLength":1,"maxLength":2000},
"AckInput":{"type":"object","additionalProperties":false,"required":["lease","version"],"properties":{
  "lease":{"type":"integer","minimum":1},"version":{"type":"integer","minimum":1},
  "how":{"type":"string","enum":["rendered","clicked"],"default":"rendered"}}},
"ReadInput":{"type":"object","additionalProperties":false,"required":["mark"],"properties":{
  "mark":{"type":"string","enum":["seen","acted","dismissed"]}}},
"NarrateInput":{"type":"object","additionalProperties":false,"required":["text"],
  "description":"lease or pull_id must be given.","properties":{
  "lease":{"type":"integer","minimum":1},"pull_id":{"type":"string","format":"uuid"},
  "version":{"type":"integer","minimum":1,"description":"Of the content that the agent was given."},"text":{"type":"string","minLength":1,"maxLength":65536}}},
"HeartbeatInput":{"type":"object","additionalProperties":false,"properties":{
  "lease_s":{"type":"integer","minimum":1,"maximum":3600,"default":900},
  "pull_id":{"type":"string","format":"uuid","description":"The last pull whose answer the runtime has."},
  "leases":{"$ref":"#/components/schemas/HeldLeases"}}},
"HeartbeatResult":{"type":"object","required":["renewed","lease_until"],"properties":{"renewed":{"type":"integer"},
  "lease_until":{"$ref":"#/components/schemas/MaybeTime"}}},
"ContextPreview":{"type":"object","required":["items","user_messages","seen","digest","tokens","counted","waiting","batched"],"properties":{
  "items":{"type":"array","items":{"$ref":"#/components/schemas/Notification"}},"tokens":{"type":"integer"},
  "user_messages":{"type":"array","items":{"$ref":"#/components/schemas/UserMessage"}},
  "seen":{"type":"array","items":{"type":"string"},"description":"Facts that the user knows, at turn_start: a line each, oldest first. [SEEN]: acknowledged. [SHOWN]: not acknowledged. The last line may count the facts of later turns."},
  "digest":{"type":"string","description":"The inbox as one sentence, at turn_start."},
  "waiting":{"type":"integer","description":"Due as well, but would not fit."},
  "counted":{"type":"integer","description":"Would be told as a number, in a line of a summary."},
  "batched":{"type":"integer","description":"Events of open batches, which have no text yet."}}},
"InterfaceNotification":{"type":"object","required":["id","session_id","content","text","routing","channel","metadata",
  "priority","severity","owner_lease","version","state","timestamp","narrated","used_tools"],"properties":{
  "id":{"type":"string","format":"uuid"},"session_id":{"$ref":"#/components/schemas/MaybeText"},
  "content":{"type":"string"},"text":{"type":"string"},
  "narrated":{"type":"boolean","description":"text and content are an agent's own text."},
  "replaced_text":{"type":"string","description":"If narrated: the text of the notification itself."},
  "used_tools":{"type":"array","items":{"type":"string"},"description":"Tools with impact external that an agent used for it."},"routing":{"$ref":"#/components/schemas/Routing"},
  "channel":{"type":"string","enum":["inbox","conversation"]},"metadata":{"type":"object"},
  "priority":{"$ref":"#/components/schemas/Priority"},"severity":{"$ref":"#/components/schemas/Severity"},
  "owner_lease":{"type":"integer"},"version":{"type":"integer"},
  "state":{"$ref":"#/components/schemas/DeliveryState"},"timestamp":{"$ref":"#/components/schemas/Time"}}},
"InboxItem":{"allOf":[{"$ref":"#/components/schemas/InterfaceNotification"},{"type":"object","required":["ordinal",
  "seen_at","acted_at","dismissed_at","narration"],"properties":{"ordinal":{"type":"integer"},
  "user_id":{"$ref":"#/components/schemas/MaybeText"},"outcome":{"$ref":"#/components/schemas/MaybeText"},
  "ended_at":{"$ref":"#/components/schemas/MaybeTime"},"seen_at":{"$ref":"#/components/schemas/MaybeTime"},
  "acted_at":{"$ref":"#/components/schemas/MaybeTime"},"dismissed_at":{"$ref":"#/components/schemas/MaybeTime"},
  "narration":{"$ref":"#/components/schemas/MaybeText"}}}]},
"Inbox":{"type":"object","required":["user_id","data","unread","waiting","next","has_more"],"properties":{
  "user_id":{"type":"string"},"data":{"type":"array","items":{"$ref":"#/components/schemas/InboxItem"}},
  "unread":{"type":"integer"},"waiting":{"type":"integer","description":"Not acknowledged by any interface."},
  "next":{"type":["integer","null"]},"has_more":{"type":"boolean"}}},
"TurnRequest":{"type":"object","required":["type","id","session_id","agent_id","user_id","priority","depth","reason"],
  "description":"Something is there for which an agent should begin a turn.","properties":{
  "type":{"const":"turn_requested"},"id":{"type":"string","format":"uuid"},
  "session_id":{"$ref":"#/components/schemas/MaybeText"},"agent_id":{"$ref":"#/components/schemas/MaybeText"},
  "user_id":{"$ref":"#/components/schemas/MaybeText"},"priority":{"$ref":"#/components/schemas/Priority"},"depth":{"type":"integer"},
  "reason":{"type":"string","enum":["notification","user_input"]}}},
"InboxMessage":{"oneOf":[{"allOf":[{"type":"object","required":["type"],"properties":{
  "type":{"const":"notification"}}},{"$ref":"#/components/schemas/InterfaceNotification"}]},
  {"type":"object","required":["type","id","state","owner_lease","version","seen_at","acted_at","dismissed_at","by"],
  "properties":{"type":{"const":"notification_state"},"id":{"type":"string","format":"uuid"},
  "state":{"$ref":"#/components/schemas/DeliveryState"},"owner_lease":{"type":"integer"},"version":{"type":"integer"},
  "seen_at":{"$ref":"#/components/schemas/MaybeTime"},"acted_at":{"$ref":"#/components/schemas/MaybeTime"},
  "dismissed_at":{"$ref":"#/components/schemas/MaybeTime"},"by":{"$ref":"#/components/schemas/MaybeText"}}},
  {"type":"object","required":["type","id","session_id","text","timestamp"],"properties":{
  "type":{"const":"narration"},"id":{"type":"string","format":"uuid"},
  "session_id":{"$ref":"#/components/schemas/MaybeText"},"text":{"type":"string"},
  "timestamp":{"$ref":"#/components/schemas/MaybeTime"}}},
  {"type":"object","required":["type"],"description":"Of a WebSocket, where nothing else came for a while: the line is alive.",
  "properties":{"type":{"const":"beat"}}},
  {"type":"object","required":["type","waiting","as_of"],"properties":{"type":{"const":"caught_up"},
  "waiting":{"type":"integer","description":"How many were sent before this line: all that waited."},
  "as_of":{"$ref":"#/components/schemas/Sequence"}}},
  {"type":"object","required":["type","id","status"],"description":"Of a WebSocket: the answer to an InboxWord.",
  "properties":{"type":{"type":"string","enum":["ack_result","read_result"]},"id":{"type":"string"},
  "status":{"type":"string","description":"What became of it, or the word for why nothing did: `stale_lease`."},
  "detail":{"type":"string"},"field":{"type":"string"}}},
  {"type":"object","required":["type","code","detail"],"properties":{"type":{"const":"error"},
  "code":{"type":"string"},"detail":{"type":"string"},"field":{"type":"string"}}},
  {"type":"object","required":["type","from","to"],"properties":{"type":{"const":"gap"},
  "from":{"$ref":"#/components/schemas/Sequence"},"to":{"$ref":"#/components/schemas/Sequence"}}},
  {"type":"object","required":["type","reason"],"properties":{"type":{"const":"close"},
  "reason":{"type":"string","enum":["stopping","slow_reader","silent","revoked","store"]}}}]},
"InboxWord":{"oneOf":[{"type":"object","additionalProperties":false,"required":["type","id","lease","version"],
  "properties":{"type":{"const":"ack"},"id":{"type":"string"},"lease":{"type":"integer","minimum":1},
  "version":{"type":"integer","minimum":1},"how":{"type":"string","enum":["rendered","clicked"]}}},
  {"type":"object","additionalProperties":false,"required":["type","id","mark"],"properties":{
  "type":{"const":"read"},"id":{"type":"string"},"mark":{"type":"string","enum":["seen","acted","dismissed"]}}}]},
"Transition":{"type":"object","required":["at","from","to","lease","holder","reason","routing"],"properties":{
  "routing":{"oneOf":[{"type":"null"},{"type":"object","required":["address","target","handler"],
  "description":"Of the first step: as what it was asked for.","properties":{
  "address":{"type":"string"},"target":{"type":"string"},"handler":{"type":"string"}}}]},
  "at":{"$ref":"#/components/schemas/Time"},"from":{"$ref":"#/components/schemas/DeliveryState"},
  "to":{"$ref":"#/components/schemas/DeliveryState"},"lease":{"type":"integer"},
  "holder":{"$ref":"#/components/schemas/MaybeText"},"reason":{"type":"string"}}},
"Why":{"type":"object","required":["event","sequence","reached_nobody","subscribers","waiting","notifications"],
  "properties":{"event":{"oneOf":[{"$ref":"#/components/schemas/Event"},{"type":"null"}]},
  "sequence":{"type":["integer","null"]},"reached_nobody":{"$ref":"#/components/schemas/MaybeText"},
  "subscribers":{"type":"array","items":{"type":"object","required":["id","verdict"],"properties":{
  "id":{"type":"string"},"verdict":{"type":"string","enum":["wants","below_severity","other_source","switched_off"]}}}},
  "waiting":{"type":"array","items":{"type":"object","required":["subscriber","kind","count","until"],"properties":{
  "subscriber":{"type":"string"},"kind":{"type":"string","enum":["row","repeat"]},"count":{"type":"integer"},
  "until":{"$ref":"#/components/schemas/Time"}}}},
  "notifications":{"type":"array","items":{"type":"object","required":["notification","as_repeat","steps"],
  "properties":{"notification":{"$ref":"#/components/schemas/Notification"},"as_repeat":{"type":"boolean"},
  "steps":{"type":"array","items":{"$ref":"#/components/schemas/Transition"}}}}}}},
"SinkCall":{"type":"object","required":["id","sink","notification_id","attempts","error","created_at","given_up_at"],
  "properties":{"id":{"type":"string"},"sink":{"type":"string"},"notification_id":{"type":"string"},
  "attempts":{"type":"integer"},"error":{"type":"string"},"created_at":{"$ref":"#/components/schemas/Time"},
  "given_up_at":{"$ref":"#/components/schemas/Time"}}},
"SinkCallList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/SinkCall"}},
  "next":{"$ref":"#/components/schemas/MaybeText"},"has_more":{"type":"boolean"}}},
"Nothing":{"type":"object","additionalProperties":false},
"ToolRisk":{"type":"string","enum":["low","medium","high"]},
"ToolExecution":{"type":"object","additionalProperties":false,"required":["by"],"properties":{
  "by":{"type":"string","enum":["worker","webhook"]},
  "url":{"type":"string","maxLength":2000,"description":"Of a webhook: where its calls are posted to. Only an admin may name one, and is told it."},
  "secret_env":{"type":["string","null"],"maxLength":200,"description":"Of a webhook: the variable in the daemon's environment that has its secret (`whsec_…`); without one, calls are not signed."}}},
"ToolInput":{"type":"object","additionalProperties":false,"required":["impact"],"properties":{
  "impact":{"type":"string","enum":["internal","external"]},"description":{"type":"string","maxLength":2000},
  "schema":{"type":"object","description":"The JSON Schema of its arguments. At most 65536 bytes."},
  "risk":{"allOf":[{"$ref":"#/components/schemas/ToolRisk"}],"default":"low"},
  "capabilities":{"type":"array","maxItems":100,"items":{"type":"string","maxLength":200},"description":"That an agent must have, all of them; `tool:NAME` unless told."},
  "wake_reasons":{"type":"array","maxItems":5,"items":{"$ref":"#/components/schemas/WakeReason"},"description":"Of the runs that may call it; none: of any."},
  "execution":{"allOf":[{"$ref":"#/components/schemas/ToolExecution"}],"description":"Who carries it out; without it, it is only classified."},
  "timeout_s":{"type":"integer","minimum":1,"maximum":3600,"default":60,"description":"From a call to its result."}}},
"Tool":{"type":"object","required":["name","origin","impact","description","schema","risk","capabilities","wake_reasons","execution","updated_at"],"properties":{
  "name":{"type":"string"},
  "origin":{"type":"string","enum":["belfry","registered"],"description":"Belfry's own, or somebody has registered it."},
  "impact":{"type":"string","enum":["internal","external"]},
  "description":{"$ref":"#/components/schemas/MaybeText"},"schema":{"type":"object","description":"Of its arguments."},
  "risk":{"$ref":"#/components/schemas/ToolRisk"},
  "capabilities":{"type":"array","items":{"type":"string"},"description":"What an agent needs to use it."},
  "wake_reasons":{"type":"array","items":{"$ref":"#/components/schemas/WakeReason"},"description":"Of the runs that may use it; empty: any."},
  "execution":{"anyOf":[{"$ref":"#/components/schemas/ToolExecution"},{"type":"null"}],"description":"Who carries it out. Null: it is Belfry's own, or only classified."},
  "updated_at":{"$ref":"#/components/schemas/MaybeTime"},
  "timeout_s":{"type":"integer","description":"Of one that is registered."},
  "output_schema":{"type":"object","description":"This and what follows: of Belfry's own."},
  "version":{"type":"integer","minimum":1},
  "high_risk_with":{"type":"array","items":{"type":"string"},"description":"Arguments with which it is of high risk."},
  "read_only":{"type":"boolean","description":"false: a call needs an operation."}}},
"ToolCallState":{"type":"string","enum":["queued","claimed","done","failed","abandoned"]},
"ToolCallClaim":{"type":"object","additionalProperties":false,"required":["tools"],"properties":{
  "tools":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"string","maxLength":256}},
  "holder":{"type":"string","maxLength":200},"lease_s":{"type":"integer","minimum":1,"maximum":600,"default":60},
  "wait_s":{"type":"integer","minimum":0,"maximum":60,"default":0}}},
"ToolCallRenewal":{"type":"object","additionalProperties":false,"required":["fence"],"properties":{
  "fence":{"type":"integer","minimum":1},"lease_s":{"type":"integer","minimum":1,"maximum":600,"default":60}}},
"ToolCallEnd":{"type":"object","additionalProperties":false,"required":["fence"],"description":"One of result, error and release.","properties":{
  "fence":{"type":"integer","minimum":1},"result":{"type":"object","description":"At most 262144 bytes."},
  "error":{"type":"object","additionalProperties":false,"required":["code"],"properties":{
  "code":{"type":"string","minLength":1,"maxLength":200},"message":{"type":"string","maxLength":4096}}},
  "release":{"type":"boolean"}}},
"ToolCall":{"type":"object","required":["id","tool_name","by","operation_id","agent_id","user_id","wake_id","action_id","arguments","state","holder","fence","lease_until","attempts","deadline","error_code","created_at","ended_at"],
  "properties":{"id":{"type":"string","format":"uuid"},"tool_name":{"type":"string"},"by":{"type":"string","enum":["worker","webhook"]},
  "operation_id":{"type":"string","description":"The same however often it is tried: by it the tool knows a repeat."},
  "agent_id":{"type":"string"},"user_id":{"type":"string"},"wake_id":{"type":"integer"},
  "action_id":{"type":"string","description":"The message that says that it was begun."},"arguments":{"type":"object"},
  "state":{"$ref":"#/components/schemas/ToolCallState"},"holder":{"$ref":"#/components/schemas/MaybeText"},
  "fence":{"type":"integer"},"lease_until":{"$ref":"#/components/schemas/MaybeTime"},"attempts":{"type":"integer"},
  "deadline":{"$ref":"#/components/schemas/Time"},"error_code":{"$ref":"#/components/schemas/MaybeText"},
  "created_at":{"$ref":"#/components/schemas/Time"},"ended_at":{"$ref":"#/components/schemas/MaybeTime"}}},
"ToolCallList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/ToolCall"}},
  "next":{"$ref":"#/components/schemas/MaybeText"},"has_more":{"type":"boolean"}}},
"ToolList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Tool"}},
  "next":{"$ref":"#/components/schemas/MaybeText"},"has_more":{"type":"boolean"}}})json";
}

}  // namespace belfry::net
