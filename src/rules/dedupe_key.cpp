#include "rules/dedupe_key.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "model/dedupe_key.hpp"
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

std::optional<model::JsonView> element(model::JsonView array, std::string_view place) {
    std::size_t left = 0;
    const auto [end, failed] = std::from_chars(place.data(), place.data() + place.size(), left);
    if (failed != std::errc{} || end != place.data() + place.size()) return {};
    model::JsonWalker walker(array);
    std::optional<model::JsonView> found = walker.next();
    for (; found && left > 0; --left) found = walker.next();
    return found;
}

std::optional<model::JsonView> find(model::JsonView json, std::string_view path) {
    while (true) {
        const std::size_t dot = path.find('.');
        const std::string_view name = path.substr(0, dot);
        std::optional<model::JsonView> found;
        if (json.kind() == model::JsonKind::object) found = json.member(name);
        else if (json.kind() == model::JsonKind::array) found = element(json, name);
        if (!found || dot == std::string_view::npos) return found;
        json = *found;
        path.remove_prefix(dot + 1);
    }
}

model::Value with_sorted_members(const model::Value& value) {
    if (value.is_array()) {
        model::Value items = model::Value::array(value.size());
        for (const model::Value& item : value.items()) items.push(with_sorted_members(item));
        return items;
    }
    if (!value.is_object()) return value;
    std::vector<const model::Member*> members;
    for (const model::Member& member : value.members()) members.push_back(&member);
    std::ranges::sort(members, {}, [](const model::Member* member) { return member->name.text(); });
    model::Value sorted = model::Value::object(members.size());
    for (const model::Member* member : members) sorted.append(member->name.text(), with_sorted_members(member->value));
    return sorted;
}

// Spaces and the order of members travel with the bytes of a payload; they do not make another event.
void append_value(std::string& out, model::JsonView value) {
    const model::JsonKind kind = value.kind();
    const bool is_nested = kind == model::JsonKind::array || kind == model::JsonKind::object;
    append_part(out, is_nested ? model::to_json(with_sorted_members(model::value_from(value))) : value.as_text());
}

void append_payload(std::string& out, const model::RawJson& payload, std::string_view path) {
    if (const auto value = find(payload.view(), path)) append_value(out, *value);
}

// Readers of the log get `type:source` as the key of an event without one, so that key names nothing of its own.
bool has_own_key(const model::Event& event) {
    const std::string_view key = event.dedupe_key;
    const bool is_derived = key.size() == event.type.size() + 1 + event.source.size() && key.starts_with(event.type) &&
                            key[event.type.size()] == ':' && key.ends_with(event.source);
    return !key.empty() && !is_derived;
}

}  // namespace

base::Result<DedupeKey> DedupeKey::parse(std::string_view pattern) {
    DedupeKey key;
    key.is_default_ = pattern.empty();
    if (pattern.empty()) pattern = model::dedupe_key_default;
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
    if (is_default_ && has_own_key(event)) out += event.dedupe_key;
    else append_parts(out, event);
    if (event.severity) out.append(1, ':').append(model::severity_name(*event.severity));
    if (out.size() - start <= base::limits::event_dedupe_key_bytes_max) return;
    // A payload's text may be a megabyte, and a key is kept with every row.
    const base::Sha256 hash = base::sha256(std::string_view(out).substr(start));
    out.resize(start);
    out.append("sha256:").append(base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()}));
}

void DedupeKey::append_parts(std::string& out, const model::Event& event) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        if (i > 0) out += ':';
        switch (part.kind) {
            case Kind::type: append_part(out, event.type); break;
            case Kind::source: append_part(out, event.source); break;
            case Kind::payload: append_payload(out, event.payload, part.text); break;
            case Kind::whole_payload: append_value(out, event.payload.view()); break;
            case Kind::literal: append_part(out, part.text); break;
        }
    }
}

}  // namespace belfry::rules
