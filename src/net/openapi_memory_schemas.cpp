#include <string_view>

#include "net/openapi.hpp"

namespace belfry::net {

std::string_view openapi_memory_schemas() {
    return R"json("Summarizer":{"type":"string","enum":["rules","model"]},
"MemorySettings":{"type":"object","additionalProperties":false,
  "description":"How much of its memory an agent wants before it, and who folds it.","properties":{
  "budget_tokens":{"type":"integer","minimum":500,"maximum":1000000,"default":16000,"description":"Of all that it is told of its memory."},
  "hot_tokens":{"type":"integer","minimum":100,"maximum":1000000,"default":6000,"description":"Of raw messages of the thread."},
  "hot_messages":{"type":"integer","minimum":1,"maximum":200,"default":50},
  "summarizer":{"description":"Unless told, the model where the agent has one and the span has at least 2,000 tokens, else rules. A model needs role admin, or service without bounds.",
  "anyOf":[{"$ref":"#/components/schemas/Summarizer"},{"type":"null"}]},
  "base_url":{"type":["string","null"],"maxLength":4096,"description":"Of a model that makes summaries; the agent's own unless told."},
  "model":{"type":["string","null"],"maxLength":200},
  "key_env":{"type":["string","null"],"maxLength":200,"description":"The variable of the daemon's environment that holds its key."}}},
"MemoryItem":{"type":"object","required":["text","message_id","at"],"properties":{
  "text":{"type":"string"},"message_id":{"type":"string","format":"uuid","description":"Where it was said first; of what is closed, where it was closed."},
  "by":{"$ref":"#/components/schemas/Summarizer"},
  "at":{"description":"When it was said last.","anyOf":[{"$ref":"#/components/schemas/Time"}]}}},
"MemoryEvent":{"type":"object","required":["what","times","message_id"],"properties":{
  "what":{"type":"string","description":"`create_task: out_of_scope`; `create_task`."},"times":{"type":"integer"},
  "message_id":{"type":"string","format":"uuid","description":"Where it was seen last."}}},
"MemorySummary":{"type":"object","required":["text"],"properties":{
  "by":{"$ref":"#/components/schemas/Summarizer"},"text":{"type":"string"},
  "goals":{"type":"array","items":{"$ref":"#/components/schemas/MemoryItem"}},
  "decisions":{"type":"array","items":{"$ref":"#/components/schemas/MemoryItem"}},
  "open_loops":{"type":"array","items":{"$ref":"#/components/schemas/MemoryItem"}},
  "closed_loops":{"type":"array","items":{"$ref":"#/components/schemas/MemoryItem"},
    "description":"Goals and loops that were closed in it, wherever they were opened. Of a question that was asked before it, the text is the id of the message that asks."},
  "errors":{"type":"array","items":{"$ref":"#/components/schemas/MemoryEvent"}},
  "effects":{"type":"array","items":{"$ref":"#/components/schemas/MemoryEvent"},"description":"What tools have changed."},
  "counts":{"type":"object","additionalProperties":{"type":"integer"},"description":"Raw messages of each kind."},
  "left_out":{"type":"integer","description":"Items that had no room in it; the messages still have them."},
  "from":{"$ref":"#/components/schemas/Time"},"to":{"$ref":"#/components/schemas/Time"}}},
"RecalledSummary":{"type":"object","required":["id","thread_id","depth","start_message_id","end_message_id","summary","tokens"],"properties":{
  "id":{"type":"string","format":"uuid"},"thread_id":{"type":"string"},"depth":{"type":"integer","minimum":1},
  "start_message_id":{"type":"string","format":"uuid"},"end_message_id":{"type":"string","format":"uuid"},
  "summary":{"$ref":"#/components/schemas/MemorySummary"},"tokens":{"type":"integer"}}},
"MemoryChoice":{"type":"object","required":["part","id","tokens","fate"],"properties":{
  "part":{"type":"string","enum":["slots","carried","summary","message"]},
  "id":{"description":"Of the message or the summary.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "what":{"description":"Of what is carried on.","anyOf":[{"type":"string","enum":["goal","decision","open_loop"]},{"type":"null"}]},
  "tokens":{"type":"integer"},
  "fate":{"type":"string","enum":["included","over_budget","over_count","over_hot","no_content","told_raw"],
  "description":"`over_budget`: the rest of the budget, or of the 1 MB of messages, has no room for it; `over_count`, `over_hot`: beyond `hot_messages` or `hot_tokens`, and a summary covers the message; `no_content`: there is nothing in it to tell; `told_raw`: all messages of its span stand there with their whole content."}}},
"AssembledMemory":{"type":"object","required":["thread_id","budget_tokens","reserved_tokens","used_tokens","slots","goals",
  "decisions","open_loops","summaries","messages","left_out"],"properties":{
  "thread_id":{"type":"string"},"budget_tokens":{"type":"integer"},
  "reserved_tokens":{"type":"integer","description":"Of the budget, for what is delivered to the agent beside its memory."},
  "used_tokens":{"type":"integer","description":"By memory, without the reserved ones."},
  "slots":{"description":"As text; null: there are none, or no room.","anyOf":[{"$ref":"#/components/schemas/MaybeText"}]},
  "goals":{"type":"array","items":{"$ref":"#/components/schemas/MemoryItem"}},
  "decisions":{"type":"array","items":{"$ref":"#/components/schemas/MemoryItem"}},
  "open_loops":{"type":"array","items":{"$ref":"#/components/schemas/MemoryItem"}},
  "summaries":{"type":"array","items":{"$ref":"#/components/schemas/RecalledSummary"},"description":"The oldest first."},
  "messages":{"type":"array","items":{"$ref":"#/components/schemas/AgentMessage"},"description":"The oldest first: the hot window, and before it messages that no summary covers yet. In a claim only the latter: the window stands beside it."},
  "left_out":{"type":"integer","description":"Number of candidates that are not in the context, with messages beyond the 500 that are read."},
  "choices":{"type":"array","items":{"$ref":"#/components/schemas/MemoryChoice"},"description":"With `explain=1`: every candidate, in the order in which it is told."}}},
"MemoryThread":{"type":"object","required":["thread_id","agent_id","messages","hot_messages","hot_tokens","last_at","is_closed"],"properties":{
  "thread_id":{"type":"string","description":"`AGENT:session:ID`, `AGENT:run:…`."},"agent_id":{"type":"string"},
  "messages":{"type":"integer","description":"Raw ones, ever."},"hot_messages":{"type":"integer","description":"Those that no summary covers yet."},
  "hot_tokens":{"type":"integer"},"last_at":{"$ref":"#/components/schemas/Time"},
  "is_closed":{"type":"boolean","description":"Nothing more comes: all of it is folded."}}},
"MemoryThreadList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/MemoryThread"}},
  "next":{"$ref":"#/components/schemas/MaybeText"},"has_more":{"type":"boolean"}}},
