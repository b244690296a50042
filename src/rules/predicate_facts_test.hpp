#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "model/value_json.hpp"
#include "rules/predicate.hpp"

namespace belfry::rules {

inline constexpr std::array<std::string_view, 3> test_roots{"event", "payload", "task"};

// Facts out of one JSON object, by root. The entity is linked as `project` to p-1 and as `parent` to t-0.
class TestFacts final : public PredicateFacts {
public:
    explicit TestFacts(std::string_view json) : roots_(model::value_from({json})) {}
    explicit TestFacts(model::Value roots) : roots_(std::move(roots)) {}

    [[nodiscard]] const model::Value* root(std::string_view name) const override {
        ++asked_;
        return roots_.find(name);
    }
    [[nodiscard]] bool is_linked(std::string_view relation, std::optional<std::string_view> id) const override {
        ++asked_;
        return (relation == "project" && id.value_or("p-1") == "p-1") ||
               (relation == "parent" && id.value_or("t-0") == "t-0");
    }
    [[nodiscard]] int asked() const { return asked_; }

private:
    model::Value roots_;
    mutable int asked_ = 0;
};

}  // namespace belfry::rules
