#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_agent_schemas() {
    return R"json("AgentLifecycle":{"type":"string","enum":["created","active","dormant","destroyed"]},
"AgentMode":{"type":"string","enum":["autonomous","interactive","hybrid"],
  "description":"autonomous: events, changes and the clock wake it; interactive: what its person says does; hybrid: both. By hand all can be woken."},
"AgentConfig":{"type":"object","additionalProperties":false,"properties":{
  "schema_version":{"type":"integer","minimum":1,"default":1},
  "model_id":{"type":["string","null"],"maxLength":200},"prompt_id":{"type":["string","null"],"maxLength":200},
  "extension":{"type":"object","description":"Members whose names have a namespace, such as `acme.colour`."}}},
"AgentWorkflow":{"type":"object","additionalProperties":false,"properties":{
  "kind":{"type":"string","enum":["worker","model","script"],"default":"worker",
  "description":"Who does its work: a program outside that claims its wakes, a language model, or a script."},
  "settings":{"type":"object","description":"Of a script (`steps`) or a model (`base_url`, `model`, …); see docs/workflows.md. A model needs role admin, or service without bounds."}}},
"AgentSlots":{"type":"object","additionalProperties":false,"properties":{
  "primary_goal":{"type":["string","null"],"maxLength":4096},"active_task_id":{"type":["string","null"],"maxLength":200},
  "open_loop_ids":{"type":"array","maxItems":1000,"items":{"type":"string"}},
  "preferences":{"type":"object","propertyNames":{"minLength":1,"maxLength":200},"additionalProperties":{"type":"string","maxLength":4096}},
  "extension":{"type":"object","description":"Members whose names have a namespace."}}},
"AgentState":{"type":"object","required":["id","revision","updated_at","last_wake_at","next_wake_at",
  "sleep_until","recent_head_message_id","latest_summary_message_id","processed_counter_by_host","slots"],"properties":{
  "id":{"type":"string","format":"uuid"},
  "revision":{"type":"integer","description":"Rises with each change: a guard for writers."},
  "updated_at":{"$ref":"#/components/schemas/Time"},"last_wake_at":{"$ref":"#/components/schemas/MaybeTime"},
  "next_wake_at":{"$ref":"#/components/schemas/MaybeTime"},
  "sleep_until":{"description":"Until then its wakes end as sleeping.","anyOf":[{"$ref":"#/components/schemas/MaybeTime"}]},
  "recent_head_message_id":{"$ref":"#/components/schemas/MaybeText"},
  "latest_summary_message_id":{"$ref":"#/components/schemas/MaybeText"},
  "processed_counter_by_host":{"type":"object","additionalProperties":{"type":"integer"}},
  "slots":{"$ref":"#/components/schemas/AgentSlots"}}},
"AgentRuntime":{"type":"object","required":["run_status","updated_at","active_run_id","active_session_id",
  "last_run_started_at","failure_streak","hot_message_count"],"properties":{
  "run_status":{"type":"string","enum":["idle","queued","running","failed"]},
  "updated_at":{"$ref":"#/components/schemas/Time"},"active_run_id":{"type":["integer","null"]},
  "active_session_id":{"$ref":"#/components/schemas/MaybeText"},
  "last_run_started_at":{"$ref":"#/components/schemas/MaybeTime"},
  "failure_streak":{"type":"integer","description":"Failures in a row; after five it is dormant."},
  "hot_message_count":{"type":"integer"}}},
"ToolPolicies":{"type":"object","maxProperties":1000,
  "description":"What becomes of a call, by the tool's name, or `*` for all that are not named; run where nothing is said.",
  "additionalProperties":{"type":"string","enum":["run","ask","propose"]}},
"Agent":{"type":"object","required":["id","user_id","kind","display_name","lifecycle","mode","allowed_category_ids",
  "capabilities","tool_policies","config","workflow","created_at","updated_at","destroyed_at","next_wake_at","state","runtime"],"properties":{
  "id":{"type":"string"},"user_id":{"type":"string"},"kind":{"type":"string"},"display_name":{"type":"string"},
  "lifecycle":{"$ref":"#/components/schemas/AgentLifecycle"},"mode":{"$ref":"#/components/schemas/AgentMode"},
  "allowed_category_ids":{"type":"array","items":{"type":"string"}},
  "capabilities":{"type":"array","items":{"type":"string"}},
  "tool_policies":{"$ref":"#/components/schemas/ToolPolicies"},"config":{"$ref":"#/components/schemas/AgentConfig"},
  "workflow":{"$ref":"#/components/schemas/AgentWorkflow"},"created_at":{"$ref":"#/components/schemas/Time"},
  "updated_at":{"$ref":"#/components/schemas/Time"},"destroyed_at":{"$ref":"#/components/schemas/MaybeTime"},
  "next_wake_at":{"description":"When the clock wakes it: by the next of its timers, or by `next_wake_at` of its state, whichever is sooner.","anyOf":[{"$ref":"#/components/schemas/MaybeTime"}]},
  "state":{"$ref":"#/components/schemas/AgentState"},"runtime":{"$ref":"#/components/schemas/AgentRuntime"}}},
