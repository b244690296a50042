#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace belfry::model {

// One change of one record. It says nothing about how it came here, so that its author and whoever received it by sync
// make the same keys of it.
struct ChangeUnit {
    std::string host;
    std::uint64_t counter = 0;  // of the host's changes, from 1 on
    std::string kind;           // of the record: `task`, `agent_state`
    std::string id;             // of the record

    auto operator<=>(const ChangeUnit&) const = default;
};

// Who made a change, as this device sees it: `user`, `agent:<id>` or `sync`.
struct ChangeOrigin {
    enum class Kind : std::uint8_t { user, agent, sync };
    Kind kind = Kind::user;
    std::string agent_id;    // of an agent only
    std::int64_t depth = 0;  // of an agent: how many causes in a row came from agents, this one too; 0: it is not known

    bool operator==(const ChangeOrigin&) const = default;
};

// Without its depth.
std::string origin_text(const ChangeOrigin& origin);
// Nothing for any other text; an agent's id has 1 to limits::scope_id_bytes_max bytes.
std::optional<ChangeOrigin> parse_origin(std::string_view text);

// What a change touches, as wake subscriptions name it:
//   key:agentChanged         a semantic key: a name
//   sub:workout/running      a subtype: its namespace, which is a name, and after the first slash any text
//   id:0198a1b2-…            the id of an entity: any text
// A name is a letter, then letters, digits, `_`, `-` and `.`, at most limits::change_name_chars_max in all. Text is not
// empty and has no characters that nobody sees. The whole has at most limits::change_token_bytes_max bytes.
struct ChangeToken {
    enum class Class : std::uint8_t { semantic_key, subtype, entity_id };

    // Each refuses what the text form could not hold. Only a subtype has a namespace, and it must.
    static base::Result<ChangeToken> make(Class token_class, std::string_view name_space, std::string_view name);
    static base::Result<ChangeToken> parse(std::string_view text);

    Class token_class = Class::semantic_key;
    std::string name_space;  // of a subtype only
    std::string name;

    auto operator<=>(const ChangeToken&) const = default;
};

void append_text(std::string& out, const ChangeToken& token);
std::string to_text(const ChangeToken& token);

// The semantic keys of agents' own records. Others are as good.
inline constexpr std::string_view agent_changed_key = "agentChanged";
inline constexpr std::string_view agent_state_changed_key = "agentStateChanged";
inline constexpr std::string_view agent_message_appended_key = "agentMessageAppended";

}  // namespace belfry::model
