#pragma once

#include "ports/commands/delivery.hpp"
#include "sim/engine_world_test.hpp"

// The delivery protocol through the real engine and the real store: what no single rule can promise by itself. Only
// tests include it.
namespace belfry::sim {

using base::seconds;
using model::Address;
using model::DeliveryState;
using model::Handler;
using model::Role;
using model::Target;
using Row = model::Notification;

class DeliveryProtocol : public EngineWorld {
protected:
    static model::Principal user(const std::string& name) {
        model::Principal who;
        who.id = "token:" + name;
        who.role = Role::user;
        who.user_id = name;
        return who;
    }
    static model::Principal bound(Role role, const std::string& session) {
        model::Principal who;
        who.id = "token:bound";
        who.role = role;
        who.bounds.sessions = {session};
        return who;
    }

    // What it answers, or the refusal.
    template <class C>
    base::Result<typename C::Reply> try_(std::unique_ptr<C> command, model::Principal who = model::house_principal()) {
        command->principal = std::move(who);
        const C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->result();
    }

    static std::unique_ptr<ports::EmitNotification> draft(Target target, Handler handler, std::string session = "s") {
        auto command = std::make_unique<ports::EmitNotification>();
        command->draft.text = "the matter";
        command->draft.scope.user_id = "ada";
        command->draft.address = session.empty() ? Address::user : Address::session;
        command->draft.scope.session_id = std::move(session);
        command->draft.target = target;
        command->draft.handler = handler;
        return command;
    }
    Row emit_one(Target target, Handler handler, const std::string& session = "s") {
        return ask(draft(target, handler, session)).notification;
    }
    Row emit_keyed(const std::string& key, Target target, Handler handler, const std::string& session = "s") {
        auto command = draft(target, handler, session);
        command->draft.deduplication_key = key;
        return ask(std::move(command)).notification;
    }
    Row row(const Row& one) {
        EXPECT_TRUE(store_->begin().ok());
        auto found = store_->notifications().find(one.id);
        store_->rollback();
        return found.ok() && *found ? **found : Row{};
    }
    static std::unique_ptr<ports::ReportTurn> turn(ports::TurnEdge edge, std::vector<ports::Named> named = {}) {
        auto command = std::make_unique<ports::ReportTurn>();
        command->session_id = "s";
        command->edge = edge;
        command->acknowledged = std::move(named);
        return command;
    }
    void start() { ask(turn(ports::TurnEdge::start)); }
    void end() { ask(turn(ports::TurnEdge::end)); }
    // A runtime that pulled more than once in a turn says which pull it has.
    static std::unique_ptr<ports::ReportTurn> end_of(const ports::PullReply& pulled,
                                                     std::vector<ports::Named> named = {}) {
        auto command = turn(ports::TurnEdge::end, std::move(named));
        command->pull_id = pulled.pull_id;
        return command;
    }
    static std::unique_ptr<ports::ReportToolCall> call_of(const std::string& tool, ports::ToolCallStatus status) {
        auto command = std::make_unique<ports::ReportToolCall>();
        command->session_id = "s";
        command->tool_name = tool;
        command->call_id = tool;
        command->status = status;
        command->payload =
            model::RawJson::trusted("{\"tool_name\":\"" + tool + "\",\"call_id\":\"" + tool + "\",\"duration_ms\":1}");
        return command;
    }
    void call(const std::string& tool, ports::ToolCallStatus status) { ask(call_of(tool, status)); }
    static std::unique_ptr<ports::PutSession> put(const std::string& user) {
        auto command = std::make_unique<ports::PutSession>();
        command->session_id = "s";
        if (!user.empty()) command->user_id = user;
        return command;
    }
    static std::unique_ptr<ports::MarkNotification> mark(const Row& one) {
        auto command = std::make_unique<ports::MarkNotification>();
        command->which.key = base::format_uuid(one.id.uuid);
        return command;
    }
    void acknowledge_in_inbox(const Row& one) {
        auto command = std::make_unique<ports::AckNotification>();
        command->which.key = base::format_uuid(one.id.uuid);
        command->lease = one.lease;
        command->version = one.version;
        ask(std::move(command));
    }
};

}  // namespace belfry::sim
