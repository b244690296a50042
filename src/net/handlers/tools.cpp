#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "base/tool_limits.hpp"
#include "codec/http_url.hpp"
#include "codec/notification_json.hpp"
#include "codec/utf8.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
constexpr std::size_t wake_reasons_max = 5;
constexpr std::int64_t timeout_s_max = limits::tool_time_max.us / 1'000'000;

base::Result<std::string> tool_name_of_path(const Exchange& exchange) {
    const std::string& name = exchange.captures.front();
    if (name.size() > limits::tool_name_bytes_max) {
        return base::error(base::Code::invalid,
                           "must have at most " + std::to_string(limits::tool_name_bytes_max) + " bytes", "name");
    }
    if (!codec::is_utf8(name)) return base::error(base::Code::invalid, "must be UTF-8", "name");
    return name;
}

base::Result<std::vector<model::WakeReason>> read_wake_reasons(JsonReader& reader) {
    std::vector<model::WakeReason> reasons;
    TRY_ASSIGN(const auto names, read_texts(reader, wake_reasons_max, limits::tool_name_bytes_max));
    for (const std::string& name : names) {
        const auto reason = model::parse_wake_reason(name);
        if (!reason) {
            return reader.invalid("must be subscription, timer, user_initiated, recovery_catchup or manual");
        }
        if (std::ranges::find(reasons, *reason) == reasons.end()) reasons.push_back(*reason);
    }
    std::ranges::sort(reasons);
    return reasons;
}

base::Result<void> read_execution(JsonReader& reader, model::ToolExecution& execution) {
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "by") {
            TRY_ASSIGN(const std::string_view by, reader.read_string());
            if (by != "worker" && by != "webhook") return reader.invalid("must be worker or webhook");
            execution.by = by == "worker" ? model::ToolRunner::worker : model::ToolRunner::webhook;
        } else if (name == "url") {
            TRY_ASSIGN(execution.url, read_text(reader, 1, limits::tool_url_bytes_max));
            if (!codec::split_http_url(execution.url)) return reader.invalid("must be an http or https address");
        } else if (name == "secret_env") {
            TRY_ASSIGN(execution.secret_env, read_text(reader, 1, limits::tool_secret_env_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    const bool is_webhook = execution.by == model::ToolRunner::webhook;
    if (execution.by == model::ToolRunner::nobody) return missing("execution.by");
    if (is_webhook && execution.url.empty()) return missing("execution.url");
    if (!is_webhook && !(execution.url.empty() && execution.secret_env.empty())) {
        return base::error(base::Code::invalid, "has neither url nor secret_env where workers carry it out",
                           "execution");
    }
    return {};
}

// What is asked of those who call it, and who carries it out.
base::Result<bool> read_contract_member(JsonReader& reader, std::string_view name, model::ToolInfo& tool) {
    if (name == "risk") {
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        const auto risk = model::parse_tool_risk(text);
        if (!risk) return reader.invalid("must be low, medium or high");
        tool.risk = *risk;
    } else if (name == "capabilities") {
        TRY_ASSIGN(tool.capabilities, read_texts(reader, limits::tool_capabilities_max, limits::scope_id_bytes_max));
    } else if (name == "wake_reasons") {
        TRY_ASSIGN(tool.wake_reasons, read_wake_reasons(reader));
    } else if (name == "execution") {
        TRY(read_execution(reader, tool.execution));
    } else if (name == "timeout_s") {
        TRY_ASSIGN(const std::int64_t seconds, read_integer(reader, 1, timeout_s_max));
        tool.execution.time_max = base::seconds(seconds);
    } else {
        return false;
    }
    return true;
}

base::Result<std::unique_ptr<ports::PutTool>> read_tool(const Exchange& exchange) {
    auto put = std::make_unique<ports::PutTool>();
    TRY_ASSIGN(put->tool.name, tool_name_of_path(exchange));
    put->tool.capabilities = {model::own_capability_of(put->tool.name)};
    bool has_impact = false;
    JsonReader reader(exchange.request.body);
    TRY(read_body(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "impact") {
            TRY_ASSIGN(const std::string_view impact, reader.read_string());
            if (impact != "internal" && impact != "external") return reader.invalid("must be internal or external");
            put->tool.impact = impact == "internal" ? model::Impact::internal : model::Impact::external;
            has_impact = true;
        } else if (name == "description") {
            TRY_ASSIGN(put->tool.description, read_text(reader, 0, limits::tool_description_bytes_max));
        } else if (name == "schema") {
            TRY_ASSIGN(put->tool.schema, read_json_object(reader, limits::tool_schema_bytes_max));
        } else {
            TRY_ASSIGN(const bool is_known, read_contract_member(reader, name, put->tool));
            if (!is_known) return unknown(reader);
        }
        return {};
    }));
    if (!has_impact) return missing("impact");
    put->bytes = exchange.request.body.size();
    return put;
}

void append(model::JsonWriter& writer, const ports::KnownTool& tool) {
    codec::append_tool(writer, tool.info, tool.own);
}

std::string tool_body(const ports::KnownTool& tool) {
    std::string body;
    model::JsonWriter writer(body);
    append(writer, tool);
    return body;
}

std::string tool_page(const std::vector<ports::KnownTool>& tools, std::size_t limit) {
    return page_body(tools, limit, append,
                     [](model::JsonWriter& writer, const ports::KnownTool& last) { writer.text(last.info.name); });
}

}  // namespace

void put_tool(const Exchange& exchange) {
    auto wish = read_tool(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->done = [to = exchange.reply()](const base::Result<model::ToolInfo>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", tool_body({*result}), {}});
    };
    exchange.submit(std::move(command));
}

void delete_tool(const Exchange& exchange) {
    auto name = tool_name_of_path(exchange);
    if (!name) return exchange.fail(name.error());
    auto command = std::make_unique<ports::DeleteTool>();
    command->name = std::move(name).value();
    command->done = [to = exchange.reply()](const base::Result<ports::Nothing>& result) {
        if (!result) return to.fail(result.error());
        to.respond({204, "", "", {}});
    };
    exchange.submit(std::move(command));
}

void get_tool(const Exchange& exchange) {
    exchange.service.ports.queries.tool(exchange.principal(), exchange.captures.front(),
                                        [to = exchange.reply()](const base::Result<ports::KnownTool>& found) {
                                            if (!found) return to.fail(found.error());
                                            to.respond({200, "application/json", tool_body(*found), {}});
                                        });
}

void list_tools(const Exchange& exchange) {
    std::string after;
    std::size_t limit = limits::page_entries_default;
    const auto read =
        read_parameters(exchange.request, [&](const std::string& name, const std::string& value) -> base::Result<void> {
            if (name == "after") {
                TRY_ASSIGN(after, parse_filter(name, value));
            } else if (name == "limit") {
                TRY_ASSIGN(limit, parse_limit(value));
            } else {
                return unknown_parameter(name);
            }
            return {};
        });
    if (!read.ok()) return exchange.fail(read.error());
    exchange.service.ports.queries.tools(
        exchange.principal(), after, limit + 1,
        [to = exchange.reply(), limit](const base::Result<std::vector<ports::KnownTool>>& tools) {
            if (!tools) return to.fail(tools.error());
            to.respond({200, "application/json", tool_page(*tools, limit), {}});
        });
}

}  // namespace belfry::net::handlers
