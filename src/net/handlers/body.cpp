#include "net/handlers/body.hpp"

#include "base/characters.hpp"
#include "base/limits.hpp"
#include "codec/utf8.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

std::string size_text(std::size_t bytes_max) {
    return "must have at most " + std::to_string(bytes_max) + " bytes";
}

// What is wrong with it as an id; nothing: it is one.
std::string scope_id_fault(std::string_view id) {
    if (id.empty()) return "must not be empty";
    if (id.size() > limits::scope_id_bytes_max) return size_text(limits::scope_id_bytes_max);
    if (!codec::is_utf8(id)) return "must be UTF-8";
    return base::has_harmful(id) ? "must not contain control characters" : "";
}

}  // namespace

base::Error unknown(const JsonReader& reader) {
    return reader.invalid("is not known");
}

base::Error missing(std::string field) {
    return base::error(base::Code::invalid, "must be given", std::move(field));
}

base::Result<std::string> read_text(JsonReader& reader, std::size_t bytes_min, std::size_t bytes_max) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    if (text.size() < bytes_min) return reader.invalid("must not be empty");
    if (text.size() > bytes_max) return reader.invalid(size_text(bytes_max));
    return std::string(text);
}

base::Result<std::string> read_scope_id(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view id, reader.read_string());
    if (std::string fault = scope_id_fault(id); !fault.empty()) return reader.invalid(std::move(fault));
    return std::string(id);
}

base::Result<std::int64_t> read_integer(JsonReader& reader, std::int64_t min, std::int64_t max) {
    TRY_ASSIGN(const std::int64_t number, reader.read_integer());
    if (number < min || number > max) {
        return reader.invalid("must lie between " + std::to_string(min) + " and " + std::to_string(max));
    }
    return number;
}

base::Result<base::Duration> read_lease_s(JsonReader& reader) {
    TRY_ASSIGN(const std::int64_t seconds, read_integer(reader, 1, limits::lease_max.us / 1'000'000));
    return base::seconds(seconds);
}

base::Result<base::Uuid> read_uuid(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const auto id = base::parse_uuid(text);
    if (!id) return reader.invalid("must be a UUID");
    return *id;
}

base::Result<model::RawJson> read_json_object(JsonReader& reader, std::size_t bytes_max) {
    TRY_ASSIGN(const model::JsonKind kind, reader.peek());
    if (kind != model::JsonKind::object) return reader.invalid("must be an object");
    TRY_ASSIGN(const codec::JsonSpan span, reader.raw_value());
    if (span.text.size() > bytes_max) return reader.invalid(size_text(bytes_max));
    return span.compact();
}

base::Result<std::string> scope_id_of_path(const Exchange& exchange, const char* field) {
    const std::string& id = exchange.captures.front();
    if (std::string fault = scope_id_fault(id); !fault.empty()) {
        return base::error(base::Code::invalid, std::move(fault), field);
    }
    return id;
}

}  // namespace belfry::net::handlers