"PlacedSummary":{"type":"object","required":["id","thread_id","depth","start_message_id","end_message_id","tokens",
  "folded_into","created_at","summary"],"properties":{
  "id":{"type":"string","format":"uuid","description":"Of its message; the same span has the same one on every device."},
  "thread_id":{"type":"string","description":"`AGENT:memory` from depth 2 on."},
  "depth":{"type":"integer","minimum":1,"description":"1: of raw messages; above: of summaries of the depth below."},
  "start_message_id":{"type":"string","format":"uuid"},"end_message_id":{"type":"string","format":"uuid"},
  "tokens":{"type":"integer"},"folded_into":{"$ref":"#/components/schemas/MaybeText"},
  "created_at":{"$ref":"#/components/schemas/Time"},"summary":{"$ref":"#/components/schemas/MemorySummary"}}},
"MemorySummaryList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/PlacedSummary"}},
  "next":{"type":"null"},"has_more":{"type":"boolean"}}},
"OpenedSummary":{"type":"object","required":["summary","data","next","has_more"],"properties":{
  "summary":{"$ref":"#/components/schemas/PlacedSummary"},
  "data":{"type":"array","items":{"$ref":"#/components/schemas/AgentMessage"}},
  "next":{"type":["integer","null"]},"has_more":{"type":"boolean"}}},
