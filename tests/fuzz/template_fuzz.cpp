// Templates: any source compiles or is refused, and what compiles renders UTF-8 or fails within its limits. The first
// byte chooses the options; the data and the templates to include are the same for all.
#include <string>

#include "base/assert.hpp"
#include "model/value_json.hpp"
#include "text/template.hpp"
#include "text/utf8.hpp"

namespace {

using belfry::text::Template;

class Includes final : public belfry::text::TemplateResolver {
public:
    [[nodiscard]] const Template* find(std::string_view name) const override {
        return name == "a" ? &a_ : name == "self" ? &self_ : nullptr;
    }

private:
    Template a_ = std::move(Template::compile("a", "{{ s }}{% set s = 1 %}{{ loop.index|d }}")).value();
    Template self_ = std::move(Template::compile("self", "x{% include 'self' %}")).value();
};

const belfry::model::Value& variables() {
    static const auto tree = belfry::model::value_from(
        {R"({"s":"Grüße, World","i":7,"f":2.5,"t":true,"n":null,"xs":[3,1,2],"big":18446744073709551615,"d":{"a":1,"b":[1,{"c":"x"}]},)"
         R"("people":[{"name":"Ada","age":36},{"name":"bob","age":25,"tags":["q"]}],"time":"2026-11-15T15:30:01Z"})"});
    return tree;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Includes includes;
    if (size == 0) return 0;
    belfry::text::TemplateOptions options;
    options.trim_blocks = (data[0] & 1U) != 0;
    options.lstrip_blocks = (data[0] & 2U) != 0;
    options.keep_trailing_newline = (data[0] & 4U) != 0;
    const auto compiled = Template::compile("fuzz", {reinterpret_cast<const char*>(data + 1), size - 1}, options);
    if (!compiled.ok()) {
        ASSERT(compiled.error().message.starts_with("fuzz:"));
        return 0;
    }
    belfry::text::TemplateLimits limits;
    limits.steps_max = 50'000;
    limits.loop_iterations_max = 5'000;
    limits.output_bytes_max = 1U << 16U;
    limits.memory_bytes_max = 8U << 20U;
    const auto first = compiled->render(variables(), &includes, limits);
    const auto second = compiled->render(variables(), &includes, limits);
    ASSERT(first.ok() == second.ok());
    if (first.ok()) {
        ASSERT(*first == *second);
        ASSERT(first->size() <= limits.output_bytes_max);
        ASSERT(belfry::text::utf8_valid_prefix(*first) == first->size());
    }
    return 0;
}
