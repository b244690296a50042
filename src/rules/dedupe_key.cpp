#include "rules/dedupe_key.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "model/value_json.hpp"

namespace belfry::rules {
namespace {

constexpr std::string_view payload_prefix = "payload.";

void append_part(std::string& out, std::string_view text) {
    for (const char c : text) {
        if (c == ':' || c == '\\') out += '\\';
        out += c;
    }
}

std::optional<model::JsonView> find_element(model::JsonView array, std::string_view name) {
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (failed != std::errc{} || end != name.data() + name.size()) return {};
    model::JsonWalker walker(array);
    auto element = walker.next();
    for (; element && index > 0; --index) element = walker.next();
    return element;
}

// A part of the path is the name of a member, or the index of an element.
std::optional<model::JsonView> find(model::JsonView json, std::string_view path) {
    while (true) {
        const model::JsonKind kind = json.kind();
        if (kind != model::JsonKind::object && kind != model::JsonKind::array) return {};
        const std::size_t dot = path.find('.');
        const std::string_view name = path.substr(0, dot);
        const auto member = kind == model::JsonKind::object ? json.member(name) : find_element(json, name);
        if (!member || dot == std::string_view::npos) return member;
        json = *member;
        path.remove_prefix(dot + 1);
    }
}

// Spaces between tokens travel with the bytes of a payload; they do not make another event.
void append_value(std::string& out, model::JsonView value) {
    const model::JsonKind kind = value.kind();
    const bool is_nested = kind == model::JsonKind::array || kind == model::JsonKind::object;
    append_part(out, is_nested ? model::to_json(model::value_from(value)) : value.as_text());
}

void append_payload(std::string& out, const model::RawJson& payload, std::string_view path) {
    if (const auto value = find(payload.view(), path)) append_value(out, *value);
}

void append_own(std::string& out, const model::Event& event) {
    if (event.dedupe_key.empty()) {
        out.append(event.type).append(1, ':').append(event.source);
    } else {
        out += event.dedupe_key;
    }
}

}  // namespace

base::Result<DedupeKey> DedupeKey::parse(std::string_view pattern) {
    DedupeKey key;
    if (pattern.empty()) {
        key.parts_.push_back({Kind::own, {}});
        return key;
    }
    for (std::size_t at = 0; at <= pattern.size();) {
        const std::size_t end = std::min(pattern.find(':', at), pattern.size());
        const std::string_view text = pattern.substr(at, end - at);
        at = end + 1;
        if (text == "type") {
            key.parts_.push_back({Kind::type, {}});
        } else if (text == "source") {
            key.parts_.push_back({Kind::source, {}});
        } else if (text.starts_with(payload_prefix)) {
            const std::string_view name = text.substr(payload_prefix.size());
            if (name.empty()) {
                return base::error(base::Code::invalid,
                                   "dedupe_key has 'payload.' without the name of a member, such as payload.tool_name",
                                   "dedupe_key");
            }
            key.parts_.push_back({name == "*" ? Kind::whole_payload : Kind::payload, std::string(name)});
        } else {
            key.parts_.push_back({Kind::literal, std::string(text)});
        }
    }
    return key;
}

void DedupeKey::append(std::string& out, const model::Event& event) const {
    const std::size_t start = out.size();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        if (i > 0) out += ':';
        switch (part.kind) {
            case Kind::own: append_own(out, event); break;
            case Kind::type: append_part(out, event.type); break;
            case Kind::source: append_part(out, event.source); break;
            case Kind::payload: append_payload(out, event.payload, part.text); break;
            case Kind::whole_payload: append_value(out, event.payload.view()); break;
            case Kind::literal: append_part(out, part.text); break;
        }
    }
    if (event.severity) out.append(1, ':').append(model::severity_name(*event.severity));
    if (out.size() - start <= base::limits::event_dedupe_key_bytes_max) return;
    // A payload's text may be a megabyte, and a key is kept with every row.
    const base::Sha256 hash = base::sha256(std::string_view(out).substr(start));
    out.resize(start);
    out.append("sha256:").append(base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()}));
}

}  // namespace belfry::rules
