#include "rules/predicate_path.hpp"

#include "model/value_json.hpp"
#include "rules/predicate_lexer.hpp"

namespace belfry::rules {
namespace {

using model::Value;

void append_step(std::string& out, const PathStep& step) {
    if (const auto* index = std::get_if<std::uint32_t>(&step)) {
        out.append(1, '[').append(std::to_string(*index)).append(1, ']');
        return;
    }
    const std::string& name = *std::get_if<std::string>(&step);
    if (is_predicate_name(name)) {
        out.append(1, '.').append(name);
        return;
    }
    out += '[';
    model::append_json(out, Value::string(name));
    out += ']';
}

const Value* take_step(const Value& from, const PathStep& step) {
    if (const auto* name = std::get_if<std::string>(&step)) return from.find(*name);
    const std::size_t index = *std::get_if<std::uint32_t>(&step);
    return index < from.items().size() ? &from.items()[index] : nullptr;
}

}  // namespace

void append_text(std::string& out, const PredicatePath& path) {
    out += path.root;
    for (const PathStep& step : path.steps) append_step(out, step);
}

std::string to_text(const PredicatePath& path) {
    std::string out;
    append_text(out, path);
    return out;
}

const Value* walk(const Value& from, std::span<const PathStep> steps) {
    const Value* at = &from;
    for (const PathStep& step : steps) {
        at = take_step(*at, step);
        if (at == nullptr) return nullptr;
    }
    return at;
}

}  // namespace belfry::rules
