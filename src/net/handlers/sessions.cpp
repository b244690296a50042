#include "ports/commands/sessions.hpp"

#include <utility>

#include "base/limits.hpp"
#include "codec/session_json.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

base::Result<model::Budget> read_budget(JsonReader& reader) {
    model::Budget budget;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        std::int64_t* limit = name == "tokens"           ? &budget.tokens
                              : name == "iterations"     ? &budget.iterations
                              : name == "timeout_s"      ? &budget.timeout_s
                              : name == "context_tokens" ? &budget.context_tokens
                                                         : nullptr;
        if (limit == nullptr) return unknown(reader);
        TRY_ASSIGN(*limit, read_integer(reader, 0, limits::reported_count_max));
        return {};
    }));
    return budget;
}

base::Result<void> read_session_member(JsonReader& reader, std::string_view name, ports::PutSession& wish) {
    if (name == "user_id") {
        TRY_ASSIGN(wish.user_id, read_scope_id(reader));
    } else if (name == "agent_id") {
        TRY_ASSIGN(wish.agent_id, read_scope_id(reader));
    } else if (name == "title") {
        TRY_ASSIGN(wish.title, read_text(reader, 0, limits::session_title_bytes_max));
    } else if (name == "metadata") {
        TRY_ASSIGN(wish.metadata, read_json_object(reader, limits::session_metadata_bytes_max));
    } else if (name == "budget") {
        TRY_ASSIGN(wish.budget, read_budget(reader));
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<std::unique_ptr<ports::PutSession>> read_session(const Exchange& exchange) {
    auto wish = std::make_unique<ports::PutSession>();
    TRY_ASSIGN(wish->session_id, scope_id_of_path(exchange, "session_id"));
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) { return read_session_member(reader, name, *wish); }));
    wish->bytes = exchange.request.body.size();
    return wish;
}

base::Result<void> read_message_member(JsonReader& reader, std::string_view name, ports::PostMessage& wish,
                                       bool& has_role, bool& has_content) {
    if (name == "role") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        const auto role = model::parse_message_role(text);
        if (!role) return reader.invalid("must be user, assistant, tool or system");
        wish.role = *role;
        has_role = true;
    } else if (name == "content") {
        TRY_ASSIGN(wish.content, read_text(reader, 0, limits::message_bytes_max));
        has_content = true;
    } else if (name == "metadata") {
        TRY_ASSIGN(wish.metadata, read_json_object(reader, limits::session_metadata_bytes_max));
    } else if (name == "deliver") {
        TRY_ASSIGN(wish.deliver, reader.read_bool());
    } else if (name == "node_id") {
        TRY_ASSIGN(const base::Uuid id, read_uuid(reader));
        wish.node = model::NodeId{id};
    } else if (name == "parent_id") {
        TRY_ASSIGN(const base::Uuid id, read_uuid(reader));
        wish.parent = model::NodeId{id};
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<std::unique_ptr<ports::PostMessage>> read_message(const Exchange& exchange) {
    auto wish = std::make_unique<ports::PostMessage>();
    TRY_ASSIGN(wish->session_id, scope_id_of_path(exchange, "session_id"));
    bool has_role = false;
    bool has_content = false;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) {
        return read_message_member(reader, name, *wish, has_role, has_content);
    }));
    if (!has_role) return missing("role");
    if (!has_content) return missing("content");
    if (wish->node && wish->parent) {
        return base::error(base::Code::invalid, "a message goes into node_id or below parent_id, not both",
                           "parent_id");
    }
    wish->bytes = exchange.request.body.size();
    return wish;
}

std::string session_body(const model::Session& session) {
    std::string body;
    model::JsonWriter writer(body);
    codec::append_session(writer, session);
    return body;
}

std::string session_page(const std::vector<model::Session>& sessions, std::size_t limit) {
    return page_body(sessions, limit, codec::append_session,
                     [](model::JsonWriter& writer, const model::Session& last) { writer.text(last.id); });
}

}  // namespace

void put_session(const Exchange& exchange) {
    auto wish = read_session(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->done = [to = exchange.reply()](const base::Result<model::Session>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", session_body(*result), {}});
    };
    exchange.submit(std::move(command));
}

void get_session(const Exchange& exchange) {
    const auto id = scope_id_of_path(exchange, "session_id");
    if (!id) return exchange.fail(id.error());
    exchange.service.ports.queries.session(exchange.principal(), *id,
                                           [to = exchange.reply()](const base::Result<model::Session>& result) {
                                               if (!result) return to.fail(result.error());
                                               to.respond({200, "application/json", session_body(*result), {}});
                                           });
}

void list_sessions(const Exchange& exchange) {
    ports::SessionFilter filter;
    std::size_t limit = limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "user") {
                TRY_ASSIGN(filter.user_id, parse_filter(name, value));
            } else if (name == "after") {
                TRY_ASSIGN(filter.after, parse_filter(name, value));
            } else if (name == "limit") {
                TRY_ASSIGN(limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    filter.limit = limit + 1;
    exchange.service.ports.queries.sessions(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::Session>>& result) {
            if (!result) return to.fail(result.error());
            to.respond({200, "application/json", session_page(*result, limit), {}});
        });
}

void post_message(const Exchange& exchange) {
    auto wish = read_message(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<model::SessionMessage>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        model::JsonWriter writer(body);
        codec::append_message(writer, *result);
        to.respond({201, "application/json", body, {}});
    });
}

}  // namespace belfry::net::handlers
