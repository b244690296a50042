#include "text/template.hpp"

#include "text/jinja/binder.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/parser.hpp"
#include "text/utf8.hpp"

namespace belfry::text {
namespace {

constexpr std::size_t source_bytes_max = std::size_t{1} << 20;

base::Error located(const std::string& name, const jinja::Place& place, const std::string& message, base::Code code) {
    return base::error(code,
                       name + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + message);
}

}  // namespace

base::Result<Template> Template::compile(std::string name, std::string_view source, const TemplateOptions& options) {
    if (source.size() > source_bytes_max)
        return base::error(base::Code::too_large, name + ": a template of more than 1 MiB");
    if (utf8_valid_prefix(source) < source.size())
        return base::error(base::Code::malformed, name + ": bytes that are no UTF-8");
    auto program = std::make_shared<Program>();
    program->name = std::move(name);
    program->source = jinja::normalize_source(source, options);
    try {
        jinja::parse(*program, options);
        jinja::bind(*program);
    } catch (const jinja::Failure& failure) {
        return located(program->name, failure.place, failure.message, base::Code::malformed);
    }
    return Template(std::move(program));
}

base::Result<std::string> Template::render(const model::Value& variables, const TemplateResolver* resolver,
                                           const TemplateLimits& limits) const {
    jinja::Interpreter interpreter(resolver, limits);
    try {
        return interpreter.render(*program_, variables);
    } catch (const jinja::Failure& failure) {
        const jinja::Place place = failure.place.line > 0 ? failure.place : interpreter.place();
        const Program* where = interpreter.program() == nullptr ? program_.get() : interpreter.program();
        return located(where->name, place, failure.message, base::Code::invalid);
    }
}

const std::string& Template::name() const {
    return program_->name;
}

}  // namespace belfry::text
