#include "rules/recall.hpp"

#include "tools/catalogue.hpp"
#include "tools/memory.hpp"

namespace belfry::tools {
namespace {

constexpr std::int64_t limit_default = 10;

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    const std::string query = arguments.text("query");
    if (rules::recall_words(query).empty()) return arguments.wrong("query", "has no word that could be looked for");
    std::optional<model::AgentMessageKind> kind;
    if (arguments.has("kind")) kind = model::parse_agent_message_kind(arguments.text("kind"));
    const auto limit = static_cast<std::size_t>(arguments.integer("limit").value_or(limit_default));
    TRY_ASSIGN(const std::vector<model::RecalledMessage> found, bench.recall(query, kind, limit));
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("results").begin_array();
    for (const model::RecalledMessage& one : found) {
        begin_message(writer, one.message);
        writer.field("words", one.words).field("snippet", one.snippet).end_object();
    }
    writer.end_array().end_object();
    return says;
}

}  // namespace

Tool recall() {
    model::ToolContract contract = memory_contract();
    contract.name = "recall";
    contract.description =
        "Looks for words in all that you have ever been told, have thought and done, in this conversation and in "
        "others: the messages that have most of them, the newest first, each with the place where they stand.";
    return {std::move(contract), run};
}

}  // namespace belfry::tools
