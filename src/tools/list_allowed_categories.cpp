#include "tools/catalogue.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments&) {
    TRY_ASSIGN(const std::vector<model::JournalRecord> found, bench.find_all(bench.categories()));
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("categories").begin_array();
    for (const model::JournalRecord& record : found) {
        const auto* const category = std::get_if<model::Category>(&record.body);
        if (category == nullptr) continue;
        writer.begin_object().field("categoryId", record.id).field("name", category->name).end_object();
    }
    writer.end_array().end_object();
    return says;
}

}  // namespace

Tool list_allowed_categories() {
    model::ToolContract contract;
    contract.name = "list_allowed_categories";
    contract.description = "The categories that you may work in.";
    contract.capabilities = {model::AgentCapability::category_read};
    contract.idempotency = model::ToolIdempotency::read_only;
    contract.scope_rules = {model::ToolScopeRule::reads_in_scope};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
