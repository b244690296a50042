#include "rules/body_fields.hpp"

#include <algorithm>
#include <charconv>

namespace belfry::rules {

using model::JsonKind;
using model::JsonView;

void BodyWriter::text(std::string_view name, std::string_view text) {
    if (text.empty()) return null(name);
    value(name, [&](model::JsonWriter& writer) { writer.text(text); });
}

void BodyWriter::number(std::string_view name, const std::optional<std::int64_t>& number) {
    number ? raw(name, std::to_string(*number)) : null(name);
}

void BodyWriter::time(std::string_view name, const std::optional<base::Timestamp>& time) {
    time ? number(name, time->us) : null(name);
}

void BodyWriter::id(std::string_view name, const std::optional<base::Uuid>& id) {
    text(name, id ? base::format_uuid(*id) : std::string());
}

void BodyWriter::texts(std::string_view name, const std::vector<std::string>& texts) {
    value(name, [&](model::JsonWriter& writer) {
        writer.begin_array();
        for (const std::string& one : texts) writer.text(one);
        writer.end_array();
    });
}

model::RawJson BodyWriter::take() const {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object();
    for (const auto& [name, value] : members_) writer.name(name).raw(value);
    writer.end_object();
    return model::RawJson::trusted(std::move(json));
}

BodyReader::BodyReader(JsonView body, std::string prefix) : prefix_(std::move(prefix)) {
    if (body.kind() != JsonKind::object) {
        fault({}, "must be an object");
        return;
    }
    model::JsonWalker walker(body);
    std::string_view name;
    while (const auto value = walker.next(&name)) {
        const bool is_plain = name.find('\\') == std::string_view::npos;
        members_.insert_or_assign(is_plain ? std::string(name) : JsonView{'"' + std::string(name) + '"'}.as_text(),
                                  *value);
    }
}

void BodyReader::fault(std::string_view name, std::string why) {
    if (!fault_) fault_ = base::error(base::Code::invalid, std::move(why), prefix_ + std::string(name));
}

base::Result<void> BodyReader::done() const {
    return fault_ ? base::Result<void>(*fault_) : base::Result<void>{};
}

std::optional<JsonView> BodyReader::value(std::string_view name) const {
    const auto at = members_.find(name);
    if (at == members_.end() || at->second.kind() == JsonKind::null) return std::nullopt;
    return at->second;
}

const JsonView* BodyReader::find(std::string_view name, JsonKind kind) {
    const auto at = members_.find(name);
    if (at == members_.end() || at->second.kind() == JsonKind::null) return nullptr;
    if (at->second.kind() == kind) return &at->second;
    fault(name, "is not of the kind that it must be");
    return nullptr;
}

std::string BodyReader::text(std::string_view name) {
    const JsonView* const found = find(name, JsonKind::string);
    return found != nullptr ? found->as_text() : std::string();
}

std::optional<std::int64_t> BodyReader::maybe_number(std::string_view name) {
    const JsonView* const found = find(name, JsonKind::number);
    if (found == nullptr) return std::nullopt;
    std::int64_t number = 0;
    const char* const end = found->text.data() + found->text.size();
    const auto [stopped, failed] = std::from_chars(found->text.data(), end, number);
    if (failed == std::errc{} && stopped == end) return number;
    fault(name, "is no whole number");
    return std::nullopt;
}

bool BodyReader::flag(std::string_view name) {
    const JsonView* const found = find(name, JsonKind::boolean);
    return found != nullptr && found->text == "true";
}

std::optional<base::Timestamp> BodyReader::maybe_time(std::string_view name) {
    const auto us = maybe_number(name);
    return us ? std::optional(base::Timestamp{*us}) : std::nullopt;
}

std::optional<base::Uuid> BodyReader::maybe_id(std::string_view name) {
    const JsonView* const found = find(name, JsonKind::string);
    if (found == nullptr) return std::nullopt;
    const auto id = base::parse_uuid(found->as_text());
    if (!id) fault(name, "is no id");
    return id;
}

std::vector<std::string> BodyReader::texts(std::string_view name) {
    std::vector<std::string> texts;
    const JsonView* const found = find(name, JsonKind::array);
    if (found == nullptr) return texts;
    model::JsonWalker walker(*found);
    while (const auto one = walker.next()) {
        if (one->kind() != JsonKind::string) fault(name, "has something that is no text");
        texts.push_back(one->as_text());
    }
    return texts;
}

model::RawJson BodyReader::object(std::string_view name) {
    const JsonView* const found = find(name, JsonKind::object);
    return found != nullptr ? model::RawJson::trusted(std::string(found->text)) : model::RawJson();
}

}  // namespace belfry::rules