"AgentInput":{"type":"object","additionalProperties":false,"required":["id"],"properties":{
  "id":{"$ref":"#/components/schemas/ScopeId"},"user_id":{"$ref":"#/components/schemas/ScopeId"},
  "kind":{"type":"string","maxLength":200,"description":"What profiles of capabilities go by: `gym_coach`."},
  "display_name":{"type":"string","maxLength":200},
  "mode":{"$ref":"#/components/schemas/AgentMode"},
  "allowed_category_ids":{"type":"array","maxItems":100,"items":{"type":"string","minLength":1,"maxLength":200}},
  "capabilities":{"type":"array","maxItems":1000,"items":{"type":"string","minLength":1,"maxLength":200}},
  "tool_policies":{"$ref":"#/components/schemas/ToolPolicies"},
  "config":{"$ref":"#/components/schemas/AgentConfig"},"workflow":{"$ref":"#/components/schemas/AgentWorkflow"}}},
"AgentPatch":{"type":"object","additionalProperties":false,"properties":{
  "kind":{"type":"string","maxLength":200},"display_name":{"type":"string","minLength":1,"maxLength":200},
  "mode":{"$ref":"#/components/schemas/AgentMode"},
  "dormant":{"type":"boolean","description":"true: it rests until somebody says otherwise; false: it is active again, and its failures are forgotten."},
  "allowed_category_ids":{"type":"array","maxItems":100,"items":{"type":"string","minLength":1,"maxLength":200}},
  "capabilities":{"type":"array","maxItems":1000,"items":{"type":"string","minLength":1,"maxLength":200}},
  "tool_policies":{"$ref":"#/components/schemas/ToolPolicies"},
  "config":{"$ref":"#/components/schemas/AgentConfig"},"workflow":{"$ref":"#/components/schemas/AgentWorkflow"},
  "state":{"$ref":"#/components/schemas/AgentStatePatch"}}},
"AgentStatePatch":{"type":"object","additionalProperties":false,"properties":{
  "revision":{"type":"integer","minimum":1,"description":"Change it only if it still has this one."},
  "sleep_until":{"$ref":"#/components/schemas/MaybeTime"},"next_wake_at":{"$ref":"#/components/schemas/MaybeTime"},
  "slots":{"$ref":"#/components/schemas/AgentSlots"}}},
"OwnStatePatch":{"type":"object","additionalProperties":false,"required":["fence"],"properties":{
  "fence":{"type":"integer","minimum":1},"state":{"$ref":"#/components/schemas/AgentStatePatch"}}},
"Change":{"type":"object","required":["host","counter","kind","id","origin","changed_at","tokens","clock"],"properties":{
  "host":{"type":"string","description":"The device that made it, and its incarnation."},
  "counter":{"type":"integer","minimum":1,"description":"Of the host's changes."},
  "kind":{"type":"string","description":"Of the record: `agent`, `agent_state`, `agent_message`, a kind of the journal (`task`), `link`."},
  "id":{"type":"string","description":"Of the record: the agent's, the message's, its own; of a link a hash of it."},
  "origin":{"type":"string","description":"`user`, `agent:ID` or `sync`."},"changed_at":{"type":"string","format":"date-time"},
  "tokens":{"type":"array","items":{"type":"string"},"description":"None: Belfry's own notes about a run, which wake nobody."},
  "clock":{"type":"object","description":"What the record has seen of each host, this change included.",
  "additionalProperties":{"type":"integer"}}}},
"ChangeBatch":{"type":"object","required":["type","user_id","batch_id","synced","tokens","changes"],
  "description":"Changes that were collected together.","properties":{
  "type":{"const":"change_batch"},"user_id":{"type":"string"},"batch_id":{"type":"string"},
  "synced":{"type":"boolean","description":"They came from another device."},
  "tokens":{"type":"array","items":{"type":"string"}},
  "changes":{"type":"array","items":{"$ref":"#/components/schemas/Change"}}}},
"AgentList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Agent"}},"next":{"$ref":"#/components/schemas/MaybeText"},
  "has_more":{"type":"boolean"}}},
