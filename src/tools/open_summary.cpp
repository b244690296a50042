#include "rules/memory_text.hpp"
#include "tools/catalogue.hpp"
#include "tools/memory.hpp"

namespace belfry::tools {
namespace {

constexpr std::int64_t limit_default = 20;

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    const auto id = base::parse_uuid(arguments.text("summaryId"));
    if (!id) return arguments.wrong("summaryId", "must be the id of a summary");
    const auto limit = static_cast<std::size_t>(arguments.integer("limit").value_or(limit_default));
    TRY_ASSIGN(const ports::OpenedSummary opened,
               bench.open_summary({{}, *id, arguments.integer("after").value_or(0), limit}));
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().field("summaryId", base::format_uuid(*id)).field("depth", opened.summary.place.depth);
    writer.field("text", opened.summary.summary.summary.text).name("messages").begin_array();
    for (const model::AgentMessage& message : opened.span) {
        begin_message(writer, message);
        writer.field("text", rules::clipped(rules::memory_text(message), told_bytes_max)).end_object();
    }
    writer.end_array().name("next");
    opened.next > 0 ? writer.number(opened.next) : writer.null();
    writer.end_object();
    return says;
}

}  // namespace

Tool open_summary() {
    model::ToolContract contract = memory_contract();
    contract.name = "open_summary";
    contract.description =
        "What a summary of your memory was made of, the oldest first: the messages themselves, or, of one that is "
        "deeper than 1, the summaries that it joins, which open in turn. Where next is not null, more follow: call it "
        "again with that as after.";
    return {std::move(contract), run};
}

}  // namespace belfry::tools
