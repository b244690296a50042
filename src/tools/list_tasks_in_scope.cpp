#include "rules/journal_terms.hpp"
#include "tools/catalogue.hpp"
#include "tools/say.hpp"

namespace belfry::tools {
namespace {

constexpr std::int64_t limit_default = 50;

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    std::vector<std::string> terms;
    if (arguments.has("status")) {
        terms.push_back(rules::state_term(model::JournalKind::task, arguments.text("status")));
    }
    if (arguments.has("labelId")) terms.push_back(rules::label_term(arguments.text("labelId")));
    if (arguments.has("categoryId")) {
        terms.push_back(rules::kind_term(model::JournalKind::task, arguments.text("categoryId")));
    }
    const auto limit = static_cast<std::size_t>(arguments.integer("limit").value_or(limit_default));
    TRY_ASSIGN(const std::vector<model::JournalRecord> found,
               bench.newest(model::JournalKind::task, std::move(terms), limit + 1));
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("tasks").begin_array();
    for (std::size_t i = 0; i < std::min(found.size(), limit); ++i) append_task(writer, found[i]);
    writer.end_array().name("hasMore").boolean(found.size() > limit).end_object();
    return says;
}

}  // namespace

Tool list_tasks_in_scope() {
    model::ToolContract contract;
    contract.name = "list_tasks_in_scope";
    contract.description = "The newest tasks of your categories.";
    contract.capabilities = {model::AgentCapability::task_read};
    contract.idempotency = model::ToolIdempotency::read_only;
    contract.scope_rules = {model::ToolScopeRule::reads_in_scope};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
