#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/value.hpp"

// A subset of Jinja2 3.1 with autoescape off, byte for byte (docs/templates.md). A template sees its variables and the
// templates that a resolver hands it, and nothing else of the world.
namespace belfry::text {

class Template;
struct Program;

struct TemplateOptions {
    bool trim_blocks = false;    // the newline after a block is dropped
    bool lstrip_blocks = false;  // so is the space before a block that begins its line
    bool keep_trailing_newline = false;
};

// What one rendering may use up; beyond it the rendering fails. A step is about one operation and stands for time,
// which this room cannot read; whatever walks, copies or searches costs steps by the size of it.
struct TemplateLimits {
    std::uint64_t steps_max = 10'000'000;
    std::uint64_t loop_iterations_max = 200'000;
    int recursion_max = 48;  // macros, includes and recursive loops inside each other
    std::size_t output_bytes_max = std::size_t{4} << 20;
    std::size_t memory_bytes_max = std::size_t{64} << 20;
};

// Where `{% include %}` gets its templates from.
class TemplateResolver {
public:
    virtual ~TemplateResolver() = default;
    // Null: there is none of this name. The template must outlive the rendering.
    [[nodiscard]] virtual const Template* find(std::string_view name) const = 0;
};

// Compiled once, rendered often, from as many threads as wanted.
class Template {
public:
    // An error says `name:line:column: what is wrong`.
    static base::Result<Template> compile(std::string name, std::string_view source,
                                          const TemplateOptions& options = {});

    // Renders over the members of `variables`, an object.
    [[nodiscard]] base::Result<std::string> render(const model::Value& variables,
                                                   const TemplateResolver* resolver = nullptr,
                                                   const TemplateLimits& limits = {}) const;

    [[nodiscard]] const std::string& name() const;
    [[nodiscard]] const Program& program() const { return *program_; }

private:
    explicit Template(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
    std::shared_ptr<const Program> program_;
};

}  // namespace belfry::text
