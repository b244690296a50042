#include "sim/sent.hpp"

#include "sim/sent_agents.hpp"
#include "sim/sent_delivery.hpp"

namespace belfry::sim {
namespace {

ports::AnyCommand make(const SentRequest& sent) {
    auto command = std::make_unique<ports::EmitEvents>();
    command->principal = sent.principal;
    if (!sent.key.empty()) command->idempotency = ports::IdempotencyKey{sent.key, sent.fingerprint};
    for (const SentEvent& entry : sent.entries) {
        base::Result<model::Event> event = entry.broken ? base::Result<model::Event>(*entry.broken) : entry.event;
        command->entries.push_back({std::move(event), entry.fingerprint});
    }
    return command;
}

ports::AnyCommand make(const SentMint& sent) {
    auto command = std::make_unique<ports::MintToken>();
    command->principal = admin_principal();
    command->name = sent.name;
    command->role = sent.user_id.empty() ? model::Role::emitter : model::Role::user;
    command->user_id = sent.user_id;
    command->life = sent.life;
    return command;
}

ports::AnyCommand make(const SentRevoke& sent) {
    auto command = std::make_unique<ports::RevokeToken>();
    command->principal = admin_principal();
    command->lane = ports::Lane::control;
    command->token_id = sent.token_id;
    return command;
}

ports::AnyCommand make(const SentErase& sent) {
    auto command = std::make_unique<ports::EraseUser>();
    command->principal = admin_principal();
    command->user_id = sent.user_id;
    return command;
}

ports::AnyCommand make(const SentSlice& sent) {
    auto command = std::make_unique<ports::EraseSlice>();
    command->principal = model::house_principal();
    command->obligation = sent.obligation;
    command->fence = sent.fence;
    return command;
}

ports::AnyCommand make(const SentPostpone& sent) {
    auto command = std::make_unique<ports::PostponeObligation>();
    command->principal = model::house_principal();
    command->obligation = sent.obligation;
    command->fence = sent.fence;
    command->reason = "the performer was told to say so";
    return command;
}

}  // namespace

model::Principal admin_principal() {
    model::Principal admin;
    admin.id = "peer:1000";
    admin.role = model::Role::admin;
    admin.proof = model::Proof::peer;
    return admin;
}

model::Principal person_principal(const std::string& user_id) {
    model::Principal person;
    person.id = "token:" + user_id;
    person.role = model::Role::user;
    person.user_id = user_id;
    return person;
}

model::Principal program_principal() {
    model::Principal program;
    program.id = "token:program";
    program.role = model::Role::service;
    return program;
}

model::Principal agent_principal(const std::string& session_id) {
    model::Principal agent;
    agent.id = "token:agent";
    agent.role = model::Role::agent;
    agent.bounds.sessions = {session_id};
    return agent;
}

model::Principal runtime_principal(const std::string& session_id, bool as_agent) {
    return as_agent ? agent_principal(session_id) : admin_principal();
}

ports::AnyCommand to_command(const Sent& sent) {
    return std::visit([](const auto& one) -> ports::AnyCommand { return make(one); }, sent);
}

}  // namespace belfry::sim
