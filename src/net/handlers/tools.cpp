#include <utility>

#include "base/limits.hpp"
#include "codec/notification_json.hpp"
#include "codec/utf8.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/page.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

base::Result<std::string> tool_name_of_path(const Exchange& exchange) {
    const std::string& name = exchange.captures.front();
    if (name.size() > limits::tool_name_bytes_max) {
        return base::error(base::Code::invalid,
                           "must have at most " + std::to_string(limits::tool_name_bytes_max) + " bytes", "name");
    }
    if (!codec::is_utf8(name)) return base::error(base::Code::invalid, "must be UTF-8", "name");
    return name;
}

base::Result<std::unique_ptr<ports::PutTool>> read_tool(const Exchange& exchange) {
    auto put = std::make_unique<ports::PutTool>();
    TRY_ASSIGN(put->tool.name, tool_name_of_path(exchange));
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
            return unknown(reader);
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
