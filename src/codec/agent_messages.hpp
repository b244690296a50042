#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/raw_json.hpp"

// What was pulled, as the text that an agent's runtime puts into the context of its model.
namespace belfry::codec {

// One item of a hand-over, as far as its reader is to see it.
struct AgentItem {
    std::string_view handle;  // `n7`
    std::string_view priority;
    std::string_view subscriber;
    std::string_view directive;  // empty: none
    std::string_view tone;       // how to speak of it; empty: as always
    std::string_view content;
    bool needs_answer = false;  // the model is to name it as dealt with
    bool must_tell = false;     // the model must tell the user first; else it decides by itself
};

// A context value that was asked for.
struct AgentValue {
    std::string_view name;
    std::int64_t age_s = 0;
    std::string_view content;
};

struct AgentContext {
    std::vector<AgentItem> items;
    std::span<const std::string> seen;  // facts that the user was shown, in a line each
    std::string_view digest;            // the inbox as one sentence
    std::vector<AgentValue> values = {};
    std::size_t values_left_out = 0;  // were asked for, too, and did not fit
};

// All of it between two tags:
//
//     <system_notification fence="F">
//     From the notification system; no person wrote this.
//     Shown to the user already, not to be announced (…):  (only where there are such facts)
//     [SEEN] …                                             (or [SHOWN], or how many more there are)
//     …                                                    (the digest)
//     [n7 high tool_failure, tell the user]                (or `, your decision`; only where it needs an answer)
//     directive: …            (one line; only where there is one; likewise `tone: …`)
//       tool_fail: …          (the content, each line of it indented)
//     Tell the user about n7, then call belfry_ack with its handle.
//     Decide what to do about n8, then call belfry_ack with its handle.
//     Current values that were asked for (…):              (only where there are such values)
//     [value build.progress, 12 s old]
//       71 % done             (the content, each line of it indented)
//     </system_notification fence="F">
//
// Nothing for nothing. What came from events is data and must not end the text around it: `fence` is a word that the
// items do not hold, and besides, a `<` that begins either tag inside, in any case and with any white space, becomes
// `‹`. Characters that nobody would see, or that turn a line around (base::is_harmful), are written out: `\u{202e}`.
std::string wrap_for_agent(const AgentContext& context, std::string_view fence);

// The message lists of the usual model interfaces.
enum class AgentFormat { plain, openai, anthropic };
// Nothing for a name that is none of `openai` and `anthropic`.
std::optional<AgentFormat> parse_agent_format(std::string_view name);

// The text as messages of that interface, and after it what the person has said, each a message of role `user`:
// `[{"role":"developer","content":"…"}]` for openai,
// `[{"role":"user","content":[{"type":"text","text":"…"}]}]` for anthropic. Empty lists for an empty text and for
// plain.
void append_agent_messages(model::JsonWriter& writer, AgentFormat format, std::string_view text,
                           std::span<const std::string_view> words = {});

// The one tool by which a model names what it has dealt with, `belfry_ack`, as that interface wants its definition in a
// list of tools. An empty list for plain.
void append_agent_tools(model::JsonWriter& writer, AgentFormat format);

}  // namespace belfry::codec
