#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "codec/notification_json.hpp"
#include "codec/utf8.hpp"
#include "net/handlers/body.hpp"
#include "net/handlers/handlers.hpp"
#include "net/handlers/parameters.hpp"
#include "ports/commands/delivery.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
using Tools = base::Result<std::vector<model::ToolInfo>>;

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

std::string tool_body(const model::ToolInfo& tool) {
    std::string body;
    model::JsonWriter writer(body);
    codec::append_tool(writer, tool);
    return body;
}

std::string list_body(const std::vector<model::ToolInfo>& tools, const std::string& after, std::size_t limit) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().name("data").begin_array();
    auto at = std::upper_bound(tools.begin(), tools.end(), after,
                               [](const std::string& name, const model::ToolInfo& tool) { return name < tool.name; });
    std::string_view last;
    for (std::size_t count = 0; at != tools.end() && count < limit && body.size() < limits::page_bytes_max; ++count) {
        last = at->name;
        codec::append_tool(writer, *at++);
    }
    writer.end_array().name("next");
    at == tools.end() ? writer.null() : writer.text(last);
    writer.name("has_more").boolean(at != tools.end()).end_object();
    return body;
}

}  // namespace

void put_tool(const Exchange& exchange) {
    auto wish = read_tool(exchange);
    if (!wish) return exchange.fail(wish.error());
    auto command = std::move(wish).value();
    command->done = [to = exchange.reply()](const base::Result<model::ToolInfo>& result) {
        if (!result) return to.fail(result.error());
        to.respond({200, "application/json", tool_body(*result), {}});
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
    exchange.service.ports.queries.tools(exchange.principal(), [to = exchange.reply(),
                                                                name = exchange.captures.front()](const Tools& tools) {
        if (!tools) return to.fail(tools.error());
        const auto found =
            std::find_if(tools->begin(), tools->end(), [&](const model::ToolInfo& tool) { return tool.name == name; });
        if (found == tools->end()) {
            return to.fail(base::error(base::Code::not_found, "there is no tool of this name; it counts as external"));
        }
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
    exchange.service.ports.queries.tools(exchange.principal(),
                                         [to = exchange.reply(), after, limit](const Tools& tools) {
                                             if (!tools) return to.fail(tools.error());
                                             to.respond({200, "application/json", list_body(*tools, after, limit), {}});
                                         });
}

}  // namespace belfry::net::handlers
