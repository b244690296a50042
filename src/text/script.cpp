#include "text/script.hpp"

#include <utility>

#include "model/value_json.hpp"

namespace belfry::text {
namespace {

using base::Code;
using model::JsonKind;
using model::JsonView;

// What one step may use: a script is a rule and no program.
constexpr TemplateLimits step_limits{1'000'000, 20'000, 16, std::size_t{64} << 10, std::size_t{16} << 20};

base::Error invalid(std::string place, std::string message) {
    return base::error(Code::invalid, std::move(message), std::move(place));
}

std::string name_of(std::string_view raw) {
    return JsonView{'"' + std::string(raw) + '"'}.as_text();
}

}  // namespace

base::Result<Template> compile_setting(const std::string& place, std::string_view source) {
    auto compiled = Template::compile(place, source);
    if (compiled.ok()) return compiled;
    return invalid(place, std::move(compiled).error().message);
}

base::Result<Script::Argument> Script::compile_argument(JsonView json, const std::string& place) {
    Argument argument;
    argument.kind = json.kind();
    if (argument.kind == JsonKind::string) {
        TRY_ASSIGN(argument.text, compile_setting(place, json.as_text()));
    } else if (argument.kind == JsonKind::object) {
        model::JsonWalker walker(json);
        std::string_view raw;
        while (const auto member = walker.next(&raw)) {
            std::string name = name_of(raw);
            TRY_ASSIGN(Argument one, compile_argument(*member, place + "." + name));
            one.name = std::move(name);
            argument.parts.push_back(std::move(one));
        }
    } else if (argument.kind == JsonKind::array) {
        model::JsonWalker walker(json);
        while (const auto item = walker.next()) {
            const std::string at = place + "[" + std::to_string(argument.parts.size()) + "]";
            TRY_ASSIGN(Argument one, compile_argument(*item, at));
            argument.parts.push_back(std::move(one));
        }
    } else {
        argument.literal = json.text;
    }
    return argument;
}

base::Result<Script::Step> Script::compile_step(JsonView json, const std::string& place) {
    if (json.kind() != JsonKind::object) return invalid(place, "must be an object with `do`");
    Step step;
    step.with.kind = JsonKind::object;
    model::JsonWalker walker(json);
    std::string_view name;
    while (const auto member = walker.next(&name)) {
        const std::string at = place + "." + std::string(name);
        if (name == "if") {
            if (member->kind() != JsonKind::string) return invalid(at, "must be an expression, as a text");
            TRY_ASSIGN(step.condition, compile_setting(at, "{% if " + member->as_text() + " %}1{% endif %}"));
        } else if (name == "do") {
            if (member->kind() != JsonKind::string) return invalid(at, "must be the name of a tool");
            step.tool = member->as_text();
        } else if (name == "with") {
            if (member->kind() != JsonKind::object) return invalid(at, "must be an object: the tool's arguments");
            TRY_ASSIGN(step.with, compile_argument(*member, at));
        } else {
            return invalid(at, "is unknown: a step has `if`, `do` and `with`");
        }
    }
    if (step.tool.empty()) return invalid(place + ".do", "is missing: the name of a tool");
    return step;
}

base::Result<Script> Script::compile(JsonView settings) {
    Script script;
    bool has_steps = false;
    model::JsonWalker members(settings);
    std::string_view name;
    while (const auto member = members.next(&name)) {
        if (name != "steps") return invalid(std::string(name), "is unknown: a script has `steps`");
        if (member->kind() != JsonKind::array) return invalid("steps", "must be a list");
        has_steps = true;
        model::JsonWalker walker(*member);
        while (const auto step = walker.next()) {
            if (script.steps_.size() == steps_max) {
                return base::error(Code::too_large, "has more than " + std::to_string(steps_max) + " entries", "steps");
            }
            TRY_ASSIGN(Step one, compile_step(*step, "steps[" + std::to_string(script.steps_.size()) + "]"));
            script.steps_.push_back(std::move(one));
        }
    }
    if (!has_steps || script.steps_.empty()) return invalid("steps", "must be given, with one step at the least");
    return script;
}

std::vector<Script::StepInfo> Script::steps() const {
    std::vector<StepInfo> all;
    for (const Step& step : steps_) {
        StepInfo& info = all.emplace_back(StepInfo{step.tool, {}});
        for (const Argument& argument : step.with.parts) info.arguments.push_back(argument.name);
    }
    return all;
}

base::Result<void> Script::render(const Argument& argument, const model::Value& variables, model::JsonWriter& writer) {
    switch (argument.kind) {
        case JsonKind::string: {
            TRY_ASSIGN(const std::string text, argument.text->render(variables, nullptr, step_limits));
            writer.text(text);
            return {};
        }
        case JsonKind::object:
            writer.begin_object();
            for (const Argument& one : argument.parts) {
                writer.name(one.name);
                TRY(render(one, variables, writer));
            }
            writer.end_object();
            return {};
        case JsonKind::array:
            writer.begin_array();
            for (const Argument& one : argument.parts) TRY(render(one, variables, writer));
            writer.end_array();
            return {};
        default: writer.raw(argument.literal); return {};
    }
}

base::Result<std::vector<Script::Call>> Script::calls(const model::Value& variables) const {
    std::vector<Call> calls;
    for (const Step& step : steps_) {
        if (step.condition) {
            TRY_ASSIGN(const std::string holds, step.condition->render(variables, nullptr, step_limits));
            if (holds.empty()) continue;
        }
        std::string arguments;
        model::JsonWriter writer(arguments);
        TRY(render(step.with, variables, writer));
        calls.push_back({step.tool, model::RawJson::trusted(std::move(arguments))});
    }
    return calls;
}

}  // namespace belfry::text
