#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_change_set_schemas() {
    return R"json("ChangeItemState":{"type":"string","enum":["proposed","accepted","rejected","failed"]},
"ChangeSetHead":{"type":"object","required":["id","number","user_id","agent_id","agent_name","wake_id","run_id",
  "thread_id","session_id","state","counts","created_at","updated_at","decided_at"],"properties":{
  "id":{"type":"string","format":"uuid"},"number":{"type":"integer","description":"Its place among all."},
  "user_id":{"type":"string"},"agent_id":{"type":"string"},
  "agent_name":{"type":"string","description":"How the agent was called then."},"wake_id":{"type":"integer"},
  "run_id":{"type":["integer","null"]},"thread_id":{"type":"string"},
  "session_id":{"$ref":"#/components/schemas/MaybeText"},
  "state":{"type":"string","enum":["open","decided"],"description":"Open while something of it is proposed."},
  "counts":{"type":"object","required":["proposed","accepted","rejected","failed"],"properties":{
    "proposed":{"type":"integer"},"accepted":{"type":"integer"},"rejected":{"type":"integer"},
    "failed":{"type":"integer"}}},
  "created_at":{"$ref":"#/components/schemas/Time"},"updated_at":{"$ref":"#/components/schemas/Time"},
  "decided_at":{"$ref":"#/components/schemas/MaybeTime"}}},
"ChangeItem":{"type":"object","required":["number","tool_name","operation_id","state","arguments","changes","result",
  "error","created_at","decided_at","decided_by"],"properties":{
  "number":{"type":"integer"},"tool_name":{"type":"string"},"operation_id":{"type":"string"},
  "state":{"$ref":"#/components/schemas/ChangeItemState"},"arguments":{"type":"object"},
  "changes":{"type":"array","description":"What it would have changed when it was proposed; the first hundred.",
    "items":{"type":"object","required":["change","kind"],"properties":{
    "change":{"type":"string","enum":["made","changed","deleted"]},"kind":{"type":"string"},
    "id":{"type":"string","description":"Not of what would be made."},"title":{"type":"string"}}}},
  "result":{"type":["object","null"],"description":"What the tool said, of an accepted one."},
  "error":{"description":"Of a failed one: what the tool refused.","anyOf":[{"type":"null"},{"type":"object",
    "required":["code","message"],"properties":{"code":{"type":"string"},"message":{"type":"string"}}}]},
  "created_at":{"$ref":"#/components/schemas/Time"},"decided_at":{"$ref":"#/components/schemas/MaybeTime"},
  "decided_by":{"$ref":"#/components/schemas/MaybeText"}}},
"ChangeSet":{"allOf":[{"$ref":"#/components/schemas/ChangeSetHead"},{"type":"object","required":["items"],"properties":{
  "items":{"type":"array","items":{"$ref":"#/components/schemas/ChangeItem"}}}}]},
"ChangeSetList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/ChangeSetHead"}},"next":{"type":["integer","null"]},
  "has_more":{"type":"boolean"}}})json";
}

}  // namespace belfry::net
