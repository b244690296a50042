#include "rules/journal_terms.hpp"
#include "tools/catalogue.hpp"
#include "tools/say.hpp"
#include "tools/scope.hpp"

namespace belfry::tools {
namespace {

constexpr std::int64_t limit_default = 50;

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    using model::JournalKind;
    std::vector<std::string> terms;
    if (arguments.has("status")) terms.push_back(rules::state_term(JournalKind::task, arguments.text("status")));
    if (arguments.has("labelId")) terms.push_back(rules::label_term(arguments.text("labelId")));
    if (arguments.has("categoryId")) {
        const std::string category = arguments.text("categoryId");
        TRY(check_category(bench, category, "categoryId"));
        terms.push_back(rules::kind_term(JournalKind::task, category));
    }
    const std::string from = arguments.text("dueFrom");
    const std::string to = arguments.text("dueTo");
    if (!from.empty() && !to.empty() && to < from) return arguments.wrong("dueTo", "must not lie before dueFrom");
    const bool is_by_due = !from.empty() || !to.empty();
    const auto limit = static_cast<std::size_t>(arguments.integer("limit").value_or(limit_default));
    TRY_ASSIGN(const std::vector<model::JournalRecord> found,
               is_by_due ? bench.due(from, to, std::move(terms), limit + 1)
                         : bench.newest(JournalKind::task, std::move(terms), limit + 1));
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
    contract.description =
        "The newest tasks of your categories. With dueFrom or dueTo: those that are not closed and due in these days, "
        "by their due date.";
    contract.capabilities = {model::AgentCapability::task_read};
    contract.idempotency = model::ToolIdempotency::read_only;
    contract.scope_rules = {model::ToolScopeRule::reads_in_scope};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
