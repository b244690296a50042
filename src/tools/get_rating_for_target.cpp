#include "tools/catalogue.hpp"
#include "tools/ratings.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const std::optional<model::JournalRecord> rating, find_rating(bench, arguments));
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("rating");
    if (rating) append_rating(writer, *rating);
    else writer.null();
    writer.end_object();
    return says;
}

}  // namespace

Tool get_rating_for_target() {
    model::ToolContract contract;
    contract.name = "get_rating_for_target";
    contract.description = "How good a session of work (the id of its time entry) or a day (its date) was said to be.";
    contract.capabilities = {model::AgentCapability::rating_read};
    contract.idempotency = model::ToolIdempotency::read_only;
    contract.scope_rules = {model::ToolScopeRule::reads_in_scope};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
