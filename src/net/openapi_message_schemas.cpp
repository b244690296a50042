#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_message_schemas() {
    return R"json("AgentMessageKind":{"type":"string","enum":["observation","user","thought","action","tool_result","summary","system"]},
"ActionType":{"type":"string","enum":["tool_call","propose_plan","ask_user","lifecycle_transition"]},
"ToolStatus":{"type":"string","enum":["success","error","partial"]},
"AgentMessageMetadata":{"type":"object","additionalProperties":false,"properties":{
  "action_ref_id":{"type":["string","null"],"format":"uuid"},"operation_id":{"type":["string","null"],"maxLength":200},
  "status":{"anyOf":[{"$ref":"#/components/schemas/ToolStatus"},{"type":"null"}]},
  "error_code":{"type":["string","null"],"maxLength":200},"error_message":{"type":["string","null"],"maxLength":4096},
  "extension":{"type":"object","description":"Members whose names have a namespace, such as `acme.colour`."}}},
"ActionEnvelope":{"type":"object","additionalProperties":false,"required":["action_type"],
  "description":"Of an action. Its arguments are the content of the message.","properties":{
  "action_type":{"$ref":"#/components/schemas/ActionType"},
  "tool_name":{"type":["string","null"],"maxLength":200,"description":"Of a tool_call."},
  "operation_id":{"type":["string","null"],"maxLength":200,"description":"Required: under it the action is done once."},
  "arguments_hash":{"type":["string","null"],"pattern":"^[0-9a-f]{64}$","description":"Made from the content where it is left out."},
  "scope_snapshot":{"type":"array","maxItems":1000,"items":{"type":"string","minLength":1,"maxLength":200},
  "description":"The categories that were allowed then; the agent's where it is left out."}}},
"ToolResultEnvelope":{"type":"object","additionalProperties":false,
  "description":"Of a tool_result: which action it answers, by its id or by its operation, and what came of it.","properties":{
  "action_ref_id":{"type":["string","null"],"format":"uuid"},"operation_id":{"type":["string","null"],"maxLength":200},
  "status":{"anyOf":[{"$ref":"#/components/schemas/ToolStatus"},{"type":"null"}]},
  "changed_entity_ids":{"type":"array","maxItems":100,"items":{"type":"string","minLength":1,"maxLength":200}},
  "changed_tokens":{"type":"array","maxItems":100,"items":{"type":"string","minLength":1,"maxLength":200},"description":"`key:agentChanged`, `sub:workout/running`, `id:…`."},
  "error_code":{"type":["string","null"],"maxLength":200,"description":"Required with the status error."},
  "error_message":{"type":["string","null"],"maxLength":4096}}},
"AgentMessageInput":{"type":"object","additionalProperties":false,"required":["kind"],"properties":{
  "id":{"type":"string","format":"uuid","description":"The same one is added once. Made where it is left out."},
  "kind":{"$ref":"#/components/schemas/AgentMessageKind"},
  "content":{"description":"Any JSON of at most 256 KB; of an action its arguments."},
  "trigger_source_id":{"type":["string","null"],"maxLength":200,"description":"What it came of; of the wake where it is left out."},
  "summary_start_message_id":{"type":["string","null"],"format":"uuid","description":"Of a summary."},
  "summary_end_message_id":{"type":["string","null"],"format":"uuid","description":"Of a summary."},
  "summary_depth":{"type":"integer","minimum":0,"maximum":100},
  "tokens_approx":{"type":"integer","minimum":0,"maximum":100000000,"description":"Model tokens of the content; estimated where it is left out."},
  "metadata":{"$ref":"#/components/schemas/AgentMessageMetadata"},
  "action":{"$ref":"#/components/schemas/ActionEnvelope"},
  "tool_result":{"$ref":"#/components/schemas/ToolResultEnvelope"}}},
