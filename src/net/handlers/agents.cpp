#include "ports/commands/agents.hpp"

#include <utility>

#include "base/limits.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/worker_words.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

base::Result<void> read_patch_member(JsonReader& reader, std::string_view name, ports::ChangeAgent& wish) {
    ports::AgentPatch& patch = wish.patch;
    if (name == "kind") {
        TRY_ASSIGN(patch.kind, read_text(reader, 0, limits::agent_name_bytes_max));
    } else if (name == "display_name") {
        TRY_ASSIGN(patch.display_name, read_text(reader, 1, limits::agent_name_bytes_max));
    } else if (name == "mode") {
        TRY_ASSIGN(patch.mode, read_agent_mode(reader));
    } else if (name == "dormant") {
        TRY_ASSIGN(patch.dormant, reader.read_bool());
    } else if (name == "allowed_category_ids") {
        TRY_ASSIGN(patch.allowed_category_ids, read_texts(reader, limits::agent_list_max, limits::scope_id_bytes_max));
    } else if (name == "capabilities") {
        TRY_ASSIGN(patch.capabilities, read_texts(reader, limits::agent_list_max, limits::scope_id_bytes_max));
    } else if (name == "tool_policies") {
        TRY_ASSIGN(patch.tool_policies, read_tool_policies(reader));
    } else if (name == "config") {
        TRY_ASSIGN(patch.config, read_agent_config(reader));
    } else if (name == "memory") {
        TRY_ASSIGN(patch.memory, read_memory_settings(reader));
    } else if (name == "workflow") {
        TRY_ASSIGN(WorkflowWords words, read_workflow(reader));
        patch.workflow = words.kind;
        patch.workflow_settings = std::move(words.settings);
    } else if (name == "state") {
        TRY(read_state_patch(reader, wish.state));
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<void> take_parameter(ports::AgentFilter& filter, const std::string& name, const std::string& value) {
    if (name == "user") {
        TRY_ASSIGN(filter.user_id, parse_filter(name, value));
    } else if (name == "lifecycle") {
        filter.lifecycle = model::parse_agent_lifecycle(value);
        if (!filter.lifecycle) {
            return base::error(base::Code::invalid, "must be created, active, dormant or destroyed", name);
        }
    } else if (name == "after") {
        TRY_ASSIGN(filter.after, parse_filter(name, value));
    } else if (name == "limit") {
        TRY_ASSIGN(filter.limit, parse_limit(value));
    } else {
        return unknown_parameter(name);
    }
    return {};
}

}  // namespace

void create_agent(const Exchange& exchange) {
    auto command = std::make_unique<ports::CreateAgent>();
    command->names_capabilities = false;
    JsonReader reader(exchange.request.body);
    const auto read = read_body(reader, [&](std::string_view name) {
        if (name == "capabilities") command->names_capabilities = true;
        return read_agent_member(reader, name, command->draft);
    });
    if (!read.ok()) return exchange.fail(read.error());
    if (command->draft.id.empty()) return exchange.fail(missing("id"));
    command->bytes = exchange.request.body.size();
    exchange.submit(std::move(command), [](const Reply& to, const base::Result<ports::CreatedAgent>& result) {
        if (!result) return to.fail(result.error());
        answer_agent(to, result->is_new ? 201 : 200, result->record);
    });
}

void list_agents(const Exchange& exchange) {
    ports::AgentFilter filter;
    filter.limit = limits::page_entries_default;
    const auto read = read_parameters(exchange.request, [&](const std::string& name, const std::string& value) {
        return take_parameter(filter, name, value);
    });
    if (!read.ok()) return exchange.fail(read.error());
    const std::size_t limit = filter.limit++;
    exchange.service.ports.queries.agents(
        exchange.principal(), std::move(filter),
        [to = exchange.reply(), limit](const base::Result<std::vector<model::AgentRecord>>& result) {
            if (!result) return to.fail(result.error());
            const auto append_next = [](model::JsonWriter& writer, const model::AgentRecord& last) {
                writer.text(last.agent.id);
            };
            to.respond({200, "application/json", page_body(*result, limit, model::append_agent, append_next), {}});
        });
}

void get_agent(const Exchange& exchange) {
    exchange.service.ports.queries.agent(exchange.principal(), exchange.captures.front(),
                                         [to = exchange.reply()](const base::Result<model::AgentRecord>& result) {
                                             if (!result) return to.fail(result.error());
                                             answer_agent(to, 200, *result);
                                         });
}

void change_agent(const Exchange& exchange) {
    auto command = std::make_unique<ports::ChangeAgent>();
    command->agent_id = exchange.captures.front();
    JsonReader reader(exchange.request.body);
    const auto read =
        read_body(reader, [&](std::string_view name) { return read_patch_member(reader, name, *command); });
    if (!read.ok()) return exchange.fail(read.error());
    command->bytes = exchange.request.body.size();
    command->done = [to = exchange.reply()](const base::Result<model::AgentRecord>& result) {
        if (!result) return to.fail(result.error());
        answer_agent(to, 200, *result);
    };
    exchange.submit(std::move(command));
}

void change_own_state(const Exchange& exchange) {
    const auto words = worker_words_of(exchange);
    if (!words) return exchange.fail(words.error());
    auto wish = read_own_state(*words);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->done = [to = exchange.reply()](const base::Result<model::AgentRecord>& result) {
        if (!result) return to.fail(result.error());
        answer_agent(to, 200, *result);
    };
    exchange.submit(std::move(command));
}

void destroy_agent(const Exchange& exchange) {
    auto command = std::make_unique<ports::DestroyAgent>();
    command->agent_id = exchange.captures.front();
    command->lane = ports::Lane::control;
    command->done = [to = exchange.reply()](const base::Result<model::AgentRecord>& result) {
        if (!result) return to.fail(result.error());
        answer_agent(to, 200, *result);
    };
    exchange.submit(std::move(command));
}

}  // namespace belfry::net::handlers
