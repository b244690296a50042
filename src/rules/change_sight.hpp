#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/change_log.hpp"

// What an agent is told of changes of the journal: those of its categories, as their tokens say, and of these nothing
// that names what lies outside. Other changes are told as they are.
namespace belfry::rules {

// Whether it can be told of it at all, as far as that is known without reading a record.
[[nodiscard]] bool may_be_told(const model::Change& change, std::span<const std::string> allowed);

// The records that a change names beside its own: whether they are seen decides what is told. Of a link both its ends.
[[nodiscard]] std::vector<std::string> named_by(const model::Change& change);

// The change as it is told. `seen` are those of `named_by` that are of allowed categories. Nothing: it is not told, as
// of a link of which one end is not seen. Of a record that has left the allowed categories only that it was there.
[[nodiscard]] std::optional<model::Change> told_part(model::Change change, std::span<const std::string> allowed,
                                                     const std::set<std::string>& seen);

}  // namespace belfry::rules
