#include "base/limits.hpp"
#include "tools/catalogue.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    SelfNote note;
    note.message = arguments.text("message");
    note.priority = arguments.text("priority");
    note.category = arguments.text("category");
    note.deliver_at = arguments.text("deliverAt");
    if (note.message.size() > base::limits::self_message_bytes_max) {
        return arguments.wrong(
            "message", "may have " + std::to_string(base::limits::self_message_bytes_max) + " bytes at the most");
    }
    TRY_ASSIGN(const std::string id, bench.note_to_self(note));
    std::string says;
    model::JsonWriter(says).begin_object().field("eventId", id).end_object();
    return says;
}

}  // namespace

Tool notify_self() {
    model::ToolContract contract;
    contract.name = "notify_self";
    contract.description = "Leaves a note for yourself, for a later turn.";
    contract.scope_rules = {model::ToolScopeRule::none};
    contract.changed_kinds = {"event"};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
