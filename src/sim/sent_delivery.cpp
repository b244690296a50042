#include "sim/sent_delivery.hpp"

namespace belfry::sim {
namespace {

template <class C>
std::unique_ptr<C> command_by(model::Principal principal) {
    auto command = std::make_unique<C>();
    command->principal = std::move(principal);
    return command;
}

}  // namespace

ports::AnyCommand make(const SentEmit& sent) {
    auto command = command_by<ports::EmitNotification>(sent.principal);
    command->draft = sent.draft;
    command->lease = sent.lease;
    command->caused_by = sent.caused_by;
    return command;
}

ports::AnyCommand make(const SentAck& sent) {
    auto command = command_by<ports::AckNotification>(sent.principal);
    command->which.key = base::format_uuid(sent.id);
    command->lease = sent.lease;
    command->version = sent.version;
    command->how = sent.how;
    return command;
}

ports::AnyCommand make(const SentMark& sent) {
    auto command = command_by<ports::MarkNotification>(sent.principal);
    command->which.key = base::format_uuid(sent.id);
    command->mark = sent.mark;
    return command;
}

ports::AnyCommand make(const SentNarrate& sent) {
    auto command = command_by<ports::NarrateNotification>(admin_principal());
    command->which.key = base::format_uuid(sent.id);
    command->lease = sent.lease;
    command->pull_id = sent.pull_id;
    command->version = sent.version;
    command->words = sent.words;
    return command;
}

ports::AnyCommand make(const SentHeartbeat& sent) {
    auto command = command_by<ports::Heartbeat>(runtime_principal(sent.session_id, sent.as_agent));
    command->session_id = sent.session_id;
    command->lease = sent.lease;
    command->pull_id = sent.pull_id;
    command->leases = sent.leases;
    return command;
}

ports::AnyCommand make(const SentRetry& sent) {
    auto command = command_by<ports::RetryNotification>(admin_principal());
    command->which.key = base::format_uuid(sent.id);
    return command;
}

ports::AnyCommand make(const SentOpen& sent) {
    auto command = command_by<ports::OpenInbox>(admin_principal());
    command->user_id = sent.user_id;
    command->session_id = sent.session_id;
    return command;
}

ports::AnyCommand make(const SentContinue& sent) {
    auto command = command_by<ports::ContinueInbox>(admin_principal());
    command->user_id = sent.user_id;
    command->session_id = sent.session_id;
    command->after = sent.after;
    command->until = sent.until;
    return command;
}

ports::AnyCommand make(const SentClose& sent) {
    auto command = command_by<ports::CloseInbox>(admin_principal());
    command->user_id = sent.user_id;
    command->session_id = sent.session_id;
    return command;
}

ports::AnyCommand make(const SentDelete& sent) {
    auto command = command_by<ports::DeleteSession>(admin_principal());
    command->session_id = sent.session_id;
    return command;
}

ports::AnyCommand make(const SentTool& sent) {
    if (!sent.impact) {
        auto command = command_by<ports::DeleteTool>(admin_principal());
        command->name = sent.name;
        return command;
    }
    auto command = command_by<ports::PutTool>(admin_principal());
    command->tool.name = sent.name;
    command->tool.impact = *sent.impact;
    return command;
}

ports::AnyCommand make(const SentFinish& sent) {
    auto command = command_by<ports::FinishObligation>(model::house_principal());
    command->obligation = sent.obligation;
    command->fence = sent.fence;
    command->end = sent.is_done ? ports::ObligationEnd::done : ports::ObligationEnd::given_up;
    command->note = "the performer was told to say so";
    return command;
}

}  // namespace belfry::sim