"WakeSubscriptionInput":{"type":"object","additionalProperties":false,
  "description":"Either types of events or tokens of changes.","properties":{
  "types":{"type":"array","maxItems":100,"items":{"type":"string","maxLength":200},"description":"Event types and patterns: `ci.*`."},
  "severity":{"$ref":"#/components/schemas/Severity"},
  "sources":{"type":"array","maxItems":100,"items":{"type":"string","maxLength":256},"description":"Of events; empty: any."},
  "tokens":{"type":"array","maxItems":100,"items":{"type":"string"},"description":"Of changes: `key:agentChanged`, `sub:agent_message/thought`; docs/changes.md."},
  "predicate":{"type":["string","null"],"maxLength":4096,"description":"Asked last, of the event or the changed record; docs/predicates.md has the language. No message passes one."},
  "window_ms":{"type":"integer","minimum":0,"maximum":86400000,"default":120000,
  "description":"From the first signal to the run; signals in between join it. 0: at once."},
  "synced":{"type":"boolean","default":false,"description":"Changes that came from another device, too."},
  "priority":{"type":"integer","minimum":-100,"maximum":100,"default":0,"description":"The larger runs first."},
  "active":{"type":"boolean","default":true}}},
"WakeSubscription":{"type":"object","required":["id","agent_id","active","types","severity","sources","tokens",
  "predicate","window_ms","synced","priority","created_at","updated_at"],"properties":{
  "id":{"type":"string","format":"uuid"},"agent_id":{"type":"string"},"active":{"type":"boolean"},
  "types":{"type":"array","items":{"type":"string"}},"severity":{"$ref":"#/components/schemas/Severity"},
  "sources":{"type":"array","items":{"type":"string"}},"tokens":{"type":"array","items":{"type":"string"}},
  "predicate":{"$ref":"#/components/schemas/MaybeText"},"window_ms":{"type":"integer"},"synced":{"type":"boolean"},
  "priority":{"type":"integer"},"created_at":{"$ref":"#/components/schemas/Time"},
  "updated_at":{"$ref":"#/components/schemas/Time"}}},
"WakeSubscriptionList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/WakeSubscription"}},
  "next":{"$ref":"#/components/schemas/MaybeText"},"has_more":{"type":"boolean"}}},
"WakeReason":{"type":"string","enum":["subscription","timer","user_initiated","recovery_catchup","manual"]},
"WakeState":{"type":"string","enum":["queued","running","completed","failed","cancelled","coalesced","no_turn","sleeping",
  "dormant","destroyed","refused","not_needed"],"description":"All but queued and running are ends, which never change. sleeping, dormant, destroyed, refused: what its agent was when its time came, or that its mode does not take it or agents have woken one another too often in a row (error chain_too_long). not_needed: what it was to see to was seen to before it began."},
"WakeInput":{"type":"object","additionalProperties":false,"properties":{
  "reason":{"type":"string","enum":["manual","user_initiated"],"default":"manual"},
  "request_id":{"type":"string","minLength":1,"maxLength":200,"description":"Of a manual one: the same wakes once. Made where it is left out."},
  "session_id":{"allOf":[{"$ref":"#/components/schemas/ScopeId"}],"description":"Required for user_initiated."},
  "turn_id":{"type":"string","minLength":1,"maxLength":200,"description":"Of a user_initiated one: the same wakes once. Made where it is left out."},
  "input":{"type":"object","description":"What it is given, at most 256 KB."}}},
"RunAgentInput":{"type":"object","required":["threadId","runId","messages"],"description":"As AG-UI has it, at most 256 KB; it is the `input` of the wake.","properties":{
  "threadId":{"allOf":[{"$ref":"#/components/schemas/ScopeId"}],"description":"The session."},
  "runId":{"type":"string","minLength":1,"maxLength":200,"description":"The turn: the same runs once."},
  "messages":{"type":"array","items":{"type":"object","required":["id","role"],"properties":{
    "id":{"type":"string","minLength":1,"maxLength":200},"role":{"type":"string","minLength":1,"maxLength":200}}}},
  "tools":{"type":"array"},"context":{"type":"array"},"state":{},"forwardedProps":{}}},
