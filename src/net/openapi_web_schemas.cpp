#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_web_schemas() {
    return R"json("Link":{"type":"object","required":["code","url","expires_in"],"properties":{"code":{"type":"string"},
  "url":{"type":"string"},
  "expires_in":{"type":"integer"}}},
"LinkCode":{"type":"object","required":["code"],"additionalProperties":false,"properties":{
  "code":{"type":"string","minLength":1,"maxLength":200}}},
"Me":{"type":"object","required":["principal","role","user_id","owner","version","started_at"],"properties":{
  "principal":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},"user_id":{"type":["string","null"]},
  "owner":{"type":"string"},"version":{"type":"string"},"started_at":{"type":"string","format":"date-time"}}},
"LedgerSummary":{"type":"object","required":["total","states","failures","waiting_events","oldest_open_at"],
  "properties":{"total":{"type":"integer"},
  "states":{"type":"object","additionalProperties":{"type":"integer"}},
  "failures":{"type":"array","items":{"type":"object","required":["outcome","count"],"properties":{
    "outcome":{"type":"string"},"count":{"type":"integer"}}}},
  "waiting_events":{"type":"integer","description":"Events in batches that are still open."},
  "oldest_open_at":{"type":["string","null"],"format":"date-time"}}},
"SubscriberTest":{"type":"object","additionalProperties":false,"properties":{
  "events":{"type":"array","maxItems":1000,"items":{"$ref":"#/components/schemas/EventInput"}}}},
"Rehearsal":{"type":"object","required":["subscriber","events","not_wanted","notifications"],"properties":{
  "subscriber":{"type":"string"},"events":{"type":"array","items":{"$ref":"#/components/schemas/Event"}},
  "not_wanted":{"type":"integer","description":"Events of other types, sources or severities."},
  "notifications":{"type":"array","items":{"type":"object","required":["content","text"],"properties":{
    "subscriber":{"type":"string"},"priority":{"$ref":"#/components/schemas/Priority"},
    "inject_at":{"type":"string"},"severity":{"$ref":"#/components/schemas/Severity"},
    "follow_up":{"type":"boolean"},"rows":{"type":"integer"},"events":{"type":"integer"},
    "tokens":{"type":"integer"},"content":{"type":"string"},"text":{"type":"string"},
    "used_fallback":{"type":"boolean"},"problem":{"type":"string"}}}}}})json";
}

}  // namespace belfry::net
