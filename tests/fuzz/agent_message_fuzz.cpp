// Messages of agents and actions of plans as workers send them: what is taken is a whole one, and what is written of it
// is read back as the same.
#include <string>

#include "base/assert.hpp"
#include "base/message_limits.hpp"
#include "net/handlers/agent_message_words.hpp"
#include "rules/agent_message.hpp"

namespace {

using namespace belfry;

void check_message(model::AgentMessage draft) {
    ASSERT(draft.content.bytes().size() <= base::limits::agent_message_bytes_max);
    const auto checked = rules::check_message(draft, model::Agent{});
    if (!checked.ok()) {
        ASSERT(!checked.error().field.empty() && !checked.error().message.empty());
        return;
    }
    std::string envelope;
    model::JsonWriter writer(envelope);
    model::append_envelope(writer, draft);
    model::AgentMessage read = draft;
    read.action.reset();
    read.tool_result.reset();
    model::read_envelope({envelope}, read);
    ASSERT(read == draft);
    ASSERT(rules::is_same_message(draft, draft));
    std::string whole;
    model::JsonWriter all(whole);
    model::append_agent_message(all, draft);
    ASSERT(codec::validate(whole).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    codec::JsonReader reader(text);
    if (auto draft = net::handlers::read_agent_message(reader); draft.ok()) check_message(std::move(*draft));
    codec::JsonReader again(text);
    if (auto action = net::handlers::read_planned_action(again); action.ok()) {
        std::vector<model::PlannedAction> plan{std::move(*action)};
        if (!rules::check_plan(plan, "key", 0).ok()) return 0;
        std::string kept;
        model::JsonWriter writer(kept);
        model::append_planned_actions(writer, plan);
        ASSERT(model::planned_actions_of({kept}) == plan);
    }
    return 0;
}
