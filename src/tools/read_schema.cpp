#include "tools/read_schema.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "tools/tool_schemas.hpp"

namespace belfry::tools {
namespace {

// Without the line breaks that are there for people.
model::RawJson schema_of(const std::string& file) {
    const auto files = tool_schemas();
    const auto at = std::ranges::find(files, file, &EmbeddedFile::name);
    ASSERT(at != files.end());
    std::string text;
    bool is_quoted = false;
    for (std::size_t i = 0; i < at->content.size(); ++i) {
        const char c = at->content[i];
        if (c == '"' && (i == 0 || at->content[i - 1] != '\\')) is_quoted = !is_quoted;
        if (is_quoted || (c != '\n' && c != ' ')) text += c;
    }
    return model::RawJson::trusted(std::move(text));
}

}  // namespace

model::RawJson input_schema_of(const std::string& tool) {
    return schema_of(tool + ".input.json");
}

model::RawJson output_schema_of(const std::string& tool) {
    return schema_of(tool + ".output.json");
}

}  // namespace belfry::tools
