#include "store/tool_table.hpp"

#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

#define BELFRY_TOOLS "SELECT name, impact, description, schema_json, updated_at FROM tools "
constexpr Sql select_tools{BELFRY_TOOLS "ORDER BY name"};
constexpr Sql select_tool{BELFRY_TOOLS "WHERE name = $1"};
constexpr Sql list_tools{BELFRY_TOOLS "WHERE name > $1 ORDER BY name LIMIT $2"};
constexpr Sql upsert_tool{
    "INSERT INTO tools (name, impact, description, schema_json, updated_at) VALUES ($1, $2, $3, $4, $5) "
    "ON CONFLICT (name) DO UPDATE SET impact = excluded.impact, description = excluded.description, "
    "schema_json = excluded.schema_json, updated_at = excluded.updated_at"};
constexpr Sql delete_tool{"DELETE FROM tools WHERE name = $1"};

model::ToolInfo read_tool(RowReader& row) {
    model::ToolInfo tool;
    tool.name = row.text();
    tool.impact = row.choice(model::Impact::external);
    tool.description = row.text();
    tool.schema = row.json();
    tool.updated_at = row.time();
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
    TRY(database_.run(upsert_tool, {bytes(tool.name), choice(tool.impact), bytes(tool.description),
                                    bytes(tool.schema.bytes()), number(tool.updated_at)}));
    return {};
}

base::Result<void> SqlToolTable::remove(std::string_view name) {
    TRY(database_.run(delete_tool, {bytes(name)}));
    return {};
}

}  // namespace belfry::store
