#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_interaction_schemas() {
    return R"json("InteractionKind":{"type":"string","enum":["confirmation","elicitation"]},
"InteractionState":{"type":"string","enum":["pending","answered","expired","withdrawn"]},
"InteractionInput":{"type":"object","required":["kind","message"],"additionalProperties":false,"properties":{
  "kind":{"$ref":"#/components/schemas/InteractionKind"},"message":{"type":"string","minLength":1,"maxLength":8192},
  "tool_name":{"type":"string","minLength":1,"maxLength":256},"arguments":{"type":"object"},
  "schema":{"type":"object","description":"Of an elicitation: what is asked for, as JSON Schema; what is accepted is checked against it."},
  "run_id":{"type":"integer","minimum":1,"description":"Whose stream hears of it, too."},
  "timeout_s":{"type":"integer","minimum":1,"maximum":300,"default":300}}},
"InteractionAnswer":{"type":"object","additionalProperties":false,"properties":{
  "decision":{"type":"string","enum":["allow_once","always_allow","deny"],"description":"To a confirmation."},
  "action":{"type":"string","enum":["accept","decline","cancel"],"description":"To an elicitation."},
  "content":{"type":"object","description":"With action accept."}}},
"Interaction":{"type":"object","required":["id","kind","session_id","user_id","run_id","state","message","tool_name",
  "arguments","schema","answer","answered_by","always_allowed","created_at","expires_at","ended_at"],"properties":{
  "id":{"type":"string","format":"uuid"},"kind":{"$ref":"#/components/schemas/InteractionKind"},
  "session_id":{"type":"string"},"user_id":{"type":"string"},"run_id":{"type":["integer","null"]},
  "state":{"$ref":"#/components/schemas/InteractionState"},"message":{"type":"string"},
  "tool_name":{"$ref":"#/components/schemas/MaybeText"},"arguments":{"type":["object","null"]},
  "schema":{"type":["object","null"]},"answer":{"type":["object","null"]},
  "answered_by":{"$ref":"#/components/schemas/MaybeText"},
  "always_allowed":{"type":"boolean","description":"By this answer the tool is used in this session without asking."},
  "created_at":{"$ref":"#/components/schemas/Time"},"expires_at":{"$ref":"#/components/schemas/Time"},"ended_at":{"$ref":"#/components/schemas/MaybeTime"}}},
"InteractionList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Interaction"}},"next":{"type":["integer","null"]},
  "has_more":{"type":"boolean"}}},
"UserMessage":{"type":"object","required":["id","content","metadata","created_at"],"properties":{
  "id":{"type":"string","format":"uuid"},"content":{"type":"string"},"metadata":{"type":"object"},
  "created_at":{"$ref":"#/components/schemas/Time"}}})json";
}

}  // namespace belfry::net
