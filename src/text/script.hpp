#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/raw_json.hpp"
#include "text/template.hpp"

namespace belfry::text {

// The steps of a script agent, compiled:
//
//     {"steps": [{"if": "signals|length > 1", "do": "notify_user", "with": {"text": "{{ signals[0].body.type }}"}}]}
//
// Each step that has no condition, or whose condition holds, is one call of a tool. Every text in `with`, at any depth,
// is a template; all else stays as it is. Deterministic: the same variables give the same calls.
class Script {
public:
    static constexpr std::size_t steps_max = 50;

    struct Call {
        std::string tool;
        model::RawJson arguments;

        bool operator==(const Call&) const = default;
    };
    // What a step calls, before anything is rendered.
    struct StepInfo {
        std::string_view tool;
        std::vector<std::string_view> arguments;  // their names
    };

    // An error names where it is: `steps[2].with.text`.
    static base::Result<Script> compile(model::JsonView settings);

    [[nodiscard]] std::vector<StepInfo> steps() const;
    // The calls over the members of `variables`, an object. An error is that of a template, with its place.
    [[nodiscard]] base::Result<std::vector<Call>> calls(const model::Value& variables) const;

private:
    // A tree of JSON whose texts are templates.
    struct Argument {
        std::string name;  // of a member of an object
        model::JsonKind kind = model::JsonKind::null;
        std::string literal;            // JSON, where it is none of the others
        std::optional<Template> text;   // of a text
        std::vector<Argument> parts{};  // of an object or an array
    };
    struct Step {
        std::optional<Template> condition;
        std::string tool;
        Argument with;
    };

    static base::Result<Step> compile_step(model::JsonView step, const std::string& place);
    static base::Result<Argument> compile_argument(model::JsonView json, const std::string& place);
    static base::Result<void> render(const Argument& argument, const model::Value& variables,
                                     model::JsonWriter& writer);

    std::vector<Step> steps_;
};

// Checks a text as a template; an error names `place`.
base::Result<Template> compile_setting(const std::string& place, std::string_view source);

}  // namespace belfry::text