"AgentMessage":{"type":"object","required":["id","agent_id","thread_id","kind","created_at","prev_message_id",
  "content_entry_id","trigger_source_id","summary_start_message_id","summary_end_message_id","summary_depth",
  "tokens_approx","metadata","content"],"properties":{
  "id":{"type":"string","format":"uuid"},"agent_id":{"type":"string"},"thread_id":{"type":"string"},
  "kind":{"$ref":"#/components/schemas/AgentMessageKind"},"created_at":{"$ref":"#/components/schemas/Time"},
  "prev_message_id":{"$ref":"#/components/schemas/MaybeText"},
  "content_entry_id":{"description":"Where content of more than 4 KB lies.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "trigger_source_id":{"$ref":"#/components/schemas/MaybeText"},
  "summary_start_message_id":{"$ref":"#/components/schemas/MaybeText"},
  "summary_end_message_id":{"$ref":"#/components/schemas/MaybeText"},
  "summary_depth":{"type":"integer"},"tokens_approx":{"type":"integer"},
  "metadata":{"$ref":"#/components/schemas/AgentMessageMetadata"},
  "action":{"$ref":"#/components/schemas/ActionEnvelope"},
  "tool_result":{"$ref":"#/components/schemas/ToolResultEnvelope"},
  "content":{"description":"Any JSON; in lists {} where it lies apart."}}},
"AgentMessageList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/AgentMessage"}},
  "next":{"$ref":"#/components/schemas/MaybeText"},"has_more":{"type":"boolean"}}},
"AgentMessageBatch":{"type":"object","additionalProperties":false,"required":["fence","messages"],"properties":{
  "fence":{"type":"integer","minimum":1},
  "messages":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/components/schemas/AgentMessageInput"}}}},
"AppendedAgentMessages":{"type":"object","required":["data","added"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/AgentMessage"}},
  "added":{"type":"integer","description":"How many rows came of it, with the actions that a result brought along."}}},
"PlanInput":{"type":"object","additionalProperties":false,"required":["fence","actions"],"properties":{
  "fence":{"type":"integer","minimum":1},"round":{"type":"integer","minimum":1,"maximum":1000,"default":1},
  "actions":{"type":"array","minItems":1,"maxItems":100,"items":{"type":"object","additionalProperties":false,"properties":{
  "action_type":{"allOf":[{"$ref":"#/components/schemas/ActionType"}],"default":"tool_call"},
  "tool_name":{"type":"string","minLength":1,"maxLength":200,"description":"Required for a tool_call."},
  "arguments":{"type":"object"}}}}}},
"ToolCallWish":{"type":"object","additionalProperties":false,"required":["fence"],"properties":{
  "fence":{"type":"integer","minimum":1},
  "operation_id":{"type":"string","minLength":1,"maxLength":200,"description":"Of an action of the plan; or the caller's own, by which a repeated call is known. What changes something needs one."},
  "tool_name":{"type":"string","minLength":1,"maxLength":200,"description":"Of a call that is in no plan."},
  "arguments":{"type":"object","description":"As the tool's input schema has them."}}},
"CalledTool":{"type":"object","required":["action","result","waits_for","is_new"],"properties":{
  "action":{"$ref":"#/components/schemas/AgentMessage"},
  "result":{"description":"What it says is its content; what it refuses has `error_code` and `error_message` in its metadata.","anyOf":[{"$ref":"#/components/schemas/AgentMessage"},{"type":"null"}]},
  "waits_for":{"anyOf":[{"type":"object","required":["whom","id"],"properties":{
  "whom":{"type":"string","enum":["person","outside"]},"id":{"type":"string","description":"Of the interaction, or of the call that somebody outside carries out."}}},{"type":"null"}]},
  "is_new":{"type":"boolean","description":"false: it was done before, and this is what came of it."}}},
"Plan":{"type":"object","required":["run_key","round","agent_id","wake_id","created_at","actions"],"properties":{
  "run_key":{"type":"string"},"round":{"type":"integer"},"agent_id":{"type":"string"},"wake_id":{"type":"integer"},
  "created_at":{"$ref":"#/components/schemas/Time"},"actions":{"type":"array","items":{"type":"object",
  "required":["ordinal","action_type","tool_name","operation_id","arguments_hash","arguments","action_id","result"],"properties":{
  "ordinal":{"type":"integer","description":"1, 2, … over all rounds of the run."},
  "action_type":{"$ref":"#/components/schemas/ActionType"},"tool_name":{"$ref":"#/components/schemas/MaybeText"},
  "operation_id":{"type":"string","description":"Of the run's key, the ordinal and the tool: the same in every attempt."},
  "arguments_hash":{"type":"string"},"arguments":{"type":"object"},
  "action_id":{"description":"The message that says that it was begun.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "result":{"description":"It was done: not to be done again.","anyOf":[{"$ref":"#/components/schemas/AgentMessage"},{"type":"null"}]}}}}}},
"PlanList":{"type":"object","required":["data"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Plan"}}}})json";
}

}  // namespace belfry::net
