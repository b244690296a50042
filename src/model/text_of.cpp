#include "model/text_of.hpp"

#include <string_view>

namespace belfry::model {
namespace {

struct Part {
    bool is_part = false;
    std::optional<JsonView> text;  // of a text part
};

Part part_of(JsonView json) {
    Part part;
    if (json.kind() != JsonKind::object) return part;
    std::size_t members = 0;
    JsonWalker walker(json);
    for (std::string_view name; walker.next(&name);) ++members;
    const auto type = json.member("type");
    part.text = json.member("text");
    if (part.text && part.text->kind() != JsonKind::string) part.text.reset();
    part.is_part = type ? type->kind() == JsonKind::string : part.text && members == 1;
    if (type && type->as_text() != "text") part.text.reset();
    return part;
}

}  // namespace

std::string text_of(JsonView content) {
    if (content.kind() == JsonKind::string) return content.as_text();
    std::string text;
    if (content.kind() != JsonKind::array) return text;
    JsonWalker parts(content);
    while (const auto element = parts.next()) {
        const Part part = part_of(*element);
        if (!part.is_part) return {};
        if (!part.text) continue;
        if (!text.empty()) text += '\n';
        text += part.text->as_text();
    }
    return text;
}

}  // namespace belfry::model
