#include "client/fields.hpp"

#include <charconv>

#include "codec/json.hpp"

namespace belfry::client {

base::Error strange(std::string_view what) {
    return base::error(base::Code::malformed,
                       "the server's answer is not one of Belfry's: " + std::string(what) + "; is this its address?");
}

std::string Fields::text(std::string_view name) const {
    const auto value = view_.member(name);
    return value && value->kind() == model::JsonKind::string ? value->as_text() : std::string();
}

std::int64_t Fields::number(std::string_view name) const {
    std::int64_t result = 0;
    if (const auto value = view_.member(name)) {
        std::from_chars(value->text.data(), value->text.data() + value->text.size(), result);
    }
    return result;
}

std::optional<bool> Fields::flag(std::string_view name) const {
    const auto value = view_.member(name);
    if (!value || value->kind() != model::JsonKind::boolean) return std::nullopt;
    return value->text == "true";
}

std::vector<std::string> Fields::texts(std::string_view name) const {
    std::vector<std::string> list;
    each(name, [&list](model::JsonView element) { list.push_back(element.as_text()); });
    return list;
}

model::RawJson Fields::object(std::string_view name) const {
    const auto value = view_.member(name);
    if (!value || value->kind() != model::JsonKind::object) return {};
    return model::RawJson::trusted(std::string(value->text));
}

base::Result<model::RawJson> read_object(std::string_view body, std::string_view needed) {
    auto json = codec::validate(body);
    if (!json.ok()) return strange(json.error().message);
    if (json->view().kind() != model::JsonKind::object) return strange("it is no object");
    if (!json->member(needed)) return strange("it has no \"" + std::string(needed) + "\"");
    return json;
}

}  // namespace belfry::client
