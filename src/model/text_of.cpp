#include "model/text_of.hpp"

#include <string_view>

namespace belfry::model {
namespace {

struct Part {
    bool has_type = false;
    bool is_text_alone = false;
    std::optional<JsonView> text;
};

Part part_of(JsonView json) {
    Part part;
    if (json.kind() != JsonKind::object) return part;
    std::size_t members = 0;
    JsonWalker walker(json);
    for (std::string_view name; walker.next(&name);) ++members;
    const auto type = json.member("type");
    part.has_type = type && type->kind() == JsonKind::string;
    part.text = json.member("text");
    if (part.text && part.text->kind() != JsonKind::string) part.text.reset();
    part.is_text_alone = part.text && members == 1;
    return part;
}

}  // namespace

std::string text_of(JsonView content) {
    if (content.kind() == JsonKind::string) return content.as_text();
    std::string text;
    if (content.kind() != JsonKind::array) return text;
    bool has_type = false;
    bool is_text_alone = true;
    JsonWalker parts(content);
    while (const auto element = parts.next()) {
        const Part part = part_of(*element);
        if (!part.has_type && !part.text) return {};
        has_type = has_type || part.has_type;
        is_text_alone = is_text_alone && part.is_text_alone;
        if (!part.text) continue;
        if (!text.empty()) text += '\n';
        text += part.text->as_text();
    }
    return has_type || is_text_alone ? text : std::string();
}

}  // namespace belfry::model
