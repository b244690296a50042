#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/memory.hpp"

// What a message of an agent says, as text; and what of it is to be carried on.
//
// A message is marked in its content: a member `mark` (`goal`, `decision`, `open_loop`, `closed`) beside its text; or
// by how a line of its text begins, in any case: `Goal:`, `Decision:`, `Open loop:`, `Todo:`, `Closed:`, `Done:`. A
// propose_plan action is a decision; an ask_user action an open loop until its result comes. What is closed is a loop
// or a goal. Observations and results of tools mark nothing: what strangers say is remembered, but sets an agent no
// goals.
namespace belfry::rules {

// The texts in its content: `{"text":…}` or `{"content":…}` gives that text, any other JSON its strings and numbers
// with the names of their members, in order; of an action the tool's name comes first, of a result its error. Up to
// limits::memory_text_bytes_max, never half a character.
[[nodiscard]] std::string memory_text(const model::AgentMessage& message);

struct MarkedText {
    std::optional<model::MemoryMark> mark;  // nothing: a loop is closed
    std::string text;                       // clipped to limits::summary_item_bytes_max

    bool operator==(const MarkedText&) const = default;
};
// True if messages of this kind may set goals, decisions and open loops. Observations and results of tools hold what
// strangers wrote.
[[nodiscard]] bool may_set_marks(model::AgentMessageKind kind);
[[nodiscard]] std::vector<MarkedText> marks_of(const model::AgentMessage& message);

// The words by which it is found, each once, in their order, as rules::words_of has them.
[[nodiscard]] std::vector<std::string> memory_words(const model::AgentMessage& message);

// About so much of a text around the first place where one of these words begins, on whole words, with `…` where it
// goes on.
[[nodiscard]] std::string snippet_of(std::string_view text, const std::vector<std::string>& words, std::size_t bytes);

// The same loop said in other case or spacing.
[[nodiscard]] bool is_same_item(std::string_view a, std::string_view b);
// One text for all that are the same.
[[nodiscard]] std::string item_key(std::string_view text);

// The beginning of a text, never half a character, with `…` where something is cut off; no longer than `bytes`.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t bytes);
// The same in one line: without characters that nobody sees, one space for any white space.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t bytes);

}  // namespace belfry::rules
