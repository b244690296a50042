#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/message_limits.hpp"
#include "engine/wakes.hpp"
#include "rules/client_message.hpp"
#include "rules/effect_id.hpp"
#include "rules/house_tool.hpp"
#include "rules/may.hpp"
#include "rules/model_tokens.hpp"
#include "rules/said_by.hpp"
#include "rules/wake_key.hpp"

// What the user says with a wake: in the history of the session and in the memory of the agent (decision 0030).
namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::AgentMessage;

// The text by which a message is known. A message without text is known by its other parts; empty: nothing was said.
std::string_view known_by(const ports::SpokenMessage& message) {
    if (!rules::is_blank(message.text)) return message.text;
    const bool has_parts = message.content.view().kind() == model::JsonKind::array;
    return has_parts ? std::string_view(message.content.bytes()) : std::string_view();
}

bool is_answer(const AgentMessage& message) {
    return message.action && message.action->tool_name == rules::house_tool_name(rules::HouseTool::say);
}

}  // namespace

base::Result<void> Wakes::remember(model::AgentRecord& agent, const std::string& thread_id,
                                   std::vector<AgentMessage> said, Unit& unit) {
    for (AgentMessage& one : said) one.tokens_approx = rules::estimate_model_tokens(one.content.bytes());
    const model::ChangeOrigin itself{model::ChangeOrigin::Kind::agent, agent.agent.id};
    return log_.append(agent, thread_id, said, itself, unit);
}

// A client that counts its messages says the same text under the same id again on another day. After an answer that is
// another message: as a retry it would be lost.
base::Result<bool> Wakes::is_answered(const WakeWords& words, const AgentMessage* heard,
                                      std::span<const AgentMessage> recent, const ports::WakeAgent& command,
                                      Unit& unit) {
    if (heard != nullptr) {
        TRY_ASSIGN(const auto wake,
                   find_key(rules::turn_run_key(command.agent_id, command.session_id, heard->trigger_source_id), unit));
        const WakeBook::Entry* const open = wake ? book_.find(wake->id) : nullptr;
        if (open != nullptr) return false;
        if (wake && wake->state == model::WakeState::completed) return true;
        const bool is_in_memory = std::ranges::any_of(
            recent, [&](const AgentMessage& one) { return one.position > heard->position && is_answer(one); });
        if (is_in_memory) return true;
    }
    // Another agent may have answered the message. The session has each message once. A message that this agent forgot
    // may be said again.
    if (heard == nullptr) {
        TRY_ASSIGN(const auto forgotten, unit.store.sync().forgotten(std::span(&words.first, 1)));
        if (forgotten.empty()) return false;
    }
    TRY_ASSIGN(const model::Session* const session, sessions_.find(command.session_id, unit));
    TRY_ASSIGN(const auto ordinal, unit.store.sessions().message_ordinal(words.in_history));
    return session != nullptr && ordinal && *ordinal < session->progress.answered_through;
}

base::Result<std::vector<Wakes::WakeWords>> Wakes::name_words(const ports::WakeAgent& command, Unit& unit) {
    const std::string thread_id = rules::session_thread_id(command.agent_id, command.session_id);
    const auto heard_id = [&command](const ports::SpokenMessage& message, std::string_view turn) {
        const std::string_view text = known_by(message);
        return rules::heard_message_id(command.agent_id, command.session_id, message.id, text, turn);
    };
    const auto named = [&](const ports::SpokenMessage& message, std::string_view turn) {
        const std::string_view text = known_by(message);
        const model::MessageId in_history{rules::spoken_message_id(command.session_id, message.id, text, turn)};
        return WakeWords{&message, in_history, heard_id(message, turn), heard_id(message, {})};
    };
    std::vector<WakeWords> all;
    std::vector<base::Uuid> ids;
    for (const ports::SpokenMessage& message : *command.spoken) {
        if (known_by(message).empty()) continue;
        WakeWords words = named(message, {});
        if (std::ranges::find(ids, words.in_memory) != ids.end()) continue;
        ids.push_back(words.in_memory);
        all.push_back(words);
    }
    TRY_ASSIGN(const std::vector<AgentMessage> known, unit.store.agent_messages().find(ids));
    bool is_new = known.empty();
    for (std::size_t i = 0; i < all.size() && is_new; ++i) {
        TRY_ASSIGN(const auto ordinal, unit.store.sessions().message_ordinal(all[i].in_history));
        is_new = !ordinal;
    }
    if (is_new) return all;
    TRY_ASSIGN(const std::vector<AgentMessage> recent,
               unit.store.memory().questions().newest_raw(thread_id, std::numeric_limits<std::int64_t>::max(),
                                                          limits::agent_messages_batch_max));
    for (WakeWords& words : all) {
        // The last time that the agent heard these words, in a turn of its own if they were said again.
        const auto first = std::ranges::find(known, words.first, &AgentMessage::id);
        const AgentMessage* heard = first == known.end() ? nullptr : &*first;
        for (const AgentMessage& one : recent) {
            if (one.trigger_source_id.empty() || (heard != nullptr && one.position <= heard->position)) continue;
            if (one.id != heard_id(*words.message, one.trigger_source_id)) continue;
            heard = &one;
            words = named(*words.message, one.trigger_source_id);
        }
        TRY_ASSIGN(const bool is_over, is_answered(words, heard, recent, command, unit));
        if (is_over) words = named(*words.message, command.request_id);
    }
    return all;
}

