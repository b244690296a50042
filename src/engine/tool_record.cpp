#include "engine/tool_record.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/message_limits.hpp"
#include "engine/message_batch.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::AgentMessage;

std::string clipped(std::string text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    while ((static_cast<unsigned char>(text[bytes_max]) & 0xC0U) == 0x80U) --bytes_max;  // no half of a character
    text.resize(bytes_max);
    return text;
}

}  // namespace

ToolFault fault_of(const base::Error& why) {
    const bool names_field = why.field.empty() || why.message.starts_with(why.field);
    ToolFault fault;
    fault.code = !why.reason.empty()         ? why.reason
                 : why.code == Code::invalid ? "invalid_arguments"
                                             : base::code_name(why.code);
    // `must be a date` has the argument for its subject; `no timer runs for this task` is a sentence of its own.
    static constexpr std::array<std::string_view, 9> verbs{"must ", "may ",    "is ",     "has ",  "does ",
                                                           "goes ", "stands ", "cannot ", "needs "};
    const auto begins = [&](std::string_view verb) { return why.message.starts_with(verb); };
    const bool goes_on = std::ranges::any_of(verbs, begins);
    const char* const joint = goes_on ? " " : ": ";
    fault.message =
        clipped(names_field ? why.message : why.field + joint + why.message, limits::agent_error_message_bytes_max);
    return fault;
}

AgentMessage ToolRecord::draft(const std::string& operation_id, base::Result<ToolEffect> effect) {
    AgentMessage draft;
    draft.kind = model::AgentMessageKind::tool_result;
    draft.metadata.operation_id = operation_id;
    draft.tool_result.emplace();
    if (effect.ok()) {
        draft.metadata.status = model::ToolStatus::success;
        draft.content = model::RawJson::trusted(std::move(effect->says));
        draft.tool_result->changed_entity_ids = std::move(effect->changed);
        draft.tool_result->changed_tokens = std::move(effect->tokens);
        return draft;
    }
    ToolFault fault = fault_of(effect.error());
    draft.metadata.status = model::ToolStatus::error;
    draft.metadata.error_code = std::move(fault.code);
    draft.metadata.error_message = std::move(fault.message);
    return draft;
}

base::Result<std::vector<AgentMessage>> ToolRecord::append(const ToolActor& actor, std::vector<AgentMessage> drafts,
                                                           Unit& unit) {
    MessageBatch batch(actor.agent, actor.wake);
    for (AgentMessage& message : drafts) {
        TRY_ASSIGN(const base::Result<void> taken, batch.take(std::move(message), unit));
        if (!taken.ok()) return base::error(Code::internal, "a tool's call was refused: " + taken.error().message);
    }
    TRY_ASSIGN(const model::ChangeOrigin itself, wakes_.origin_of(actor.wake, unit));
    TRY(log_.append(actor.agent, actor.wake.thread_id, batch.staged(), itself, unit));
    return batch.taken();
}

void ToolRecord::show_call(const model::Wake& wake, const CallName& call, const model::RawJson& arguments, Unit& unit) {
    std::string shown;
    model::JsonWriter(shown)
        .begin_object()
        .field("tool_call_id", call.operation_id)
        .field("tool_name", call.tool_name)
        .name("arguments")
        .raw(arguments.bytes())
        .end_object();
    (void)runs_.tell(wake.run_id, "llm.tool_call", shown, unit);
}

void ToolRecord::show_result(const model::Wake& wake, const CallName& call, const AgentMessage& result, Unit& unit) {
    std::string shown;
    model::JsonWriter writer(shown);
    writer.begin_object().field("tool_call_id", call.operation_id).field("tool_name", call.tool_name);
    writer.field("status", model::tool_status_name(*result.metadata.status)).name("result");
    if (result.metadata.error_message.empty()) writer.raw(result.content.bytes());
    else writer.text(result.metadata.error_message);
    writer.end_object();
    runs_.hear(wake.run_id, unit.now);
    (void)runs_.tell(wake.run_id, "llm.tool_result", shown, unit);
}

}  // namespace belfry::engine
