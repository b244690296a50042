#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/journal.hpp"

// Records name others, which may be of other categories, and a day plan holds blocks of many. Somebody who is allowed
// some categories sees, and changes, only what is of those. Labels are for all, and whoever is
// allowed anything sees that there is a plan.
namespace belfry::rules {

// The ids of all that a record names and that not everybody may see.
[[nodiscard]] std::vector<std::string> named_by(const model::JournalBody& body);

// Whether the record itself must not be seen, whatever its category: the id of a session's rating has that of the time
// entry. `seen` are those of `named_by` that he may see, here and below.
[[nodiscard]] bool is_hidden(const model::JournalBody& body, const std::set<std::string>& seen);

// What he may not see goes: the names of others that are not among `seen`, and of a plan the blocks of other
// categories.
void hide_unseen(model::JournalBody& body, std::span<const std::string> categories, const std::set<std::string>& seen);

// Of a plan, what is its own, its note and the members of others, is for those who are allowed its category.
void hide_own_part(model::JournalRecord& record, std::span<const std::string> categories);

// What he was not shown is not his to leave out: it is in the changed record as it was before.
void keep_unseen(const model::JournalBody& before, model::JournalBody& after, std::span<const std::string> categories,
                 const std::set<std::string>& seen);

// Whether he wishes for a block whose id is that of one which he was not shown.
[[nodiscard]] bool takes_unseen_block(const model::JournalBody& before, const model::JournalBody& wish,
                                      std::span<const std::string> categories);

}  // namespace belfry::rules
