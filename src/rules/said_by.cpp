#include "rules/said_by.hpp"

#include <string>
#include <utility>

namespace belfry::rules {

model::RawJson said_by(const model::Principal& who, const model::RawJson& metadata) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    model::JsonWalker members(metadata.view());
    std::string_view raw_name;
    while (const auto value = members.next(&raw_name)) {
        // Escapes are resolved before names are compared: a name may be written in many ways.
        const std::string name = model::JsonView{"\"" + std::string(raw_name) + "\""}.as_text();
        if (name != "by" && name != "role") writer.name(name).raw(value->text);
    }
    writer.field("by", who.id).field("role", model::role_name(who.role)).end_object();
    return model::RawJson::trusted(std::move(out));
}

}  // namespace belfry::rules
