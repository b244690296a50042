#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/notification.hpp"

// What must become of a notification, said a second time and in other words than the rules that the engine goes by: the
// delivery witness holds both against each other.
namespace belfry::sim::expected {

using Steps = std::vector<model::Transition>;

// It goes to the person's interfaces, by itself or as an agent has narrated it; an agent has a word in it; it is only
// for the agent to know.
bool is_shown(const model::Notification& row);
bool is_spoken(const model::Notification& row);
bool is_passive(const model::Notification& row);
// An agent must tell the person of it; an agent may decide what to do about it.
bool must_be_told(const model::Notification& row);
bool is_decision(const model::Notification& row);
// An interface has to show this text.
const std::string& text_for_eyes(const model::Notification& row);
// A person can have read it, or an agent's words in its place.
bool was_for_eyes(const model::Notification& row);
// It may give way where its queue is full.
bool may_give_way(const model::Notification& row);

// `asked`: what it was to be before its chain came to an end.
void birth(model::Notification& row, const model::Notification& asked, Steps& steps);
void dispatch(model::Notification& row, base::Timestamp now, const std::string& to, Steps& steps);
// Sent once more to an interface that came; so often as that is written down.
void send_again(const model::Notification& row, base::Timestamp now, const std::string& to, Steps& steps);
// Taken by an agent, or taken over from one whose time ran out.
void claim(model::Notification& row, base::Timestamp now, const std::string& holder, base::Duration lease,
           Steps& steps);
void renew(model::Notification& row, base::Timestamp now, base::Duration lease);
// Its holder began his turn anew: nobody has it until it is taken over, and it keeps its lease and its deadline. What
// somebody must hear of and had twice its time goes to the person instead.
void let_go(model::Notification& row, base::Timestamp now, std::string_view why, Steps& steps);
void deliver(model::Notification& row, base::Timestamp now, const std::string& by, std::string_view how, Steps& steps);
void escalate(model::Notification& row, base::Timestamp now, const std::string& who, std::string_view why,
              Steps& steps);
void fail(model::Notification& row, base::Timestamp now, const std::string& who, std::string_view why, Steps& steps);
void narrate(model::Notification& row, base::Timestamp now, const std::string& by, const std::string& text,
             Steps& steps);
// A model has named it as dealt with, and the person was not told of it.
void note_untold(model::Notification& row, base::Timestamp now, const std::string& by, Steps& steps);
// An EXTERNAL tool was used for it. What is before the person's eyes names the tool, in a new version. False: it is
// nothing new.
// Handler agent, target user, and never promoted: the turn on it is no internal one.
bool is_for_user_from_the_start(const model::Notification& row);
bool promote(model::Notification& row, base::Timestamp now, const std::string& tool, Steps& steps);
void leave_session(model::Notification& row, base::Timestamp now, Steps& steps);
void update(model::Notification& row, const model::Notification& draft, base::Timestamp now, Steps& steps);

// What the turn's end, and what the watchdog makes of it.
void end_turn(model::Notification& row, base::Timestamp now, Steps& steps);
void watch(model::Notification& row, base::Timestamp now, Steps& steps);

// Whether this is a way that a notification can go, from its birth to the state and lease that its row has. Empty: it
// is.
std::string fault_of(const model::Notification& row, const Steps& steps);
// The first thing in which two rows differ; empty: none.
std::string difference(const model::Notification& one, const model::Notification& other);

}  // namespace belfry::sim::expected
