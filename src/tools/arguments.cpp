#include "tools/arguments.hpp"

#include <charconv>

namespace belfry::tools {

using model::JsonKind;

std::optional<model::JsonView> Arguments::find(std::string_view name) const {
    auto member = object_.member(name);
    return member && member->kind() != JsonKind::null ? member : std::nullopt;
}

bool Arguments::is_null(std::string_view name) const {
    const auto member = object_.member(name);
    return member && member->kind() == JsonKind::null;
}

std::string Arguments::text(std::string_view name) const {
    const auto member = find(name);
    return member ? member->as_text() : std::string{};
}

bool Arguments::flag(std::string_view name, bool otherwise) const {
    const auto member = find(name);
    return member ? member->text == "true" : otherwise;
}

std::optional<std::int64_t> Arguments::integer(std::string_view name) const {
    const auto number = real(name);
    return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

std::optional<double> Arguments::real(std::string_view name) const {
    const auto member = find(name);
    if (!member) return std::nullopt;
    double number = 0;
    std::from_chars(member->text.data(), member->text.data() + member->text.size(), number);
    return number;
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
    std::vector<std::string> found;
    const auto member = find(name);
    if (!member) return found;
    model::JsonWalker walker(*member);
    while (const auto one = walker.next()) found.push_back(one->as_text());
    return found;
}

std::vector<Arguments> Arguments::objects(std::string_view name) const {
    std::vector<Arguments> found;
    const auto member = find(name);
    if (!member) return found;
    model::JsonWalker walker(*member);
    while (const auto one = walker.next()) {
        found.emplace_back(*one, place_of(name) + '[' + std::to_string(found.size()) + ']');
    }
    return found;
}

base::Result<std::optional<base::Timestamp>> Arguments::time(std::string_view name) const {
    const auto member = find(name);
    if (!member) return std::optional<base::Timestamp>{};
    const auto parsed = base::parse_timestamp(member->as_text());
    if (!parsed) return wrong(name, "must be a time with its zone, such as 2026-02-17T16:00:00-05:00");
    return std::optional(*parsed);
}

base::Result<base::Timestamp> Arguments::required_time(std::string_view name) const {
    TRY_ASSIGN(const auto found, time(name));
    if (!found) return wrong(name, "must be given");
    return *found;
}

std::string Arguments::place_of(std::string_view name) const {
    return place_.empty() ? std::string(name) : place_ + '.' + std::string(name);
}

base::Error Arguments::wrong(std::string_view name, std::string message) const {
    return base::error(base::Code::invalid, std::move(message), place_of(name), "invalid_arguments");
}

}  // namespace belfry::tools
