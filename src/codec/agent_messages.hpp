#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/raw_json.hpp"

// What was pulled, as the text that an agent's runtime puts into the context of its model.
namespace belfry::codec {

// One item of a hand-over, as far as its reader is to see it.
struct AgentItem {
    std::string_view handle;  // `n7`
    std::string_view priority;
    std::string_view subscriber;
    std::string_view directive;  // empty: none
    std::string_view content;
};

// All items between two tags:
//
//     <system_notification fence="F">
//     [n7 high tool_failure]
//     directive: …            (one line; only where there is one)
//     tool_fail: …
//     </system_notification fence="F">
//
// Nothing for no items. What came from events is data and must not end the text around it: `fence` is a word that the
// items do not hold, and besides, a `<` that begins either tag inside an item, in any case, becomes `‹`.
std::string wrap_for_agent(std::span<const AgentItem> items, std::string_view fence);

// The message lists of the usual model interfaces.
enum class AgentFormat { plain, openai, anthropic };
// Nothing for a name that is none of `openai` and `anthropic`.
std::optional<AgentFormat> parse_agent_format(std::string_view name);

// The text as messages of that interface: `[{"role":"developer","content":"…"}]` for openai,
// `[{"role":"user","content":[{"type":"text","text":"…"}]}]` for anthropic. Empty lists for an empty text and for
// plain.
void append_agent_messages(model::JsonWriter& writer, AgentFormat format, std::string_view text);

}  // namespace belfry::codec