"RecalledMessage":{"type":"object","required":["message_id","thread_id","kind","created_at","words","snippet"],"properties":{
  "message_id":{"type":"string","format":"uuid"},"thread_id":{"type":"string"},
  "kind":{"$ref":"#/components/schemas/AgentMessageKind"},"created_at":{"$ref":"#/components/schemas/Time"},
  "words":{"type":"integer","description":"How many of the words it has."},"snippet":{"type":"string"}}},
"RecalledMessageList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/RecalledMessage"}},
  "next":{"type":"null"},"has_more":{"type":"boolean"}}},
"FoldState":{"type":"string","enum":["pending","running","done","failed_terminal"]},
"FoldJob":{"type":"object","required":["id","agent_id","thread_id","depth","state","attempts"],"properties":{
  "id":{"type":"string","format":"uuid"},"agent_id":{"type":"string"},"user_id":{"type":"string"},
  "thread_id":{"type":"string"},"depth":{"type":"integer"},
  "start_message_id":{"type":"string","format":"uuid"},"end_message_id":{"type":"string","format":"uuid"},
  "messages":{"type":"integer","description":"Of the span."},"state":{"$ref":"#/components/schemas/FoldState"},
  "attempts":{"type":"integer"},"next_attempt_at":{"$ref":"#/components/schemas/MaybeTime"},
  "lease_until":{"$ref":"#/components/schemas/MaybeTime"},
  "summarizer":{"description":"By which it is tried next, or was.","allOf":[{"$ref":"#/components/schemas/Summarizer"}]},
  "last_error":{"$ref":"#/components/schemas/MaybeText"},"created_at":{"$ref":"#/components/schemas/Time"},
  "updated_at":{"$ref":"#/components/schemas/Time"},"summary_id":{"$ref":"#/components/schemas/MaybeText"}}},
"FoldJobList":{"type":"object","required":["data","next","has_more"],"properties":{
  "data":{"type":"array","items":{"$ref":"#/components/schemas/FoldJob"}},
  "next":{"$ref":"#/components/schemas/MaybeText"},"has_more":{"type":"boolean"}}},
"FoldInput":{"type":"object","additionalProperties":false,"properties":{
  "thread_id":{"type":"string","minLength":1,"maxLength":500,"description":"All of them unless told."}}},
"FoldStarted":{"type":"object","required":["jobs"],"properties":{"jobs":{"type":"integer"}}},
"ForgetInput":{"type":"object","additionalProperties":false,"description":"One message, or what lies in a thread, before a time, or both.","properties":{
  "message_id":{"type":"string","format":"uuid"},"thread_id":{"type":"string","minLength":1,"maxLength":500},
  "before":{"$ref":"#/components/schemas/Time"}}},
"Forgotten":{"type":"object","required":["messages","summaries","has_more"],"properties":{
  "messages":{"type":"integer"},"summaries":{"type":"integer","description":"That were made of them."},"has_more":{"type":"boolean"}}},
"AgentLines":{"type":"string","description":"Lines of an export: `{\"agent\":…}`, then a `{\"message\":…}` a line, then `{\"end\":{}}`."},
"AgentImported":{"type":"object","required":["agent","added","unchanged"],"properties":{
  "agent":{"$ref":"#/components/schemas/Agent"},"added":{"type":"integer"},
  "unchanged":{"type":"integer","description":"Messages that were there already."}}})json";
}

}  // namespace belfry::net
