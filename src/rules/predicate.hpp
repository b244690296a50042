#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/value.hpp"
#include "rules/predicate_path.hpp"
#include "rules/predicate_tree.hpp"

namespace belfry::rules {

// What a predicate is asked about: the caller's events, payloads and entities.
class PredicateFacts {
public:
    virtual ~PredicateFacts() = default;

    // The tree of a root (`payload`, `event`, `task`), null where there is none. Asked only when a condition needs it,
    // possibly several times; the tree must stay for as long as the evaluation lasts.
    [[nodiscard]] virtual const model::Value* root(std::string_view name) const = 0;
    // Whether the entity that changed has such a link to that one; without an id, to any.
    [[nodiscard]] virtual bool is_linked(std::string_view relation, std::optional<std::string_view> id) const = 0;
};

// A condition of a wake subscription over an event or a changed entity (docs/predicates.md). Read once, asked often.
class Predicate {
public:
    // `roots` are the names that a path may begin with. A refusal names the position and what was expected there; its
    // field is `predicate`. The bounds are those of base/wake_limits.hpp.
    static base::Result<Predicate> parse(std::string_view text, std::span<const std::string_view> roots);

    // Has an answer for whatever the facts hold. A path that leads nowhere is null. Values of different types are
    // unequal and have no order; numbers are ordered by value, texts by their bytes, `event.severity` by its rank.
    [[nodiscard]] bool holds(const PredicateFacts& facts) const;

    // The paths and the roots that it may read, each once, in the order in which they stand in it.
    [[nodiscard]] std::span<const PredicatePath> paths() const { return paths_; }
    [[nodiscard]] std::span<const std::string> roots() const { return roots_; }
    [[nodiscard]] bool has_links() const { return has_links_; }

    [[nodiscard]] std::string text() const;
    [[nodiscard]] const PredicateNode& tree() const { return tree_; }

private:
    explicit Predicate(PredicateNode tree);
    void note(const PredicateNode& node);
    void note(const PredicateOperand& operand);

    PredicateNode tree_;
    std::vector<PredicatePath> paths_;
    std::vector<std::string> roots_;
    bool has_links_ = false;
};

}  // namespace belfry::rules
