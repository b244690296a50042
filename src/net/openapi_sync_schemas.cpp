#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_sync_schemas() {
    return R"json("LinkState":{"type":"string","enum":["none","resting","calling","up"],
  "description":"`none`: it has no address here and has not called; `resting`: it could not be reached, or the link broke, and it is tried again."},
"Peer":{"type":"object","description":"Another device that shares what is here.","required":["id","name","address","host","link","connected",
  "connected_since","last_seen_at","added_at","revoked_at","unsent","unreceived","in_whole","last_error"],"properties":{
  "id":{"type":"string","description":"SHA-256 of its public key, as hex."},
  "name":{"type":"string"},
  "address":{"description":"Where it is called; null: it calls.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "host":{"description":"Device and incarnation, as it last said; null: it has not been here yet.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "link":{"$ref":"#/components/schemas/LinkState"},"connected":{"type":"boolean"},
  "connected_since":{"$ref":"#/components/schemas/MaybeTime"},"last_seen_at":{"$ref":"#/components/schemas/MaybeTime"},
  "added_at":{"$ref":"#/components/schemas/Time"},"revoked_at":{"$ref":"#/components/schemas/MaybeTime"},
  "unsent":{"type":"integer","minimum":0,"description":"Changes that are here and that it has not acknowledged."},
  "unreceived":{"type":"integer","minimum":0,"description":"Changes that it has said it has and that are not here."},
  "in_whole":{"type":"boolean","description":"It is telling all that it has, because its log does not reach back far enough."},
  "last_error":{"description":"Of the last try; null: none.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]}}},
"PeerList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/Peer"}},
  "next":{"type":"null"},"has_more":{"type":"boolean"}}},
"PairInput":{"type":"object","additionalProperties":false,"required":["code","at"],"properties":{
  "code":{"type":"string","minLength":1,"maxLength":100,"description":"As the other device shows it; grouping and capitals do not matter."},
  "at":{"type":"string","minLength":1,"maxLength":300,"description":"`host:port` where it listens."},
  "name":{"type":["string","null"],"minLength":1,"maxLength":100,"description":"What it is called here; as it calls itself unless told."}}},
"PairingCode":{"type":"object","required":["code","address","expires_at"],"properties":{
  "code":{"type":"string","description":"`K7QF-92MX-4TRA`."},
  "address":{"type":"string","description":"Where this device listens, as it was configured."},
  "expires_at":{"$ref":"#/components/schemas/Time"}}},
"HostPlace":{"type":"object","required":["host","settled","floor","is_own","is_sealed"],"properties":{
  "host":{"type":"string","description":"Device and incarnation."},
  "settled":{"type":"integer","minimum":0,"description":"All of its changes up to this are here."},
  "floor":{"type":"integer","minimum":0,"description":"Up to this the log here has none any more."},
  "is_own":{"type":"boolean"},"is_sealed":{"type":"boolean","description":"Whose it is, is known by the key of its device."}}},
"MissingRange":{"type":"object","required":["host","from","to","peer_id","since"],"properties":{
  "host":{"type":"string"},"from":{"type":"integer","minimum":1},"to":{"type":"integer","minimum":1},
  "peer_id":{"type":"string","description":"Who said first that it cannot give them."},
  "since":{"$ref":"#/components/schemas/Time"}}},
"SyncStatus":{"type":"object","required":["device","now","peers","hosts","missing","merges"],"properties":{
  "device":{"type":"object","required":["name","host","listens_on"],"properties":{
  "name":{"$ref":"#/components/schemas/MaybeText"},
  "host":{"description":"Device and incarnation; null: nothing was changed here yet.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "listens_on":{"description":"null: it does not listen for others.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]}}},
  "now":{"$ref":"#/components/schemas/Time"},
  "peers":{"type":"array","items":{"$ref":"#/components/schemas/Peer"}},
  "hosts":{"type":"array","items":{"$ref":"#/components/schemas/HostPlace"}},
  "missing":{"type":"array","items":{"$ref":"#/components/schemas/MissingRange"},"description":"Changes that nobody could give so far; the first of them."},
  "merges":{"type":"integer","minimum":0,"description":"Fields that were decided between two devices, ever."}}},
"MergeSide":{"type":"object","description":"What one of them wrote, and by which write.","required":["host","counter","version","value"],"properties":{
  "host":{"type":"string"},"counter":{"type":"integer","minimum":0},"version":{"type":"integer","minimum":0},
  "value":{"type":"string","description":"As JSON, shortened."}}},
"MergeNote":{"type":"object","description":"Why a field has the value that it has.","required":["number","at","kind","id","user_id","field","rule","kept","lost"],"properties":{
  "number":{"type":"integer","minimum":1},"at":{"$ref":"#/components/schemas/Time"},
  "kind":{"type":"string"},"id":{"type":"string"},"user_id":{"type":"string"},"field":{"type":"string"},
  "rule":{"type":"string","description":"Which decided: `latest`, `first`, `least`, …"},
  "kept":{"$ref":"#/components/schemas/MergeSide"},"lost":{"$ref":"#/components/schemas/MergeSide"}}},
"MergeNoteList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/MergeNote"}},
  "next":{"type":["integer","null"]},"has_more":{"type":"boolean"}}},
"SyncDigest":{"type":"object","required":["digest","records","has"],"properties":{
  "digest":{"type":"string"},"records":{"type":"integer","minimum":0},
  "has":{"type":"object","additionalProperties":{"type":"integer"},"description":"Of each host, up to which change."}}})json";
}

}  // namespace belfry::net
