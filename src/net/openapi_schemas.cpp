#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_event_schemas() {
    return R"json("Severity":{"type":"string","enum":["debug","info","warning","error","critical"]},
"Role":{"type":"string","enum":["admin","service","user","agent","emitter"]},
"Sequence":{"type":"integer","minimum":0},
"Event":{"type":"object","required":["id","type","source","severity","timestamp","payload"],"properties":{
  "id":{"type":"string","format":"uuid"},"type":{"type":"string","maxLength":200},"source":{"type":"string"},
  "severity":{"$ref":"#/components/schemas/Severity"},"timestamp":{"type":"string","format":"date-time"},
  "payload":{"type":"object"},"dedupe_key":{"type":"string"},"user_id":{"type":"string"},
  "session_id":{"type":"string"},"run_id":{"type":"integer"},"agent_id":{"type":"string"},
  "source_id":{"type":"string"},"tokens":{"type":"array","items":{"type":"string"}}},"additionalProperties":true},
"NewEvent":{"type":"object","required":["type","source"],"properties":{
  "id":{"type":"string","description":"The producer's own; a repeat is known by it."},
  "type":{"type":"string","maxLength":200,"pattern":"^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)+$"},
  "source":{"type":"string"},"severity":{"$ref":"#/components/schemas/Severity"},
  "timestamp":{"type":"string","format":"date-time"},"payload":{"type":"object"},"dedupe_key":{"type":"string"},
  "user_id":{"type":"string"},"session_id":{"type":"string"},"run_id":{"type":"integer","minimum":1},
  "agent_id":{"type":"string"},"tokens":{"type":"array","items":{"type":"string"}}},"additionalProperties":true},
"EventInput":{"oneOf":[{"$ref":"#/components/schemas/NewEvent"},
  {"type":"array","minItems":1,"maxItems":1000,"items":{"$ref":"#/components/schemas/NewEvent"}}]},
"CloudEvent":{"type":"object","required":["specversion","type","source","id"],"properties":{
  "specversion":{"const":"1.0"},"type":{"type":"string"},"source":{"type":"string"},"id":{"type":"string"},
  "time":{"type":"string","format":"date-time"},"data":{},"data_base64":{"type":"string"}},
  "additionalProperties":true},
"Admitted":{"type":"object","required":["id","sequence"],"properties":{"id":{"type":"string","format":"uuid"},
  "sequence":{"$ref":"#/components/schemas/Sequence"}}},
"BatchResult":{"type":"object","required":["accepted","refused","data"],"properties":{"accepted":{"type":"integer"},
  "refused":{"type":"integer"},"data":{"type":"array","items":{"oneOf":[{"$ref":"#/components/schemas/Admitted"},
  {"type":"object","required":["error"],"properties":{"error":{"type":"object","required":["code","detail"],
  "properties":{"code":{"type":"string"},"detail":{"type":"string"},"field":{"type":"string"}}}}}]}}}},
"Accepted":{"oneOf":[{"$ref":"#/components/schemas/Admitted"},{"$ref":"#/components/schemas/BatchResult"}]},
"AuditRecord":{"type":"object","required":["action","at","by"],"properties":{"action":{"type":"string"},
  "at":{"type":"string","format":"date-time"},"by":{"type":"string"}},"additionalProperties":true},
"StreamContent":{"description":"Of `events` an Event, of `audit` an AuditRecord, of `inbox:USER` an InboxMessage, of `agent:USER` a TurnRequest.",
  "anyOf":[{"$ref":"#/components/schemas/Event"},{"$ref":"#/components/schemas/AuditRecord"},
  {"$ref":"#/components/schemas/InboxMessage"},{"$ref":"#/components/schemas/TurnRequest"}]},
"Entry":{"type":"object","required":["sequence"],"properties":{"sequence":{"$ref":"#/components/schemas/Sequence"},
  "event":{"$ref":"#/components/schemas/StreamContent"},"erased":{"const":true}}},
"StreamPage":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Entry"}},
  "next":{"$ref":"#/components/schemas/Sequence"},"has_more":{"type":"boolean"},
  "gap":{"type":"object","required":["from","to"],"properties":{
  "from":{"$ref":"#/components/schemas/Sequence"},"to":{"$ref":"#/components/schemas/Sequence"}}}}},
"StreamMessage":{"oneOf":[{"type":"object","required":["type","sequence"],"properties":{"type":{"const":"entry"},
  "sequence":{"$ref":"#/components/schemas/Sequence"},"event":{"$ref":"#/components/schemas/StreamContent"},
  "erased":{"const":true}}},
  {"type":"object","required":["type","from","to"],"properties":{"type":{"const":"gap"},
  "from":{"$ref":"#/components/schemas/Sequence"},"to":{"$ref":"#/components/schemas/Sequence"}}},
  {"type":"object","required":["type"],"description":"Of a WebSocket, where nothing else came for a while: the line is alive.",
  "properties":{"type":{"const":"beat"}}},
  {"type":"object","required":["type","reason"],"properties":{"type":{"const":"close"},
  "reason":{"type":"string","enum":["stopping","slow_reader","silent","revoked","store"]}}}]},
