#include "rules/effect_id.hpp"

#include <algorithm>

#include "rules/key_maker.hpp"

namespace belfry::rules {
namespace {

base::Uuid uuid_of(const KeyMaker& maker) {
    const base::Sha256 hash = maker.hash();
    base::Uuid id;
    std::copy_n(hash.begin(), id.bytes.size(), id.bytes.begin());
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0FU) | 0x80U);  // version 8
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3FU) | 0x80U);  // the variant of RFC 9562
    return id;
}

base::Uuid id_of_operation(std::string_view kind, std::string_view agent_id, std::string_view operation_id) {
    return uuid_of(KeyMaker(kind).add(agent_id).add(operation_id));
}

}  // namespace

base::Uuid action_message_id(std::string_view agent_id, std::string_view operation_id) {
    return id_of_operation("effect.action", agent_id, operation_id);
}

base::Uuid result_message_id(std::string_view agent_id, std::string_view operation_id) {
    return id_of_operation("effect.result", agent_id, operation_id);
}

base::Uuid made_record_id(std::string_view user_id, std::string_view agent_id, std::string_view operation_id,
                          std::uint64_t ordinal) {
    return uuid_of(KeyMaker("effect.record").add(user_id).add(agent_id).add(operation_id).add_number(ordinal));
}

base::Uuid told_notification_id(std::string_view agent_id, std::string_view operation_id) {
    return id_of_operation("effect.notification", agent_id, operation_id);
}

base::Uuid outside_call_key(std::string_view agent_id, std::string_view operation_id) {
    return id_of_operation("effect.call", agent_id, operation_id);
}

base::Uuid spoken_message_id(std::string_view session_id, std::string_view id, std::string_view text,
                             std::string_view turn) {
    KeyMaker maker("spoken.message");
    maker.add(session_id).add(id).add(text);
    if (!turn.empty()) maker.add(turn);
    return uuid_of(maker);
}

base::Uuid heard_message_id(std::string_view agent_id, std::string_view session_id, std::string_view id,
                            std::string_view text, std::string_view turn) {
    KeyMaker maker("heard.message");
    maker.add(agent_id).add(session_id).add(id).add(text);
    if (!turn.empty()) maker.add(turn);
    return uuid_of(maker);
}

base::Uuid message_content_id(const base::Uuid& message_id) {
    return uuid_of(KeyMaker("effect.content").add(base::format_uuid(message_id)));
}

}  // namespace belfry::rules
