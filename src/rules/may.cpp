#include "rules/may.hpp"

#include <algorithm>
#include <string>

#include "model/session_stream.hpp"
#include "rules/type_pattern.hpp"

namespace belfry::rules {
namespace {

using base::Code;
using model::Role;

base::Error refused(std::string why, std::string field = {}) {
    return base::error(Code::forbidden, std::move(why), std::move(field));
}

bool allows(const std::vector<std::string>& bound, std::string_view value) {
    return bound.empty() || std::ranges::find(bound, value) != bound.end();
}

std::string role_text(const model::Principal& who) {
    return "role " + std::string(model::role_name(who.role));
}

base::Result<void> check_bounds(const model::Bounds& bounds, const model::Event& event) {
    if (!allows(bounds.users, event.user_id)) return refused("this token may not emit for this user", "user_id");
    if (!allows(bounds.sessions, event.session_id)) {
        return refused("this token may not emit for this session", "session_id");
    }
    if (!event.agent_id.empty() && !allows(bounds.agents, event.agent_id)) {
        return refused("this token may not emit for this agent", "agent_id");
    }
    const bool type_allowed =
        bounds.type_prefixes.empty() || std::ranges::any_of(bounds.type_prefixes, [&](const std::string& prefix) {
            return is_below_prefix(prefix, event.type);
        });
    if (!type_allowed) return refused("this token may not emit events of this type", "type");
    if (bounds.severity_max && event.severity && *event.severity > *bounds.severity_max) {
        return refused(
            "this token may emit severity " + std::string(model::severity_name(*bounds.severity_max)) + " at the most",
            "severity");
    }
    return {};
}

bool is_unbound(const model::Principal& who) {
    return who.bounds.users.empty() && who.bounds.sessions.empty();
}

// A bound of several users or sessions is one that a filter must choose from, so that a reader never sees more than it
// asked for.
base::Result<void> narrow(const std::vector<std::string>& bound, std::string& wanted, const char* field) {
    if (bound.empty()) return {};
    if (wanted.empty() && bound.size() == 1) wanted = bound.front();
    if (wanted.empty()) return refused(std::string("this token must name which ") + field + " it reads", field);
    if (!allows(bound, wanted)) return refused(std::string("this token may not read this ") + field, field);
    return {};
}

// Whose things somebody sees at all: the user is narrowed as it must be.
base::Result<void> see_user(const model::Principal& who, std::string& user_id) {
    if (who.role == Role::emitter) return refused("an emitter's token cannot read");
    if (who.role == Role::admin) return {};
    if (who.role == Role::agent && is_unbound(who)) {
        return refused("an agent's token reads only the users or sessions that it is bound to");
    }
    if (who.role != Role::user) return narrow(who.bounds.users, user_id, "user");
    if (user_id.empty()) user_id = who.user_id;
    if (user_id != who.user_id) return refused("a user token reads what is its own user's only", "user");
    return {};
}

// Whoever may use a session may follow it. One that was guessed to be somebody's and became another's is not his to
// follow any further: so he gets what is told of its owner as it was when he came.
base::Result<void> may_follow_session(const model::Principal& who, const model::StreamInfo& stream,
                                      model::StreamFilter& filter) {
    const std::string_view session_id = std::string_view(stream.name).substr(model::session_stream_name({}).size());
    TRY(may_use_session(who, session_id, stream.owner));
    if (who.role == Role::user || !who.bounds.users.empty()) filter.user_id = stream.owner;
    return {};
}

// Agents follow what asks them for a turn, and never what a person reads. Changes of records wake them, each within its
// categories; the stream of changes has all.
base::Result<void> may_follow_owned(const model::Principal& who, const model::StreamInfo& stream,
                                    model::StreamFilter& filter) {
    if (who.role == Role::admin) return {};
    if (who.role == Role::user && stream.owner != who.user_id) {
        return refused("a user token reads what is its own user's only", "user");
    }
    if (who.role == Role::agent) {
        const bool is_runs = stream.retention == model::RetentionClass::runs;
        const bool is_theirs = stream.name.starts_with("agent:") || is_runs;
        if (!is_theirs) return refused("the stream " + stream.name + " is not for agents");
        if (is_runs && is_confined(who)) return refused("the stream " + stream.name + " is not this agent's");
        filter.about_agents = who.bounds.agents;
        if (is_unbound(who)) return refused("an agent's token reads only the users or sessions that it is bound to");
    }
    if (!allows(who.bounds.users, stream.owner)) return refused("this token may not read this user", "user");
    return narrow(who.bounds.sessions, filter.session_id, "session");
}

}  // namespace

bool is_confined(const model::Principal& who) {
    return !who.bounds.agents.empty();
}

base::Result<void> may_use_agent(const model::Principal& who, std::string_view agent_id) {
    if (allows(who.bounds.agents, agent_id)) return {};
    return refused("this token is bound to agents, and this belongs to none of them", "agent_id");
}

base::Result<void> may_notify(const model::Principal& who, const model::Scope& scope, model::Severity severity,
                              model::Priority priority) {
    if (who.role == Role::user && scope.user_id != who.user_id) {
        return refused("a user token emits for its own user only", "user_id");
    }
    const model::Bounds& bounds = who.bounds;
    if (!bounds.type_prefixes.empty()) return refused("this token may emit events of its types only");
    if (!allows(bounds.users, scope.user_id)) return refused("this token may not emit for this user", "user_id");
    if (!allows(bounds.sessions, scope.session_id)) {
        return refused("this token may not emit for this session", "session_id");
    }
    if (!scope.agent_id.empty() && !allows(bounds.agents, scope.agent_id)) {
        return refused("this token may not emit for this agent", "agent_id");
    }
    if (bounds.severity_max && severity > *bounds.severity_max) {
        return refused(
            "this token may emit severity " + std::string(model::severity_name(*bounds.severity_max)) + " at the most",
            "severity");
    }
    if (bounds.severity_max && *bounds.severity_max < model::Severity::critical &&
        priority == model::Priority::critical) {
        return refused("a token that is bound to severity " + std::string(model::severity_name(*bounds.severity_max)) +
                           " cannot give priority critical",
                       "priority");
    }
    return {};
}

base::Result<void> may_answer_for(const model::Principal& who, std::string_view user_id, std::string_view session_id) {
    if (who.role == Role::admin) return {};
    if (who.role == Role::agent || who.role == Role::emitter) {
        return refused(role_text(who) + " cannot answer for a person; it needs role user, service or admin");
    }
    if (who.role == Role::user && user_id != who.user_id) {
        return refused("a user token answers for its own user only", "user_id");
    }
    if (!allows(who.bounds.users, user_id)) return refused("this token may not act for this user", "user_id");
    if (!allows(who.bounds.sessions, session_id)) return refused("this token may not use this session", "session_id");
    return {};
}

base::Result<void> may_speak_for(const model::Principal& who, std::string_view user_id, std::string_view session_id) {
    if (who.role == Role::agent) {
        return refused(
            "role agent cannot speak as the person; it needs role user, service or admin. What an agent has to "
            "tell another is a notification; what was said elsewhere is recorded without deliver");
    }
    return may_answer_for(who, user_id, session_id);
}

base::Result<void> may_direct(const model::Principal& who, const model::Scope& scope) {
    if (who.role == Role::emitter) {
        return refused("role emitter cannot give directions to an agent; it needs role agent, user, service or admin");
    }
    if (who.role == Role::agent && is_unbound(who)) {
        return refused("an agent's token gives directions only to the users or sessions that it is bound to");
    }
    if (is_confined(who) && scope.agent_id.empty()) {
        return refused("a token that is bound to agents gives directions only to those: name agent_id", "agent_id");
    }
    return may_notify(who, scope);
}

base::Result<void> may_manage_tools(const model::Principal& who) {
    if (who.role == Role::admin) return {};
    if (who.role != Role::service) return refused(role_text(who) + " cannot do this; it needs role admin or service");
    if (!is_unbound(who)) return refused("a token that is bound to users or sessions has no part in tools");
    return {};
}

base::Result<void> may_emit(const model::Principal& who, model::Event& event) {
    if (who.role == Role::user) {
        if (event.user_id.empty()) event.user_id = who.user_id;
        if (event.user_id != who.user_id) return refused("a user token emits for its own user only", "user_id");
    }
    return check_bounds(who.bounds, event);
}

base::Result<void> may_follow(const model::Principal& who, const model::StreamInfo& stream,
                              model::StreamFilter& filter) {
    if (who.role == Role::emitter) return refused("an emitter's token cannot read");
    if (stream.retention == model::RetentionClass::audit && who.role != Role::admin) {
        return refused("the stream " + stream.name + " is for role admin");
    }
    if (model::is_session_stream(stream.name)) return may_follow_session(who, stream, filter);
    if (!stream.owner.empty()) return may_follow_owned(who, stream, filter);
    if (who.role == Role::admin) return {};
    if (who.role == Role::user) {
        if (!filter.user_id.empty() && filter.user_id != who.user_id) {
            return refused("a user token reads what is its own user's only", "user");
        }
        filter.user_id = who.user_id;
    }
    if (who.role != Role::user) TRY(narrow(who.bounds.users, filter.user_id, "user"));
    TRY(narrow(who.bounds.sessions, filter.session_id, "session"));
    if (who.role == Role::agent && is_unbound(who)) {
        return refused("an agent's token reads only the users or sessions that it is bound to");
    }
    if (is_confined(who)) return refused("the stream " + stream.name + " is not for tokens that are bound to agents");
    return {};
}

base::Result<void> may_mint(const model::Principal& who, const TokenWish& wish) {
    if (who.role == Role::admin) return {};
    if (who.role != Role::service) return refused(role_text(who) + " cannot make tokens");
    if (wish.role != Role::user) return refused("a service may make tokens of role user only", "role");
    if (!wish.life || *wish.life > base::hours(1)) {
        return refused("a service's user tokens live at most 3600 seconds", "ttl_s");
    }
    if (!allows(who.bounds.users, wish.user_id)) return refused("this token may not act for this user", "user_id");
    if (!who.bounds.sessions.empty()) {
        const bool inside =
            !wish.bounds.sessions.empty() && std::ranges::all_of(wish.bounds.sessions, [&](const std::string& session) {
                return allows(who.bounds.sessions, session);
            });
        if (!inside) return refused("the new token must be bound to sessions of this one", "bounds.sessions");
    }
    if (!who.bounds.type_prefixes.empty()) {
        const auto is_ours = [&](const std::string& prefix) {
            return std::ranges::any_of(who.bounds.type_prefixes,
                                       [&](const std::string& own) { return is_below_prefix(own, prefix); });
        };
        const bool inside =
            !wish.bounds.type_prefixes.empty() && std::ranges::all_of(wish.bounds.type_prefixes, is_ours);
        if (!inside) return refused("the new token must be bound to types of this one", "bounds.type_prefixes");
    }
    if (who.bounds.severity_max &&
        (!wish.bounds.severity_max || *wish.bounds.severity_max > *who.bounds.severity_max)) {
        return refused("the new token must be bound to severity " +
                           std::string(model::severity_name(*who.bounds.severity_max)) + " at the most",
                       "bounds.severity_max");
    }
    const bool is_as_slow = wish.events_per_second > 0 && wish.events_per_second <= who.events_per_second;
    if (who.events_per_second > 0 && !is_as_slow) {
        return refused("the new token must be bound to " + std::to_string(who.events_per_second) +
                           " events per second at the most",
                       "events_per_second");
    }
    return {};
}

base::Result<void> may_use_session(const model::Principal& who, std::string_view session_id, std::string_view user_id,
                                   std::string_view agent_id) {
    if (who.role == Role::admin) return {};
    if (who.role == Role::emitter) return refused("an emitter's token has no sessions");
    if (who.role == Role::user && user_id != who.user_id) {
        return refused("a user token uses its own user's sessions only", "user_id");
    }
    if (who.role == Role::agent && is_unbound(who)) {
        return refused("an agent's token uses only the sessions that it, or whose user it, is bound to");
    }
    if (!allows(who.bounds.users, user_id)) {
        return refused("this token may not use the sessions of this user", "user_id");
    }
    if (!allows(who.bounds.sessions, session_id)) return refused("this token may not use this session", "session_id");
    return may_use_agent(who, agent_id);
}

base::Result<void> may_see_of(const model::Principal& who, std::string& user_id) {
    TRY(see_user(who, user_id));
    if (who.role == Role::admin) return {};
    if (!who.bounds.sessions.empty()) return refused("this token must name which session it reads", "session");
    if (is_confined(who)) return refused("this token is bound to agents: it reads what belongs to those");
    return {};
}

base::Result<void> may_see_runs(const model::Principal& who, std::string& user_id, std::string& session_id,
                                std::string& agent_id) {
    TRY(see_user(who, user_id));
    if (who.role == Role::admin) return {};
    TRY(narrow(who.bounds.sessions, session_id, "session"));
    return narrow(who.bounds.agents, agent_id, "agent");
}

base::Result<void> may_see_wakes(const model::Principal& who, std::string& user_id, std::string& agent_id) {
    if (!is_confined(who)) return may_see_of(who, user_id);
    TRY(see_user(who, user_id));
    if (!who.bounds.sessions.empty()) return refused("a token that is bound to sessions has no part in wakes");
    return narrow(who.bounds.agents, agent_id, "agent");
}

base::Result<void> may_set_for(const model::Principal& who, std::string_view user_id) {
    if (who.role == Role::admin) return {};
    if (who.role == Role::agent || who.role == Role::emitter) {
        return refused(role_text(who) + " cannot do this; it needs role user, service or admin");
    }
    if (who.role == Role::user && user_id != who.user_id) {
        return refused("a user token reads and changes its own user's settings only", "user_id");
    }
    if (who.role == Role::service && !allows(who.bounds.users, user_id)) {
        return refused("this token may not act for this user", "user_id");
    }
    // What a user chooses holds in all his sessions.
    if (!who.bounds.sessions.empty()) return refused("a token that is bound to sessions has no part in settings");
    return {};
}

std::string default_user(const model::Principal& who, std::string_view owner) {
    if (who.role == Role::user) return who.user_id;
    if (who.bounds.users.size() == 1) return who.bounds.users.front();
    return std::string(owner);
}

bool proves_user(const model::Principal& who) {
    return who.role == Role::user || who.bounds.users.size() == 1;
}

base::Result<void> may_end_session(const model::Principal& who, std::string_view session_id, std::string_view user_id) {
    if (who.role == Role::agent) {
        return refused(role_text(who) + " cannot end a session; it needs role user, service or admin");
    }
    return may_use_session(who, session_id, user_id);
}

base::Result<void> may_manage_sink_calls(const model::Principal& who) {
    if (who.role == Role::admin) return {};
    TRY(may_observe(who));
    if (!is_unbound(who)) return refused("a token that is bound to users or sessions has no part in calls of sinks");
    return {};
}

base::Result<void> may_see_devices(const model::Principal& who) {
    if (who.role == Role::admin) return {};
    TRY(may_observe(who));
    if (!is_unbound(who)) return refused("a token that is bound to users or sessions has no part in other devices");
    return {};
}

base::Result<void> may_administer(const model::Principal& who) {
    if (who.role == Role::admin) return {};
    return refused(role_text(who) + " cannot do this; it needs role admin");
}

base::Result<void> may_observe(const model::Principal& who) {
    if (who.role == Role::admin || who.role == Role::service) return {};
    return refused(role_text(who) + " cannot see this; it needs role admin or service");
}

}  // namespace belfry::rules
