// Reads cases from standard input, one JSON object a line, and holds our templates against them:
// `{"name":…,"template":…, "data":"FILE or object","trim":bool,"lstrip":bool,"includes":{name: source},"expected":"…"}`
// or, where Jinja2 fails,
// `"error":"its message"`. Prints every difference, at the end a line of counts, and fails when there was one.
#include <iostream>
#include <map>
#include <string>

#include "model/value_json.hpp"
#include "text/template.hpp"

namespace {

using belfry::model::Value;
using belfry::text::Template;

class Includes final : public belfry::text::TemplateResolver {
public:
    Includes(const Value* sources, const belfry::text::TemplateOptions& options) {
        if (sources == nullptr) return;
        for (const auto& member : sources->members()) {
            auto compiled = Template::compile(std::string(member.key()), member.value.text(), options);
            if (compiled.ok()) templates_.emplace(member.key(), std::move(compiled).value());
        }
    }
    [[nodiscard]] const Template* find(std::string_view name) const override {
        const auto found = templates_.find(std::string(name));
        return found == templates_.end() ? nullptr : &found->second;
    }

private:
    std::map<std::string, Template> templates_;
};

bool flag(const Value& test, const char* name) {
    const Value* value = test.find(name);
    return value != nullptr && value->as_boolean();
}

std::string render(const Value& test, const Value& data, bool& failed) {
    belfry::text::TemplateOptions options;
    options.trim_blocks = flag(test, "trim");
    options.lstrip_blocks = flag(test, "lstrip");
    const Includes includes(test.find("includes"), options);
    const auto compiled = Template::compile("case", test.find("template")->text(), options);
    failed = !compiled.ok();
    if (failed) return compiled.error().message;
    auto rendered = compiled->render(data, &includes);
    failed = !rendered.ok();
    return failed ? rendered.error().message : *rendered;
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    std::size_t cases = 0;
    std::size_t errors = 0;
    std::size_t differences = 0;
    std::string line;
    Value data;
    while (std::getline(std::cin, line)) {
        if (line.empty()) continue;
        const Value test = belfry::model::value_from({line});
        // The data of a case holds for those that follow it too.
        if (const Value* fresh = test.find("data")) data = *fresh;
        if (test.find("template") == nullptr) continue;
        ++cases;
        bool failed = false;
        const std::string ours = render(test, data, failed);
        const Value* expected = test.find("expected");
        const bool right = expected == nullptr ? failed : !failed && ours == expected->text();
        if (expected == nullptr) ++errors;
        if (right) continue;
        if (++differences > 40) continue;
        const std::string theirs =
            expected == nullptr ? "error: " + std::string(test.find("error")->text()) : std::string(expected->text());
        std::cout << "DIFFERENT " << test.find("name")->text() << "\n  template: " << test.find("template")->text()
                  << "\n  ours:     " << (failed ? "error: " : "") << ours << "\n  theirs:   " << theirs << "\n";
    }
    std::cout << cases << " templates, " << errors << " of them errors, " << differences << " differences\n";
    return differences == 0 && cases > 0 ? 0 : 1;
}
