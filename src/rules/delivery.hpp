#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/time.hpp"
#include "model/notification.hpp"
#include "model/session.hpp"

// The state machine of delivery (design.md, decisions 2 to 8). Pure: each function looks at one row and says what
// becomes of it. It changes the row and appends the steps to be audited, or refuses and changes nothing. Steps get
// their ordinal from the owner.
namespace belfry::rules {

enum class Refusal : std::uint8_t {
    none,
    terminal,       // delivered or failed never change
    no_lease,       // whoever acknowledges must say under which lease
    stale_lease,    // another one has it by now
    stale_version,  // the content has changed since
    not_held,       // it is not in anybody's hands
    wrong_channel,  // an interface's word about what an agent has to say, or the reverse
    already_told,   // an agent has narrated it; the interfaces show that
};
// A sentence for whoever was refused, and a stable word for it (`stale_lease`).
std::string_view refusal_text(Refusal refusal);
std::string_view refusal_name(Refusal refusal);

using Steps = std::vector<model::Transition>;

// A new row, whose axes, ttl and time of creation are set: pending, lease 1, with its deadline: an agent has the TTL,
// passive context 30 days unless it came with a TTL, an interface 30 days. The words for reasons of steps are in
// rules/step_reason.hpp. `asked`: the axes that it would have, were it not the end of a chain (`deepen`).
void born(model::Notification& row, std::string_view by, Steps& steps, std::optional<model::Axes> asked = {});

// It comes of others, so many in a chain. A chain has an end: at `chain_depth_max` nobody is given a turn for it, and
// it is shown to the person instead (true). For one that is about to be born.
bool deepen(model::Notification& draft, std::int64_t depth);

// Goes out to interfaces, or into an agent's context. What is dispatched or escalated already stays so, and the step
// `sent` tells of another attempt. What somebody holds does not go out (`stale_lease`).
Refusal dispatch(model::Notification& row, base::Timestamp now, std::string_view to, Steps& steps);

// An agent takes it for a turn, in channel C only. The first one keeps lease 1. A locked one whose lease has run out is
// taken over in place, fence + 1; one that is held is refused with `stale_lease` (`not_held` is for the reverse): see
// `is_free`.
bool is_free(const model::Notification& row, base::Timestamp now);
Refusal claim(model::Notification& row, base::Timestamp now, std::string_view holder, base::Duration lease,
              Steps& steps);
// Whoever holds it goes on holding it, also where his time ran out and nobody else came. Never shortens.
Refusal renew(model::Notification& row, base::Timestamp now, std::int64_t lease, base::Duration span);

// Its holder begins his turn anew, or his turn before was lost: he cannot be said to have read it. It is due again at
// once, and keeps its fence until somebody takes it over; nobody holds it until then. What somebody should have acted
// on for twice its TTL escalates instead. False: it was in nobody's hands.
bool let_go(model::Notification& row, base::Timestamp now, std::string_view reason, Steps& steps);

enum class Voice : std::uint8_t { interface, model, runtime };
struct Acknowledgement {
    Voice voice = Voice::interface;
    std::string_view by;                  // principal
    std::optional<std::int64_t> lease;    // must be given
    std::optional<std::int64_t> version;  // must be the newest where it is given; an interface must give it
    std::string_view how;                 // rendered, clicked; of an interface
};
// A dispatched row is claimed and delivered in one go, and the steps show both; of an interface, so is a pending one,
// which it may have read in a list. An interface acknowledges what is in channels A and B or was escalated (that
// directly, by its lease), an agent what is in C and was handed to somebody. A lease whose time ran out counts as long
// as nobody has taken over.
Refusal acknowledge(model::Notification& row, base::Timestamp now, const Acknowledgement& ack, Steps& steps);

// True if the user must be told of the row, by an agent: handler agent, target user, not narrated yet.
bool must_tell(const model::Notification& row);
// True if the user was told of such a row by an assistant message of the turn. Only a conversation is told that way;
// a row for which an EXTERNAL tool was used is told by an item that names the tool.
bool is_told_by_message(const model::Notification& row, const model::Progress& progress);
// Notes that a model acknowledged a row that must be told and was not. The row stays held; its end is decided when the
// turn ends. Returns false if that was noted before.
bool note_untold(model::Notification& row, base::Timestamp now, std::string_view by, Steps& steps);

// The agent's own text takes the row's place. The row goes to the interfaces and is delivered when one of them has
// shown it. Only where an agent is to speak to the user (`wrong_channel`). `version`: must be the newest, if given.
struct Narration {
    std::string_view by;
    std::int64_t lease = 0;
    std::optional<std::int64_t> version;
    std::string_view text;
};
Refusal narrate(model::Notification& row, base::Timestamp now, const Narration& narration, Steps& steps);

// The turn that carried the row has ended without an acknowledgement. Passive context is delivered, a row for the
// agent's decision is vetoed and so delivered, a row that must be told escalates.
Refusal turn_ended(model::Notification& row, base::Timestamp now, Steps& steps);
// The model acknowledged a row that must be told, and the user was not told: escalates at once.
Refusal ended_untold(model::Notification& row, base::Timestamp now, std::string_view by, Steps& steps);

// The watchdog: what is to happen to this row now, where its deadline has come. Escalates (lease + 1, handler system,
// target user), fails with `expired_unseen` or `nobody_there`, or sets the next deadline. False: there was nothing to
// do.
bool watch(model::Notification& row, base::Timestamp now, Steps& steps);

// Its queue is full, and it is the least of those that may give way: failed with `overload`.
void give_way(model::Notification& row, base::Timestamp now, Steps& steps);

// A failed one once more, as a new row of the same kind and content that names it.
model::Notification again(const model::Notification& failed);

// An EXTERNAL tool is used for a row that is open and was for the agent's decision: the row remembers the tool, and its
// target is the user from now on. A row that must be told from the start stays as it is.
// A row that is shown already names the tool in its text, with the next version. Returns false if nothing changed.
bool promote(model::Notification& row, base::Timestamp now, std::string_view tool, Steps& steps);

// The text of a notification with the EXTERNAL tools that were used for it: `… (tool used: send_mail)`.
std::string text_with_tools(std::string_view text, const std::vector<std::string>& tools);
void add_tools(model::Notification& row, const std::vector<std::string>& tools);
// A notification to the user about an EXTERNAL tool that was used for a row that has ended.
model::Notification effect_notice(const model::Notification& ended, std::string_view tool);
// Adds a tool to such a notice that is still pending or dispatched. Returns false if the notice names the tool already.
bool extend_notice(model::Notification& notice, std::string_view tool);

// The row's session was deleted: the row lives with its user and names the session no more. Returns false if nothing
// changed.
bool leave_session(model::Notification& row, base::Timestamp now, Steps& steps);
// The session whose agent holds the row was deleted. A row that must be told escalates at once, any other is released.
// Returns false if nobody holds the row.
bool leave_holder(model::Notification& row, base::Timestamp now, Steps& steps);

// Another one with the same deduplication key has come. A held row is overwritten only by its holder (`by`) under its
// lease.
enum class Repeat : std::uint8_t { overwrites, becomes_new, follows };
Repeat repeat(const model::Notification& row, std::string_view by, std::optional<std::int64_t> lease);
// Content, text, metadata, priority and the rest of `update` take the row's place; version + 1, and the deadline moves,
// never beyond first creation + twice the TTL. A TTL that the update does not give stays. Axes only ever come nearer
// the person (passive context, an agent's own matter, what an agent has to say, what is shown), and of a locked one
// only the target does; a row that waits for somebody else from then on has his time anew. Not for what `repeat` does
// not let be overwritten.
void overwrite(model::Notification& row, const model::Notification& update, base::Timestamp now, Steps& steps);

// Whether an interface was ever to show it, or the agent's words in its place: what a person can have read.
bool is_for_eyes(const model::Notification& row);

// Sets a mark and those that it implies (acted and dismissed imply seen). False: it was set already. Marks are beside
// the states: a row that has ended is still read.
bool mark_read(model::Notification& row, model::ReadMark mark, base::Timestamp now);

}  // namespace belfry::rules
