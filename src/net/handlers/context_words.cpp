#include "net/handlers/context_words.hpp"

#include "base/context_limits.hpp"
#include "codec/notification_json.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

constexpr const char* name_rule = "must be a name such as build.progress";

std::string count_rule() {
    return "must have at most " + std::to_string(limits::context_names_max) + " names";
}

}  // namespace

base::Result<model::ContextRequest> read_context_request(codec::JsonReader& reader) {
    model::ContextRequest request;
    TRY_ASSIGN(const model::JsonKind kind, reader.peek());
    if (kind == model::JsonKind::boolean) {
        TRY_ASSIGN(request.all, reader.read_bool());
        return request;
    }
    if (kind != model::JsonKind::array) return reader.invalid("must be true, false or a list of names");
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return request;
        if (request.names.size() == limits::context_names_max) return reader.invalid(count_rule());
        TRY_ASSIGN(const std::string_view name, reader.read_string());
        if (!model::is_context_name(name)) return reader.invalid(name_rule);
        request.names.emplace_back(name);
    }
}

base::Result<model::ContextRequest> parse_context_request(const std::string& text) {
    model::ContextRequest request;
    if (text == "true" || text == "false") {
        request.all = text == "true";
        return request;
    }
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const std::string name = text.substr(from, comma - from);
        if (!model::is_context_name(name)) {
            return base::error(base::Code::invalid, "must be true, or names such as build.progress joined by commas",
                               "context");
        }
        if (request.names.size() == limits::context_names_max) {
            return base::error(base::Code::invalid, count_rule(), "context");
        }
        request.names.push_back(name);
        from = comma + 1;
    }
    return request;
}

void append_context(model::JsonWriter& writer, const std::vector<model::ContextValue>& values,
                    const std::vector<std::string>& left_out) {
    writer.name("context").begin_array();
    for (const model::ContextValue& value : values) {
        writer.begin_object().field("name", value.key.name);
        codec::append_text_or_null(writer, "session_id", value.key.scope.session_id);
        codec::append_text_or_null(writer, "agent_id", value.key.scope.agent_id);
        writer.field("content", value.content).field("updated_at", base::format_timestamp(value.set_at));
        writer.field("expires_at", base::format_timestamp(value.expires_at)).end_object();
    }
    writer.end_array().name("context_left_out").begin_array();
    for (const std::string& name : left_out) writer.text(name);
    writer.end_array();
}

}  // namespace belfry::net::handlers