"Stream":{"type":"object","required":["name","head","floor"],"properties":{"name":{"type":"string"},
  "head":{"$ref":"#/components/schemas/Sequence"},"floor":{"$ref":"#/components/schemas/Sequence"}}},
"StreamList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Stream"}},"next":{"type":["integer","null"]},
  "has_more":{"type":"boolean"}}},
"Bounds":{"type":"object","properties":{"users":{"type":"array","items":{"type":"string"}},
  "sessions":{"type":"array","items":{"type":"string"}},"type_prefixes":{"type":"array","items":{"type":"string"}},
  "severity_max":{"oneOf":[{"$ref":"#/components/schemas/Severity"},{"type":"null"}]}}},
"TokenInput":{"type":"object","required":["name","role"],"additionalProperties":false,"properties":{
  "name":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},"user_id":{"type":["string","null"]},
  "ttl_s":{"type":["integer","null"],"minimum":1},"events_per_second":{"type":"integer","minimum":0},
  "bounds":{"$ref":"#/components/schemas/Bounds"}}},
"Token":{"type":"object","required":["id","name","role","created_at"],"properties":{"id":{"type":"string"},
  "name":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},"user_id":{"type":["string","null"]},
  "events_per_second":{"type":"integer"},"bounds":{"$ref":"#/components/schemas/Bounds"},
  "created_at":{"type":"string","format":"date-time"},"expires_at":{"type":["string","null"],"format":"date-time"},
  "created_by":{"type":"string"}}},
"MintedToken":{"allOf":[{"$ref":"#/components/schemas/Token"},{"type":"object","required":["token"],
  "properties":{"token":{"type":"string"}}}]},
"TokenList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Token"}},"next":{"type":"null"},
  "has_more":{"type":"boolean"}}},
"Ticket":{"type":"object","required":["ticket","expires_in"],"properties":{"ticket":{"type":"string"},
  "expires_in":{"type":"integer"}}},
"ErasureInput":{"type":"object","required":["user_id"],"additionalProperties":false,
  "properties":{"user_id":{"type":"string"}}},
"ErasureAccepted":{"type":"object","required":["id"],"properties":{"id":{"type":"string","format":"uuid"}}},
"Erasure":{"type":"object","required":["id","state","attempts","created_at"],"properties":{
  "id":{"type":"string","format":"uuid"},"state":{"type":"string","enum":["pending","running","done"]},
  "attempts":{"type":"integer"},"created_at":{"type":"string","format":"date-time"},
  "finished_at":{"type":["string","null"],"format":"date-time"},"progress":{"type":"object"},
  "last_error":{"type":["string","null"]}}},
"Status":{"type":"object","required":["readiness","version","store","streams"],"properties":{
  "readiness":{"type":"string","enum":["starting","ready","store_down","standby","stopping"]},
  "version":{"type":"string"},"pid":{"type":"integer"},"started_at":{"type":"string","format":"date-time"},
  "now":{"type":"string","format":"date-time"},"store":{"type":"object","properties":{"backend":{"type":"string"},
  "location":{"type":"string"},"commit_number":{"type":"integer"},"epoch":{"type":"integer"},
  "index_rows":{"type":"integer"},"file_bytes":{"type":"integer"},"wal_bytes":{"type":"integer"},
  "schema_version":{"type":"integer"},"error":{"type":"string","description":"Why the store could not be read; the other members then say nothing."}}},
  "streams":{"type":"array","items":{"$ref":"#/components/schemas/Stream"}},"queue_commands":{"type":"integer"},
  "queue_bytes":{"type":"integer"},"connections":{"type":"integer"}}},
"Health":{"type":"object","required":["status"],"properties":{"status":{"type":"string"}}},
"OpenApi":{"type":"object","required":["openapi","paths"]},
"Problem":{"type":"object","required":["type","title","status","code","detail"],"properties":{
  "type":{"const":"about:blank"},"title":{"type":"string"},"status":{"type":"integer"},
  "code":{"type":"string","enum":["invalid","malformed","too_large","unauthenticated","forbidden","not_found","gone",
  "conflict","not_acceptable","unsupported","rate_limited","overloaded","unavailable","outcome_unknown","timeout","io",
  "internal"]},"detail":{"type":"string"},"field":{"type":"string"},
  "reason":{"type":"string","description":"A stable word where the code alone does not tell: `stale_lease`."},
  "head":{"type":"integer","description":"Of `taken`: the last sequence that the run has."},
  "line":{"type":"integer","description":"Of lines into a run: the one that was refused."},
  "accepted":{"type":"integer","description":"Of lines into a run: how many before it are on disk."},
  "first":{"type":["integer","null"],"description":"The sequence of the first of those."},
  "last":{"type":["integer","null"],"description":"The sequence of the last of those."}}})json";
}

}  // namespace belfry::net
