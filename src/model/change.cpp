#include "model/change.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "base/wake_limits.hpp"

namespace belfry::model {
namespace {

namespace limits = base::limits;
using base::Code;
using Class = ChangeToken::Class;

constexpr std::string_view agent_prefix = "agent:";
constexpr std::string_view key_prefix = "key:";
constexpr std::string_view subtype_prefix = "sub:";
constexpr std::string_view id_prefix = "id:";

base::Error refused(Code code, std::string message) {
    return base::error(code, std::move(message), "token");
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_name(std::string_view text) {
    if (text.empty() || text.size() > limits::change_name_chars_max || !is_letter(text.front())) return false;
    return std::ranges::all_of(
        text, [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.'; });
}

bool is_plain_text(std::string_view text) {
    return !text.empty() && !base::has_harmful(text);
}

base::Error name_refused(std::string_view what) {
    return refused(Code::invalid, std::string(what) +
                                      " must be a letter and then letters, digits, '_', '-' or '.', at most " +
                                      std::to_string(limits::change_name_chars_max) + " in all");
}

base::Result<void> check_parts(Class token_class, std::string_view name_space, std::string_view name) {
    if (token_class != Class::subtype && !name_space.empty()) {
        return refused(Code::invalid, "only a subtype token has a namespace");
    }
    if (token_class == Class::semantic_key) {
        if (!is_name(name)) return name_refused("a semantic key");
        return {};
    }
    if (token_class == Class::subtype) {
        if (name_space.empty()) return refused(Code::invalid, "a subtype token needs a namespace: sub:workout/running");
        if (!is_name(name_space)) return name_refused("the namespace of a subtype token");
    }
    if (!is_plain_text(name)) {
        return refused(Code::invalid, std::string(token_class == Class::subtype ? "a subtype" : "an entity's id") +
                                          " must not be empty or have invisible characters");
    }
    return {};
}

}  // namespace

std::string origin_text(const ChangeOrigin& origin) {
    switch (origin.kind) {
        case ChangeOrigin::Kind::user: return "user";
        case ChangeOrigin::Kind::sync: return "sync";
        case ChangeOrigin::Kind::agent: break;
    }
    return std::string(agent_prefix) + origin.agent_id;
}

std::optional<ChangeOrigin> parse_origin(std::string_view text) {
    if (text == "user") return ChangeOrigin{ChangeOrigin::Kind::user, {}};
    if (text == "sync") return ChangeOrigin{ChangeOrigin::Kind::sync, {}};
    if (!text.starts_with(agent_prefix)) return std::nullopt;
    text.remove_prefix(agent_prefix.size());
    if (text.size() > limits::scope_id_bytes_max || !is_plain_text(text)) return std::nullopt;
    return ChangeOrigin{ChangeOrigin::Kind::agent, std::string(text)};
}

base::Result<ChangeToken> ChangeToken::make(Class token_class, std::string_view name_space, std::string_view name) {
    TRY(check_parts(token_class, name_space, name));
    ChangeToken token{token_class, std::string(name_space), std::string(name)};
    if (to_text(token).size() > limits::change_token_bytes_max) {
        return refused(Code::too_large,
                       "a change token has at most " + std::to_string(limits::change_token_bytes_max) + " bytes");
    }
    return token;
}

base::Result<ChangeToken> ChangeToken::parse(std::string_view text) {
    if (text.starts_with(key_prefix)) return make(Class::semantic_key, {}, text.substr(key_prefix.size()));
    if (text.starts_with(id_prefix)) return make(Class::entity_id, {}, text.substr(id_prefix.size()));
    if (!text.starts_with(subtype_prefix)) {
        return refused(Code::invalid, "a change token begins with key:, sub: or id:, such as key:agentChanged");
    }
    text.remove_prefix(subtype_prefix.size());
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return make(Class::subtype, {}, text);
    return make(Class::subtype, text.substr(0, slash), text.substr(slash + 1));
}

void append_text(std::string& out, const ChangeToken& token) {
    switch (token.token_class) {
        case Class::semantic_key: out += key_prefix; break;
        case Class::subtype: out.append(subtype_prefix).append(token.name_space).append(1, '/'); break;
        case Class::entity_id: out += id_prefix; break;
    }
    out += token.name;
}

std::string to_text(const ChangeToken& token) {
    std::string out;
    append_text(out, token);
    return out;
}

}  // namespace belfry::model