"Wake":{"type":"object","required":["id","run_key","agent_id","user_id","reason","reason_id","timer_catchup","thread_id",
  "session_id","input","state","priority","due_at","signals","attempts","holder","fence","lease_until","deadline","run_id",
  "coalesced_into","error","created_at","started_at","ended_at"],"properties":{"id":{"type":"integer"},
  "run_key":{"type":"string","description":"The same cause has the same key, after every crash, too."},
  "agent_id":{"type":"string"},"user_id":{"type":"string"},"reason":{"$ref":"#/components/schemas/WakeReason"},
  "reason_id":{"description":"The subscription or timer, the request or turn.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "timer_catchup":{"type":"boolean"},"thread_id":{"type":"string"},"session_id":{"$ref":"#/components/schemas/MaybeText"},
  "input":{"type":"object"},"state":{"$ref":"#/components/schemas/WakeState"},"priority":{"type":"integer"},
  "due_at":{"$ref":"#/components/schemas/Time"},"signals":{"type":"integer","description":"How many it carries."},
  "attempts":{"type":"integer","description":"That were begun."},"holder":{"$ref":"#/components/schemas/MaybeText"},
  "fence":{"type":"integer","description":"Rises with each claim; whoever works names it."},
  "lease_until":{"$ref":"#/components/schemas/MaybeTime"},
  "deadline":{"description":"Of this attempt: then it has hung.","anyOf":[{"$ref":"#/components/schemas/MaybeTime"}]},
  "run_id":{"type":["integer","null"],"description":"The run that it became."},
  "coalesced_into":{"type":["integer","null"],"description":"The wake that it was folded into."},
  "error":{"description":"Of the last attempt.","anyOf":[{"$ref":"#/components/schemas/RunFault"},{"type":"null"}]},
  "created_at":{"$ref":"#/components/schemas/Time"},"started_at":{"$ref":"#/components/schemas/MaybeTime"},
  "ended_at":{"$ref":"#/components/schemas/MaybeTime"}}},
"WakeList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Wake"}},"next":{"type":["integer","null"]},
  "has_more":{"type":"boolean"}}},
"WakeSignal":{"type":"object","required":["kind","key","rule","body","came_at"],"properties":{
  "kind":{"type":"string","enum":["event","change","timer","user","manual","notification"]},
  "key":{"type":"string","description":"The event's id, the token, the instant, the request."},
  "rule":{"description":"The subscription or timer that let it through.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "body":{"type":"object","description":"The event as readers get it, or what there is to know; empty where it is larger than 64 KB."},
  "came_at":{"$ref":"#/components/schemas/Time"}}},
"WakeSignalList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/WakeSignal"}},"next":{"type":["integer","null"]},
  "has_more":{"type":"boolean"}}},
"WakeNews":{"type":"object","required":["type","ready","wake"],"description":"A wake has changed.","properties":{
  "type":{"const":"wake"},"ready":{"type":"boolean","description":"It can be claimed."},
  "wake":{"$ref":"#/components/schemas/Wake"}}},
"WakeClaim":{"type":"object","additionalProperties":false,"required":["agents"],"properties":{
  "agents":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"string","minLength":1,"maxLength":200}},
  "holder":{"type":"string","maxLength":200,"description":"Who works, for people to read; the token's id where it is left out."},
  "lease_s":{"type":"integer","minimum":1,"maximum":600,"default":60},
  "wait_s":{"type":"integer","minimum":0,"maximum":60,"default":0,"description":"Wait so long for something to do."},
  "context_messages":{"type":"integer","minimum":0,"maximum":200,"description":"Give so many of the newest messages of the thread along, and the plan that was stored."}}},
"WakeGrant":{"type":"object","required":["wake","agent","signals"],"properties":{
  "wake":{"$ref":"#/components/schemas/Wake"},"agent":{"$ref":"#/components/schemas/Agent"},
  "signals":{"type":"array","description":"The first 200 of them; `signals` of the wake says how many there are. Bodies beyond 1 MB together are empty: GET /v1/wakes/{id}/signals has all.","items":{"$ref":"#/components/schemas/WakeSignal"}},
  "messages":{"type":"array","description":"Where context_messages was given: the newest of the thread, the oldest of them first; so many that their content is 1 MB together at the most.","items":{"$ref":"#/components/schemas/AgentMessage"}},
  "plans":{"type":"array","description":"Likewise: what an earlier attempt was going to do, a round after the other, with what has come of it.","items":{"$ref":"#/components/schemas/Plan"}}}},
"WakeRenewal":{"type":"object","additionalProperties":false,"required":["fence"],"properties":{
  "fence":{"type":"integer","minimum":1},"lease_s":{"type":"integer","minimum":1,"maximum":600,"default":60}}},
"WakeEnd":{"type":"object","additionalProperties":false,"required":["fence"],"properties":{
  "fence":{"type":"integer","minimum":1},"result":{"description":"Any JSON: it becomes the run's result."},
  "error":{"description":"It has failed.","allOf":[{"$ref":"#/components/schemas/RunFault"}]},
  "release":{"type":"boolean","default":false,"description":"It is given back as if it had not been claimed: due at once, no attempt, no failure. Nothing goes with it."},
  "sleep_until":{"description":"The agent sleeps until then; null: no longer.","anyOf":[{"$ref":"#/components/schemas/MaybeTime"}]},
  "next_wake_at":{"$ref":"#/components/schemas/MaybeTime"}}},
"WakeCancel":{"type":"object","additionalProperties":false,"properties":{"reason":{"type":"string","maxLength":500}}})json";
}

}  // namespace belfry::net