// The agent has the words by the wake itself: they wait for nobody, and no pull returns them.
base::Result<base::Result<void>> Wakes::record_words(const ports::WakeAgent& command, const std::string& run_key,
                                                     std::span<const WakeWords> spoken, Unit& unit) {
    using Recorded = base::Result<void>;
    TRY_ASSIGN(model::Session* const session, sessions_.find(command.session_id, unit));
    // The run was found by its key, and its session is gone.
    if (session == nullptr) {
        return Recorded(base::error(base::Code::conflict, "the session of this turn is gone; give another turn_id",
                                    "turn_id", "taken"));
    }
    const auto record = [&](const model::MessageId& id, const std::string& text) -> base::Result<void> {
        if (rules::is_blank(text)) return {};
        TRY_ASSIGN(const auto is_there, unit.store.sessions().message_ordinal(id));
        if (is_there) return {};
        TRY(sessions_.open_node(*session, session->head, unit));
        model::SessionMessage message = sessions_.new_message(*session, model::MessageRole::user, unit);
        message.id = id;
        message.content = text;
        message.metadata = rules::said_by(command.principal, {});
        return SessionBook::say(*session, message, unit);
    };
    for (const WakeWords& words : spoken) TRY(record(words.in_history, words.message->text));
    if (!command.spoken && command.input != model::RawJson()) {
        const std::string text = rules::words_of(command.input);
        TRY(record(model::MessageId{rules::spoken_message_id(command.session_id, run_key, text, {})}, text));
    }
    return Recorded{};
}

base::Result<void> Wakes::remember_words(const ports::WakeAgent& command, model::AgentRecord& agent,
                                         const std::string& thread_id, std::span<const WakeWords> spoken, Unit& unit) {
    // A caller that may not speak for the user does not pose as the user.
    const bool is_user = rules::may_speak_for(command.principal, agent.agent.user_id, command.session_id).ok();
    std::vector<AgentMessage> said;
    const auto add = [&](const model::RawJson& content, const base::Uuid& id) {
        AgentMessage& one = said.emplace_back();
        one.id = id;
        one.kind = is_user ? model::AgentMessageKind::user : model::AgentMessageKind::observation;
        one.content = content;
        one.trigger_source_id = command.request_id;
    };
    if (!command.spoken) {
        if (command.input != model::RawJson()) add(command.input, {});
        return remember(agent, thread_id, std::move(said), unit);
    }
    spoken = spoken.last(std::min(spoken.size(), limits::agent_messages_batch_max));
    std::vector<base::Uuid> ids;
    for (const WakeWords& words : spoken) {
        ids.push_back(words.in_memory);
        if (words.first != words.in_memory) ids.push_back(words.first);
    }
    TRY_ASSIGN(const std::vector<AgentMessage> known, unit.store.agent_messages().find(ids));
    TRY_ASSIGN(const std::vector<ports::SyncTable::Forgotten> forgotten, unit.store.sync().forgotten(ids));
    const auto is_known = [&](const base::Uuid& id) {
        return std::ranges::find(known, id, &AgentMessage::id) != known.end();
    };
    // A message that was forgotten stays forgotten, also on other devices and if it is said again.
    const auto is_forgotten = [&](const base::Uuid& id) {
        return std::ranges::find(forgotten, id, &ports::SyncTable::Forgotten::message_id) != forgotten.end();
    };
    for (const WakeWords& words : spoken) {
        if (is_known(words.in_memory) || is_forgotten(words.in_memory) || is_forgotten(words.first)) continue;
        add(words.message->content, words.in_memory);
    }
    return remember(agent, thread_id, std::move(said), unit);
}

// An agent remembers a message of the user once, under the id of the message in the session. A second agent that is
// handed the message remembers it under another id.
base::Result<std::optional<base::Uuid>> Wakes::id_of_new_words(const SaidWords& words, Unit& unit) {
    using Id = std::optional<base::Uuid>;
    const std::string in_session = base::format_uuid(words.id);
    const base::Uuid own = rules::heard_message_id(words.agent_id, words.session_id, in_session, {}, {});
    const std::array ids{words.id, own};
    TRY_ASSIGN(const std::vector<AgentMessage> known, unit.store.agent_messages().find(ids));
    TRY_ASSIGN(const auto forgotten, unit.store.sync().forgotten(ids));
    const bool is_known = std::ranges::find(known, words.agent_id, &AgentMessage::agent_id) != known.end();
    const bool is_forgotten =
        std::ranges::find(forgotten, words.agent_id, &ports::SyncTable::Forgotten::agent_id) != forgotten.end();
    if (is_known || is_forgotten) return Id();
    return Id(known.empty() && forgotten.empty() ? words.id : own);
}

base::Result<void> Wakes::hear_words(Unit& unit) {
    for (SaidWords& words : sessions_.take_words()) {
        if (words.agent_id.empty()) continue;
        TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(words.agent_id, unit));
        const bool is_theirs = agent != nullptr && agent->agent.user_id == words.user_id &&
                               agent->agent.lifecycle != model::AgentLifecycle::destroyed;
        if (!is_theirs) continue;
        TRY_ASSIGN(const auto id, id_of_new_words(words, unit));
        if (!id) continue;
        std::string content;
        model::JsonWriter(content).text(words.content);
        AgentMessage said;
        said.kind = model::AgentMessageKind::user;
        said.id = *id;
        said.trigger_source_id = base::format_uuid(words.id);
        said.content = model::RawJson::trusted(std::move(content));
        TRY(remember(*agent, rules::session_thread_id(words.agent_id, words.session_id), {std::move(said)}, unit));
    }
    return {};
}

}  // namespace belfry::engine
