#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/notification.hpp"
#include "model/principal.hpp"
#include "node.hpp"
#include "observation.hpp"
#include "ports/commands/notifications.hpp"

// What HTTP makes of commands and their answers, as observations.
namespace observer::sim {

// The answer as its caller sees it; a null pointer is no answer.
Answer failure_of(const base::Error& error);
template <class T>
Answer answer_of(const base::Result<T>* result, std::int64_t status = 200) {
    if (result == nullptr) return {};
    return result->ok() ? Answer{status, {}} : failure_of(result->error());
}

void set_routing(model::Notification& draft, const Routing& routing);

// Fills in what the answer to a pull says.
void read_pull(const ports::PullReply& reply, Pulled& seen);

// A line of an interface's stream: `notification`, `notification_state`, `caught_up`.
std::string_view type_of_line(std::string_view line, std::string& room);
Shown shown_of_line(std::string_view line);
StateShown state_of_line(std::string_view line);
// A line of the stream `agent:<user>`. True if it requests a turn.
bool read_turn_request(std::string_view line, TurnRequested& seen);

std::string member_text(std::string_view line, std::string_view name);
std::int64_t member_number(std::string_view line, std::string_view name);

model::Principal admin_token();
model::Principal user_token(const std::string& user);
model::Principal agent_token(const std::string& name, const std::string& user);
model::Principal emitter_token(const std::string& name);

std::string id_text(const base::Uuid& id);

}  // namespace observer::sim
