#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/event_arguments.hpp"
#include "cli/table.hpp"

namespace belfry::cli {
namespace {

constexpr std::int64_t events_per_second_max = 10'000'000;

base::Result<client::TokenRequest> read_request(const Arguments& arguments) {
    client::TokenRequest request;
    request.name = arguments.positional(1);
    if (request.name.empty()) return wrong("NAME is missing: belfry token create NAME --role ROLE");
    const auto role_name = arguments.value("role");
    if (!role_name) return wrong("--role is missing: admin, service, user, agent or emitter");
    const auto role = model::parse_role(*role_name);
    if (!role) return wrong("--role must be admin, service, user, agent or emitter, not \"" + *role_name + "\"");
    request.role = *role;
    request.user_id = arguments.value_or("user", "");
    if (request.role == model::Role::user && request.user_id.empty()) {
        return wrong("--user is missing: a token of role user is one person's");
    }
    TRY_ASSIGN(const auto life, arguments.duration("ttl"));
    if (life) request.ttl_s = std::max<std::int64_t>(1, life->us / 1'000'000);
    TRY_ASSIGN(const auto rate, arguments.integer("events-per-second", 0, events_per_second_max));
    request.events_per_second = rate.value_or(0);
    request.bounds.users = arguments.values("bound-user");
    request.bounds.sessions = arguments.values("bound-session");
    request.bounds.agents = arguments.values("bound-agent");
    if (!request.bounds.agents.empty() && request.role != model::Role::agent) {
        return wrong("--bound-agent is for --role agent");
    }
    request.bounds.type_prefixes = arguments.values("bound-type");
    TRY_ASSIGN(request.bounds.severity_max, read_severity(arguments, "bound-severity"));
    return request;
}

Exit create(Context& context, const Arguments& arguments, client::Client& client) {
    const auto request = read_request(arguments);
    if (!request.ok()) {
        return usage_error(context, arguments, request.error());
    }
    const auto minted = client.mint_token(*request);
    if (!minted.ok()) return fail(context, arguments, minted.error());
    if (arguments.has("json")) {
        print_json(context, minted->json);
        return Exit::ok;
    }
    context.console.out.line(host::printable(minted->token));
    remark(context, "token " + minted->id + " \"" + minted->name + "\", role " + minted->role + ", " +
                        (minted->expires_at.empty() ? "without end" : "until " + minted->expires_at) +
                        "; this is the only time that it is shown");
    return Exit::ok;
}

// "types build, users ada, severity up to error"; nothing where nothing narrows.
std::string words_of(const model::RawJson& bounds) {
    std::string words;
    const auto add = [&words](const std::string& text) { words += (words.empty() ? "" : ", ") + text; };
    for (const auto& [member, shown] : {std::pair{"users", "users"}, std::pair{"sessions", "sessions"},
                                        std::pair{"agents", "agents"}, std::pair{"type_prefixes", "types"}}) {
        const auto list = bounds.member(member);
        if (!list || list->kind() != model::JsonKind::array) continue;
        std::string names;
        model::JsonWalker walker(*list);
        while (const auto name = walker.next()) names += " " + name->as_text();
        if (!names.empty()) add(shown + names);
    }
    const auto severity = bounds.member("severity_max");
    if (severity && severity->kind() == model::JsonKind::string) add("severity up to " + severity->as_text());
    return words;
}

Exit list(Context& context, const Arguments& arguments, client::Client& client) {
    const auto tokens = client.tokens();
    if (!tokens.ok()) return fail(context, arguments, tokens.error());
    if (arguments.has("json")) {
        for (const client::TokenState& token : *tokens) {
            print_json(context, token.json);
        }
        return Exit::ok;
    }
    Table table({"ID", "NAME", "ROLE", "USER", "BOUNDS", "CREATED", "EXPIRES"});
    for (const client::TokenState& token : *tokens) {
        table.add({token.id, token.name, token.role, token.user_id, words_of(token.bounds), token.created_at,
                   token.expires_at.empty() ? "never" : token.expires_at});
    }
    context.console.out.write(table.text(context.console.colours_out));
    return Exit::ok;
}

Exit revoke(Context& context, const Arguments& arguments, client::Client& client) {
    const std::string id = arguments.positional(1);
    if (id.empty()) {
        return usage_error(context, arguments,
                           wrong("ID is missing: belfry token revoke ID; `belfry token list` shows them"));
    }
    const auto revoked = client.revoke_token(id);
    if (!revoked.ok()) return fail(context, arguments, revoked.error());
    if (arguments.has("json")) {
        std::string json;
        model::JsonWriter(json).begin_object().field("id", id).name("revoked").boolean(true).end_object();
        context.console.out.line(host::escape_json_controls(json));
    } else {
        remark(context, "token " + id + " is revoked; open streams under it are closed");
    }
    return Exit::ok;
}

Exit run_token(Context& context, const Arguments& arguments) {
    const std::string action = arguments.positional(0);
    const bool known = action == "create" || action == "list" || action == "revoke";
    const auto options = find_daemon(context, arguments);
    if (!known || !options.ok()) {
        return usage_error(
            context, arguments,
            known ? options.error() : wrong("ACTION must be create, list or revoke, not \"" + action + "\""));
    }
    client::Client client(*options);
    if (action == "create") return create(context, arguments, client);
    if (action == "list") return list(context, arguments, client);
    return revoke(context, arguments, client);
}

}  // namespace

Command token_command() {
    Command command;
    command.name = "token";
    command.summary = "make, list and revoke access tokens";
    command.detail =
        "A new token is written to standard output, alone, and never shown again: Belfry keeps only its hash.\n"
        "Roles: admin (everything), service (acts for any user, mints short-lived user tokens), user (one person:\n"
        "what is his), agent (an agent's runtime), emitter (events in, nothing out).";
    command.options = {{"role", "ROLE", "admin, service, user, agent or emitter", 'r'},
                       {"user", "ID", "of role user: whose"},
                       {"ttl", "TIME", "how long it is valid: 15m, 24h, 30d; without end unless given"},
                       {"events-per-second", "N", "how many events it may send; 0: no limit of its own"},
                       {"bound-user", "ID", "only for this person's events and streams", 0, true},
                       {"bound-session", "ID", "only for this conversation", 0, true},
                       {"bound-agent", "ID", "of role agent: only for this agent", 0, true},
                       {"bound-type", "PREFIX", "only events of this type or below it", 0, true},
                       {"bound-severity", "LEVEL", "the greatest severity that it may send"}};
    command.positionals = {
        {"ACTION", "create, list or revoke"},
        {"NAME or ID", "a name for the new one; the id of the one to revoke", PositionalSpec::Count::optional}};
    command.examples = {
        {"belfry token create ci --role emitter --bound-type build --ttl 90d", "for a build server: only build.* in"},
        {"BELFRY_TOKEN=$(belfry token create ada --role user --user ada) belfry tail", "use it at once"},
        {"belfry token create fixer --role agent --bound-agent fixer", "for a worker: this agent and nothing else"},
        {"belfry token list", "who has access"},
        {"belfry token revoke 4b0d6a2f9c1e", "take it away"}};
    command.reach = Reach::daemon;
    command.run = run_token;
    return command;
}

}  // namespace belfry::cli
