#include "rules/tool_question.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/limits.hpp"

namespace belfry::rules {

model::InteractionId question_id(std::string_view agent_id, std::string_view operation_id) {
    std::string name = "belfry.question\n";
    name.append(agent_id).append("\n").append(operation_id);
    const base::Sha256 hash = base::sha256(name);
    model::InteractionId id;
    std::copy_n(hash.begin(), id.uuid.bytes.size(), id.uuid.bytes.begin());
    // Version 8, as RFC 9562 has it for ids that are made in a way of one's own.
    id.uuid.bytes[6] = static_cast<std::uint8_t>((id.uuid.bytes[6] & 0x0FU) | 0x80U);
    id.uuid.bytes[8] = static_cast<std::uint8_t>((id.uuid.bytes[8] & 0x3FU) | 0x80U);
    return id;
}

model::Interaction question_of(const model::InteractionId& id, const model::Agent& agent, const model::Wake& wake,
                               const model::PlannedAction& action) {
    model::Interaction question;
    question.id = id;
    question.session_id = wake.session_id;
    question.user_id = wake.user_id;
    question.run_id = wake.run_id;
    question.message = agent.display_name + " wants to use " + action.tool_name;
    question.tool_name = action.tool_name;
    if (action.arguments.bytes().size() <= base::limits::interaction_arguments_bytes_max) {
        question.arguments = action.arguments;
    }
    return question;
}

}  // namespace belfry::rules
