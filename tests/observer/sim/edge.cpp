#include "edge.hpp"

#include <charconv>

#include "codec/agent_messages.hpp"
#include "codec/problem.hpp"
#include "model/raw_json.hpp"

namespace observer::sim {
namespace {

std::string agent_text(const ports::PullReply& reply) {
    belfry::codec::AgentContext context;
    for (const ports::PulledItem& item : reply.items) {
        const model::Notification& one = item.notification;
        const std::string_view tone = item.needs_answer ? std::string_view(one.tone_hint) : "";
        context.items.push_back({item.handle, model::priority_name(one.priority), one.subscriber_id, one.directive,
                                 tone, one.content, item.needs_answer, item.must_tell});
    }
    context.seen = reply.seen;
    context.digest = reply.digest;
    return belfry::codec::wrap_for_agent(context, reply.fence);
}

// The number of the line "… and 12 more, told in later turns".
std::int64_t facts_left_of(std::string_view text) {
    constexpr std::string_view lead = "and ";
    for (std::size_t at = text.find(lead); at != std::string_view::npos; at = text.find(lead, at + 1)) {
        std::int64_t number = 0;
        const char* const begin = text.data() + at + lead.size();
        const auto [end, failed] = std::from_chars(begin, text.data() + text.size(), number);
        if (failed != std::errc{}) continue;
        if (text.substr(static_cast<std::size_t>(end - text.data())).starts_with(" more")) return number;
    }
    return 0;
}

// Whether the head of an item in the prompt says that the user must be told; nothing where the item has no such head.
std::optional<bool> told_by_prompt(std::string_view text, const std::string& handle) {
    const std::string lead = "\n[" + handle + " ";
    const std::size_t at = text.find(lead);
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t end = text.find(']', at);
    return text.substr(at, end - at).find("tell the user") != std::string_view::npos;
}

std::string status_of_fact(std::string_view line) {
    if (line.starts_with("[SHOWN, escalated]")) return "shown_escalated";
    if (line.starts_with("[SHOWN")) return "shown";
    return "seen";
}

}  // namespace

Answer failure_of(const base::Error& error) {
    return {belfry::codec::status_of(error.code), error.reason.empty() ? base::code_name(error.code) : error.reason};
}

void set_routing(model::Notification& draft, const Routing& routing) {
    draft.address = routing.address_session ? model::Address::session : model::Address::user;
    draft.target = routing.target_agent ? model::Target::agent : model::Target::user;
    draft.handler = routing.handler_agent ? model::Handler::agent : model::Handler::system;
}

void read_pull(const ports::PullReply& reply, Pulled& seen) {
    seen.prompt = agent_text(reply);
    if (!reply.pull_id.is_nil()) seen.pull_id = id_text(reply.pull_id);
    for (const ports::PulledItem& from : reply.items) {
        PulledItem& item = seen.items.emplace_back();
        item.handle = from.handle;
        item.id = id_text(from.notification.id.uuid);
        item.lease = from.notification.lease;
        item.version = from.notification.version;
        item.again = from.again;
        item.needs_answer = from.needs_answer;
        item.must_tell = from.must_tell;
        item.text = from.notification.text;
        item.content = from.notification.content;
        if (from.needs_answer) item.prompt_must_tell = told_by_prompt(seen.prompt, from.handle);
        item.stands_for = from.stands_for;
    }
    for (const std::string& line : reply.seen) seen.seen.push_back({{}, 0, status_of_fact(line), line});
    seen.facts_left = facts_left_of(seen.prompt);
    seen.digest = reply.digest;
    for (const auto& message : reply.user_messages)
        seen.user_messages.push_back({id_text(message.id.uuid), message.content});
    seen.waiting = reply.waiting;
}

std::string member_text(std::string_view line, std::string_view name) {
    const auto found = model::JsonView{line}.member(name);
    return found && found->kind() == model::JsonKind::string ? found->as_text() : std::string();
}

std::int64_t member_number(std::string_view line, std::string_view name) {
    std::int64_t number = 0;
    if (const auto found = model::JsonView{line}.member(name))
        std::from_chars(found->text.data(), found->text.data() + found->text.size(), number);
    return number;
}

std::string_view type_of_line(std::string_view line, std::string& room) {
    room = member_text(line, "type");
    return room;
}

Shown shown_of_line(std::string_view line) {
    Shown seen;
    model::JsonWalker walker(model::JsonView{line});
    std::string_view name;
    while (const auto value = walker.next(&name)) {
        const auto text = [&] { return value->kind() == model::JsonKind::string ? value->as_text() : std::string(); };
        const auto number = [&] {
            std::int64_t read = 0;
            std::from_chars(value->text.data(), value->text.data() + value->text.size(), read);
            return read;
        };
        if (name == "id") seen.id = text();
        else if (name == "owner_lease") seen.lease = number();
        else if (name == "version") seen.version = number();
        else if (name == "session_id") seen.session = text();
        else if (name == "channel") seen.channel = text();
        else if (name == "narrated") seen.narration = value->text == "true";
        else if (name == "text") seen.text = text();
        else if (name == "content") seen.content = text();
        else if (name == "state") seen.state = text();
        else if (name == "timestamp") seen.created_at = text();
        else if (name == "routing")
            seen.routing = {member_text(value->text, "address") == "session",
                            member_text(value->text, "target") == "agent",
                            member_text(value->text, "handler") == "agent"};
    }
    if (seen.channel.empty()) seen.channel = seen.session.empty() ? "inbox" : "conversation";
    return seen;
}

StateShown state_of_line(std::string_view line) {
    return {{}, member_text(line, "id"), member_text(line, "state")};
}

bool read_turn_request(std::string_view line, TurnRequested& seen) {
    if (member_text(line, "type") != "turn_requested") return false;
    seen.session = member_text(line, "session_id");
    seen.agent = member_text(line, "agent_id");
    seen.id = member_text(line, "id");
    seen.reason = member_text(line, "reason");
    return true;
}

model::Principal admin_token() {
    model::Principal who;
    who.id = "token:admin";
    who.role = model::Role::admin;
    return who;
}

model::Principal user_token(const std::string& user) {
    model::Principal who;
    who.id = "token:" + user;
    who.role = model::Role::user;
    who.user_id = user;
    return who;
}

model::Principal agent_token(const std::string& name, const std::string& user) {
    model::Principal who;
    who.id = "token:" + name;
    who.role = model::Role::agent;
    who.bounds.users = {user};
    return who;
}

model::Principal emitter_token(const std::string& name) {
    model::Principal who;
    who.id = "token:" + name;
    who.role = model::Role::emitter;
    return who;
}

std::string id_text(const base::Uuid& id) {
    return base::format_uuid(id);
}

}  // namespace observer::sim
