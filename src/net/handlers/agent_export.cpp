#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "codec/problem.hpp"
#include "codec/sse.hpp"
#include "net/handlers/agent_message_words.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/parameters.hpp"
#include "net/problem.hpp"
#include "ports/commands/agent_import.hpp"

// An agent as lines of JSON: `{"agent":{…}}`, then `{"message":{…}}` for each of its messages in the order of their
// coming, and `{"end":{…}}`, by which whoever reads them knows that these were all.
namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;
using codec::JsonReader;
using model::JsonWriter;

void append_page(std::string& body, const ports::AgentExportPage& page) {
    if (page.agent) {
        JsonWriter writer(body);
        writer.begin_object().name("agent");
        model::append_agent(writer, *page.agent);
        writer.end_object();
        body += '\n';
    }
    for (const model::AgentMessage& message : page.messages) {
        JsonWriter writer(body);
        writer.begin_object().name("message");
        model::append_agent_message(writer, message);
        writer.end_object();
        body += '\n';
    }
    if (page.next == 0) body += "{\"end\":{}}\n";
}

// What the agent does here and now stays where it was; so do its wakes, timers and subscriptions.
base::Result<void> read_state_member(JsonReader& reader, std::string_view name, model::AgentState& state) {
    if (name == "slots") {
        TRY_ASSIGN(state.slots, read_agent_slots(reader));
        return {};
    }
    if (name == "sleep_until") {
        TRY_ASSIGN(state.sleep_until, read_time_or_null(reader));
        return {};
    }
    return reader.skip_value();
}

base::Result<void> read_lifecycle(JsonReader& reader, model::Agent& agent) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const auto lifecycle = model::parse_agent_lifecycle(text);
    if (!lifecycle || *lifecycle == model::AgentLifecycle::destroyed) {
        return reader.invalid("must be created, active or dormant: one that was destroyed does not come back");
    }
    agent.lifecycle = *lifecycle;
    return {};
}

base::Result<model::AgentRecord> read_exported_agent(JsonReader& reader) {
    model::AgentRecord record;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "lifecycle") return read_lifecycle(reader, record.agent);
        if (name == "created_at") {
            TRY_ASSIGN(record.agent.created_at, read_time(reader));
            return {};
        }
        if (name == "state") {
            return read_members(reader,
                                [&](std::string_view inner) { return read_state_member(reader, inner, record.state); });
        }
        const bool is_elsewhere =
            name == "updated_at" || name == "destroyed_at" || name == "next_wake_at" || name == "runtime";
        return is_elsewhere ? reader.skip_value() : read_agent_member(reader, name, record.agent);
    }));
    if (record.agent.id.empty()) return missing("agent.id");
    return record;
}

// What was read so far, and the line that is read.
struct Lines {
    std::optional<model::AgentRecord> agent;
    std::vector<model::AgentMessage> messages;
    std::size_t line = 0;
    bool has_ended = false;
};

base::Error too_many() {
    return base::error(base::Code::too_large,
                       "a request has at most " + std::to_string(limits::agent_import_messages_max) + " messages");
}

base::Result<void> read_line(std::string_view text, Lines& lines) {
    if (lines.has_ended) return base::error(base::Code::invalid, "nothing comes after the end");
    JsonReader reader(text, {.first_line = lines.line});
    bool is_read = false;
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (is_read) return reader.invalid("a line is one thing");
        is_read = true;
        if (name == "end") {
            lines.has_ended = true;
            return reader.skip_value();
        }
        if (name == "message") {
            if (lines.messages.size() == limits::agent_import_messages_max) return too_many();
            TRY_ASSIGN(model::AgentMessage message, read_exported_message(reader));
            lines.messages.push_back(std::move(message));
            return {};
        }
        if (name != "agent") return unknown(reader);
        if (lines.agent || !lines.messages.empty()) return reader.invalid("the agent is the first line");
        TRY_ASSIGN(lines.agent, read_exported_agent(reader));
        return {};
    }));
    return is_read ? base::Result<void>{} : base::Result<void>(missing("agent"));
}

base::Result<void> read_lines(std::string_view body, Lines& lines) {
    for (lines.line = 1; !body.empty(); ++lines.line) {
        const std::size_t end = std::min(body.find('\n'), body.size());
        const std::string_view text = body.substr(0, end);
        body.remove_prefix(std::min(end + 1, body.size()));
        if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        TRY(read_line(text, lines));
    }
    return {};
}

// The line at fault goes with the problem.
void fail_at(const Exchange& exchange, const base::Error& error, std::size_t line) {
    const int status = static_cast<int>(codec::status_of(error.code));
    const Problem problem = make_problem(status, error, "\"line\":" + std::to_string(line));
    exchange.connection.respond({status, codec::problem_media_type, problem.body, problem.extra_fields});
}

base::Result<void> settle_names(const Exchange& exchange, Lines& lines, ports::ImportAgent& wish) {
    std::string& agent_id = wish.agent_id;
    std::string user_id;
    TRY(read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
        if (name == "agent") {
            TRY_ASSIGN(agent_id, parse_filter(name, value));
        } else if (name == "user") {
            TRY_ASSIGN(user_id, parse_filter(name, value));
        } else if (name == "after") {
            wish.after = base::parse_uuid(value);
            if (!wish.after) return base::error(base::Code::invalid, "must be the id of a message, a UUID", name);
        } else {
            return unknown_parameter(name);
        }
        return {};
    }));
    if (lines.agent.has_value() == !agent_id.empty()) {
        return base::error(base::Code::invalid, "must be named where the first line is not the agent, and only there",
                           "agent");
    }
    if (wish.after && lines.agent) return unknown_parameter("after");
    if (!user_id.empty() && !lines.agent) return unknown_parameter("user");
    if (!user_id.empty()) lines.agent->agent.user_id = std::move(user_id);
    if (agent_id.empty()) agent_id = lines.agent->agent.id;
    return {};
}

}  // namespace

void export_agent(const Exchange& exchange) {
    ports::AgentExportQuestion question{exchange.captures.front(), 0, limits::page_entries_max};
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "after") {
                TRY_ASSIGN(const std::uint64_t after, codec::parse_position(value, name));
                question.after = static_cast<std::int64_t>(after);
            } else if (name == "limit") {
                TRY_ASSIGN(question.limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.agent_export(
        exchange.principal(), std::move(question),
        [to = exchange.reply()](const base::Result<ports::AgentExportPage>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            append_page(body, *result);
            const std::string fields =
                result->next > 0 ? "Belfry-Next: " + std::to_string(result->next) + "\r\n" : std::string();
            to.respond({200, "application/x-ndjson", body, fields});
        });
}

void import_agent(const Exchange& exchange) {
    Lines lines;
    if (const auto read = read_lines(exchange.request.body, lines); !read.ok()) {
        return fail_at(exchange, read.error(), lines.line);
    }
    auto command = std::make_unique<ports::ImportAgent>();
    if (const auto named = settle_names(exchange, lines, *command); !named.ok()) {
        return exchange.fail(named.error());
    }
    const bool is_new = lines.agent.has_value();
    command->draft = std::move(lines.agent);
    command->messages = std::move(lines.messages);
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [is_new](const Reply& to, const base::Result<ports::ImportedAgent>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        JsonWriter writer(body);
        writer.begin_object().name("agent");
        model::append_agent(writer, result->record);
        writer.field("added", static_cast<long long>(result->added));
        writer.field("unchanged", static_cast<long long>(result->unchanged)).end_object();
        to.respond({is_new ? 201 : 200, "application/json", body, {}});
    });
}

}  // namespace belfry::net::handlers
