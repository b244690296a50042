#include "store/tool_table.hpp"

#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

#define BELFRY_TOOL_COLUMNS                                                                                    \
    "name, impact, description, schema_json, updated_at, risk, capabilities_json, wake_reasons, runner, url, " \
    "secret_env, time_max_us"
#define BELFRY_TOOLS "SELECT " BELFRY_TOOL_COLUMNS " FROM tools "
constexpr Sql select_tools{BELFRY_TOOLS "ORDER BY name"};
constexpr Sql select_tool{BELFRY_TOOLS "WHERE name = $1"};
constexpr Sql list_tools{BELFRY_TOOLS "WHERE name > $1 ORDER BY name LIMIT $2"};
constexpr Sql upsert_tool{
    "INSERT INTO tools (" BELFRY_TOOL_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
    "ON CONFLICT (name) DO UPDATE SET impact = excluded.impact, description = excluded.description, "
    "schema_json = excluded.schema_json, updated_at = excluded.updated_at, risk = excluded.risk, "
    "capabilities_json = excluded.capabilities_json, wake_reasons = excluded.wake_reasons, "
    "runner = excluded.runner, url = excluded.url, secret_env = excluded.secret_env, "
    "time_max_us = excluded.time_max_us"};
constexpr Sql delete_tool{"DELETE FROM tools WHERE name = $1"};

// A bit for each reason.
std::int64_t bits_of(const std::vector<model::WakeReason>& reasons) {
    std::int64_t bits = 0;
    for (const model::WakeReason reason : reasons) bits |= std::int64_t{1} << static_cast<unsigned>(reason);
    return bits;
}

std::vector<model::WakeReason> reasons_of(std::int64_t bits) {
    std::vector<model::WakeReason> reasons;
    for (unsigned i = 0; i <= static_cast<unsigned>(model::WakeReason::manual); ++i) {
        if ((bits & (std::int64_t{1} << i)) != 0) reasons.push_back(static_cast<model::WakeReason>(i));
    }
    return reasons;
}

std::string json_of(const std::vector<std::string>& texts) {
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
    return json;
}

std::vector<std::string> capabilities_of(const std::optional<std::string>& json, const std::string& tool) {
    if (!json) return {model::own_capability_of(tool)};
    std::vector<std::string> names;
    model::JsonWalker walker(model::JsonView{*json});
    while (const auto one = walker.next()) names.push_back(one->as_text());
    return names;
}

model::ToolInfo read_tool(RowReader& row) {
    model::ToolInfo tool;
    tool.name = row.text();
    tool.impact = row.choice(model::Impact::external);
    tool.description = row.text();
    tool.schema = row.json();
    tool.updated_at = row.time();
    tool.risk = row.choice(model::ToolRisk::high);
    tool.capabilities = capabilities_of(row.maybe_text(), tool.name);
    tool.wake_reasons = reasons_of(row.number());
    tool.execution.by = row.choice(model::ToolRunner::webhook);
    tool.execution.url = row.maybe_text().value_or("");
    tool.execution.secret_env = row.maybe_text().value_or("");
    tool.execution.time_max = base::microseconds(row.number());
    return tool;
}

}  // namespace

base::Result<std::vector<model::ToolInfo>> SqlToolTable::load() {
    return select(database_, "tools", select_tools, {}, read_tool);
}

base::Result<std::optional<model::ToolInfo>> SqlToolTable::find(std::string_view name) {
    return select_one(database_, "tools", select_tool, {bytes(name)}, read_tool);
}

base::Result<std::vector<model::ToolInfo>> SqlToolTable::list(std::string_view after, std::size_t limit) {
    return select(database_, "tools", list_tools, {bytes(after), number(std::uint64_t{limit})}, read_tool);
}

base::Result<void> SqlToolTable::put(const model::ToolInfo& tool) {
    const std::string capabilities = json_of(tool.capabilities);
    const model::ToolExecution& execution = tool.execution;
    TRY(database_.run(upsert_tool, {bytes(tool.name), choice(tool.impact), bytes(tool.description),
                                    bytes(tool.schema.bytes()), number(tool.updated_at), choice(tool.risk),
                                    bytes(capabilities), number(bits_of(tool.wake_reasons)), choice(execution.by),
                                    bytes(execution.url), bytes(execution.secret_env), number(execution.time_max.us)}));
    return {};
}

base::Result<void> SqlToolTable::remove(std::string_view name) {
    TRY(database_.run(delete_tool, {bytes(name)}));
    return {};
}

}  // namespace belfry::store
