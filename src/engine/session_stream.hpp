#pragma once

#include <string>

#include "engine/capability.hpp"
#include "model/interaction.hpp"
#include "model/session.hpp"
#include "ports/commands/notifications.hpp"

// What whoever follows a conversation is told, in the commit that makes it so. An entry says which message, node, turn
// or question it is about and holds no words: those are read where they stand.
namespace belfry::engine {

// Where there is none yet, it is made.
base::Result<model::StreamId> session_stream(const std::string& session_id, const std::string& user_id, Unit& unit);

base::Result<void> tell_node(const model::Session& session, const model::ContextNode& node, Unit& unit);
base::Result<void> tell_message(const model::Session& session, const model::SessionMessage& message, Unit& unit);
// One that has just come to the head.
base::Result<void> tell_system_message(const model::Session& session, const model::SystemMessage& message, Unit& unit);
// One that has new words, or is there no more.
enum class Rewritten : std::uint8_t { changed, removed };
base::Result<void> tell_rewritten(const model::Session& session, const model::NodeId& node,
                                  const base::Uuid& notification, Rewritten how, Unit& unit);
enum class TurnNews : std::uint8_t { began, ended };
base::Result<void> tell_turn(const model::Session& session, TurnNews news, Unit& unit);
base::Result<void> tell_handed_over(const model::Session& session, const ports::PullReply& reply, Unit& unit);
enum class InteractionNews : std::uint8_t { asked, ended };
base::Result<void> tell_interaction(const model::Interaction& interaction, InteractionNews news, Unit& unit);
// Its own fields are others than before.
base::Result<void> tell_session_changed(const model::Session& session, Unit& unit);
// The last entry.
base::Result<void> tell_session_deleted(const model::Session& session, Unit& unit);

}  // namespace belfry::engine
