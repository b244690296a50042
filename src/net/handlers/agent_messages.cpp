#include "ports/commands/agent_messages.hpp"

#include <utility>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/worker_words.hpp"

namespace belfry::net::handlers {
namespace {

namespace limits = base::limits;

base::Result<void> take_parameter(ports::AgentMessageFilter& filter, const std::string& name,
                                  const std::string& value) {
    if (name == "thread") {
        if (value.empty() || value.size() > limits::thread_id_bytes_max) {
            return base::error(base::Code::invalid,
                               "must have 1 to " + std::to_string(limits::thread_id_bytes_max) + " bytes", name);
        }
        filter.thread_id = value;
    } else if (name == "changed") {
        TRY_ASSIGN(filter.changed_entity_id, parse_filter(name, value));
    } else if (name == "after") {
        filter.after = base::parse_uuid(value);
        if (!filter.after) return base::error(base::Code::invalid, "must be the id of a message, a UUID", name);
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

}  // namespace

void append_agent_messages(const Exchange& exchange) {
    const auto words = worker_words_of(exchange);
    if (!words) return exchange.fail(words.error());
    auto wish = read_agent_messages(*words);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::AppendedMessages>& result) {
        if (!result) return to.fail(result.error());
        to.respond({result->added > 0 ? 201 : 200, "application/json", appended_json(*result), {}});
    });
}

void store_plan(const Exchange& exchange) {
    const auto words = worker_words_of(exchange);
    if (!words) return exchange.fail(words.error());
    auto wish = read_plan(*words);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::StoredPlan>& result) {
        if (!result) return to.fail(result.error());
        to.respond({result->is_new ? 201 : 200, "application/json", plan_json(*result), {}});
    });
}

void call_tool(const Exchange& exchange) {
    const auto words = worker_words_of(exchange);
    if (!words) return exchange.fail(words.error());
    auto wish = read_tool_call(*words);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::CalledTool>& result) {
        if (!result) return to.fail(result.error());
        to.respond({result->result ? 200 : 202, "application/json", called_tool_json(*result), {}});
    });
}

void get_plans(const Exchange& exchange) {
    const auto id = wake_id_of_path(exchange);
    if (!id) return exchange.fail(id.error());
    exchange.service.ports.queries.wake_plans(
        exchange.principal(), *id, [to = exchange.reply()](const base::Result<std::vector<model::PlanNow>>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            model::JsonWriter writer(body);
            writer.begin_object().name("data").begin_array();
            for (const model::PlanNow& one : *result) model::append_plan(writer, one);
            writer.end_array().end_object();
            to.respond({200, "application/json", body, {}});
        });
}

void list_agent_messages(const Exchange& exchange) {
    ports::AgentMessageFilter filter;
    filter.agent_id = exchange.captures.front();
    filter.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(filter, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.agent_messages(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::AgentMessage>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](model::JsonWriter& writer, const model::AgentMessage& last) {
                writer.text(base::format_uuid(last.id));
            };
            const std::string body = page_body(*result, limit, model::append_agent_message, append_next);
            to.respond({200, "application/json", body, {}});
        });
}

void get_agent_message(const Exchange& exchange) {
    const auto id = base::parse_uuid(exchange.captures.at(1));
    if (!id) return exchange.fail(base::error(base::Code::not_found, "this agent has no such message", "id"));
    exchange.service.ports.queries.agent_message(
        exchange.principal(), exchange.captures.front(), *id,
        [to = exchange.reply()](const base::Result<model::AgentMessage>& result) {
            if (!result) return to.fail(result.error());
            std::string body;
            model::JsonWriter writer(body);
            model::append_agent_message(writer, *result);
            to.respond({200, "application/json", body, {}});
        });
}

}  // namespace belfry::net::handlers
