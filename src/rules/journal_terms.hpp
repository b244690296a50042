#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/journal.hpp"

// What records are found by (ports/store_journal.hpp).
//
//   k:task            its kind                     c:gym              its category
//   k:task@gym        both
//   w:milk            a word of its texts, in small letters
//   s:task:done       a status of tasks, a type of entries, a target of ratings
//   l:0198…           a label of a task            p:0198…            what it belongs to: a checklist's task, an
//   d:2026-11-16      a task's due date, while it  item's checklist, a time entry's task, a rating's target
//                     is not closed                t:running          a timer without an end
//   g:0198…           what it is deleted with: a checklist's task, an item's checklist
namespace belfry::rules {

// In order, each once. Of a tombstone none.
[[nodiscard]] std::vector<std::string> terms_of(const model::JournalRecord& record);

[[nodiscard]] std::string kind_term(model::JournalKind kind);
[[nodiscard]] std::string kind_term(model::JournalKind kind, std::string_view category_id);
[[nodiscard]] std::string category_term(std::string_view category_id);
[[nodiscard]] std::string state_term(model::JournalKind kind, std::string_view name);
[[nodiscard]] std::string label_term(std::string_view label_id);
[[nodiscard]] std::string parent_term(std::string_view id);
[[nodiscard]] std::string follower_term(std::string_view id);
[[nodiscard]] std::string due_term(std::string_view date);
[[nodiscard]] std::string word_term(std::string_view word);
inline constexpr std::string_view running_term = "t:running";

// The words of a text as terms have them: runs of letters and digits in small letters (as far as Unicode's simple
// folding of Latin, Greek and Cyrillic goes), each once, in their order.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace belfry::rules
