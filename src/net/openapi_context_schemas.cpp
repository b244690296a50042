#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_context_schemas() {
    return R"json("ContextName":{"type":"string","maxLength":100,"pattern":"^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)+$"},
"ContextInput":{"type":"object","required":["content"],"additionalProperties":false,"properties":{
  "content":{"type":"string","minLength":1,"description":"The value, at most 16,384 bytes of text."},
  "user_id":{"type":"string","maxLength":200,"description":"Default: the user of the session, else of the token, else the owner."},
  "session_id":{"type":"string","maxLength":200,"description":"Only pulls of this session return the value."},
  "agent_id":{"type":"string","maxLength":200,"description":"Only pulls of sessions of this agent return the value."},
  "ttl_s":{"type":"integer","minimum":1,"maximum":86400,"default":300,"description":"The value expires after so many seconds."}}},
"ContextValue":{"type":"object","required":["name","user_id","session_id","agent_id","content","updated_at","expires_at","set_by"],"properties":{
  "name":{"$ref":"#/components/schemas/ContextName"},"user_id":{"type":"string"},
  "session_id":{"$ref":"#/components/schemas/MaybeText"},"agent_id":{"$ref":"#/components/schemas/MaybeText"},
  "content":{"type":"string"},"updated_at":{"$ref":"#/components/schemas/Time"},
  "expires_at":{"$ref":"#/components/schemas/Time"},
  "set_by":{"description":"The token that set the value; null for a user's token.","$ref":"#/components/schemas/MaybeText"}}},
"ContextValueList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/ContextValue"}},"next":{"type":"null"},
  "has_more":{"type":"boolean"}}},
"ContextInPull":{"type":"array","description":"Only if context was asked for: the values, in the order of the request.",
  "items":{"type":"object","required":["name","session_id","agent_id","content","updated_at","expires_at"],"properties":{
  "name":{"$ref":"#/components/schemas/ContextName"},"session_id":{"$ref":"#/components/schemas/MaybeText"},
  "agent_id":{"$ref":"#/components/schemas/MaybeText"},"content":{"type":"string"},
  "updated_at":{"$ref":"#/components/schemas/Time"},"expires_at":{"$ref":"#/components/schemas/Time"}}}},
"ContextLeftOut":{"type":"array","items":{"$ref":"#/components/schemas/ContextName"},
  "description":"Only if context was asked for: names of values that did not fit into the token budget."})json";
}

}  // namespace belfry::net
