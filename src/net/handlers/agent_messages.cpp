#include "ports/commands/agent_messages.hpp"

#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "net/handlers/agent_message_words.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
constexpr std::int64_t number_max = std::numeric_limits<std::int64_t>::max();

// The place of a member that is missing is told from the element on; it is put in front.
base::Error at_element(base::Error error, std::string_view list, std::size_t index) {
    if (error.code != base::Code::invalid || error.field.starts_with(list)) return error;
    error.field = std::string(list) + "[" + std::to_string(index) + "]." + error.field;
    return error;
}

template <class T, class Read>
base::Result<std::vector<T>> read_list(JsonReader& reader, std::string_view list, std::size_t count_max, Read read) {
    std::vector<T> all;
    TRY(reader.begin_array());
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return all;
        if (all.size() == count_max) {
            return reader.invalid("is one too many; at most " + std::to_string(count_max) + " entries are allowed");
        }
        auto one = read(reader);
        if (!one.ok()) return at_element(std::move(one).error(), list, all.size());
        all.push_back(std::move(*one));
    }
}

base::Result<std::unique_ptr<ports::AppendAgentMessages>> read_append(const Exchange& exchange) {
    auto wish = std::make_unique<ports::AppendAgentMessages>();
    TRY_ASSIGN(wish->id, wake_id_of_path(exchange));
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "fence") {
            TRY_ASSIGN(wish->fence, read_integer(reader, 1, number_max));
        } else if (name == "messages") {
            TRY_ASSIGN(wish->drafts, read_list<model::AgentMessage>(
                                         reader, "messages", limits::agent_messages_batch_max, read_agent_message));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (wish->fence == 0) return missing("fence");
    if (wish->drafts.empty()) return missing("messages");
    return wish;
}

base::Result<std::unique_ptr<ports::StorePlan>> read_plan(const Exchange& exchange) {
    auto wish = std::make_unique<ports::StorePlan>();
    TRY_ASSIGN(wish->id, wake_id_of_path(exchange));
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "fence") {
            TRY_ASSIGN(wish->fence, read_integer(reader, 1, number_max));
        } else if (name == "round") {
            TRY_ASSIGN(wish->round, read_integer(reader, 1, limits::plan_rounds_max));
        } else if (name == "actions") {
            TRY_ASSIGN(wish->actions, read_list<model::PlannedAction>(reader, "actions", limits::plan_actions_max,
                                                                      read_planned_action));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (wish->fence == 0) return missing("fence");
    if (wish->actions.empty()) return missing("actions");
    return wish;
}

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
    auto wish = read_append(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->bytes = exchange.request.body.size();
    command->done = [to = exchange.reply()](const base::Result<ports::AppendedMessages>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        model::JsonWriter writer(body);
        writer.begin_object().name("data").begin_array();
        for (const model::AgentMessage& one : result->messages) model::append_agent_message(writer, one);
        writer.end_array().field("added", static_cast<long long>(result->added)).end_object();
        to.respond({result->added > 0 ? 201 : 200, "application/json", body, {}});
    };
    exchange.submit(std::move(command));
}

void store_plan(const Exchange& exchange) {
    auto wish = read_plan(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->bytes = exchange.request.body.size();
    command->done = [to = exchange.reply()](const base::Result<ports::StoredPlan>& result) {
        if (!result) return to.fail(result.error());
        std::string body;
        model::JsonWriter writer(body);
        model::append_plan(writer, result->plan);
        to.respond({result->is_new ? 201 : 200, "application/json", body, {}});
    };
    exchange.submit(std::move(command));
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
