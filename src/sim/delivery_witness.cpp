#include "sim/delivery_witness.hpp"

#include <algorithm>

// What is emitted, and what people's interfaces do.
namespace belfry::sim {
namespace {

constexpr std::size_t recent_max = 24;
constexpr std::int64_t chain_max = 3;

bool may_answer(const model::Principal& who, const model::Notification& row) {
    return who.role == model::Role::admin || who.user_id == row.scope.user_id;
}

void mark(model::Notification& row, model::ReadMark mark, base::Timestamp now) {
    if (!row.seen_at) row.seen_at = now;
    if (mark == model::ReadMark::acted && !row.acted_at) row.acted_at = now;
    if (mark == model::ReadMark::dismissed && !row.dismissed_at) row.dismissed_at = now;
}

std::string_view how_of(const SentAck& sent) {
    if (sent.how == "rendered") return "acknowledged_rendered";
    return sent.how == "clicked" ? "acknowledged_clicked" : "acknowledged";
}

}  // namespace

void DeliveryWitness::complain(const model::Notification& row, const std::string& what) {
    complain("notification " + std::to_string(row.ordinal) + " (" +
             (row.emitter.empty() ? row.subscriber_id : row.emitter) + " for " + row.scope.user_id + "): " + what);
}

bool DeliveryWitness::is_sure(const Followed& one) const {
    if (!one.is_sure || is_unheard_ || (is_blurred_ && expected::is_passive(one.row))) return false;
    const model::Notification& row = one.row;
    const bool is_apart = row.handed_to.empty() && row.scope.session_id.empty() && row.scope.user_id != "owner";
    return erased_.empty() || (is_apart && !erased_.contains(row.scope.user_id));
}

bool DeliveryWitness::may_be_gone(const Followed* one, base::Timestamp now) const {
    return one == nullptr || (one->row.ended_at && *one->row.ended_at <= now - kept_);
}

bool DeliveryWitness::agrees(bool is_ok, bool should_be, const Followed* about, base::Timestamp now,
                             const std::string& what) {
    if (is_ok == should_be) return is_ok;
    const bool can_know = about != nullptr ? is_sure(*about) : is_all_sure();
    if (can_know && !(may_be_gone(about, now) && !is_ok)) {
        const std::string verdict = what + (is_ok ? " was taken" : " was refused");
        if (about != nullptr) complain(about->row, verdict);
        else complain(verdict);
    }
    return is_ok;
}

void DeliveryWitness::touch(const base::Uuid& id) {
    recent_.push_back(id);
    if (recent_.size() > recent_max) recent_.pop_front();
}

const model::Notification* DeliveryWitness::some_row() {
    if (recent_.empty()) return nullptr;
    const Followed* const one = book_.find(recent_[random_.below(recent_.size())]);
    return one == nullptr ? nullptr : &one->row;
}

const model::Notification* DeliveryWitness::under_key(const std::string& user, const std::string& key) const {
    const Followed* const one = book_.under_key(user, key);
    return one == nullptr ? nullptr : &one->row;
}

void DeliveryWitness::learn(const model::Notification& row) {
    book_.put({row, {}, false, false});
    learnt_.insert(row.id.uuid);
    if (expected::is_shown(row)) {
        inboxes_.awareness().published(row.id.uuid, row.version, expected::text_for_eyes(row));
    }
    touch(row.id.uuid);
}

void DeliveryWitness::settle(const base::Uuid& id, const model::Notification& answered, const char* after) {
    touch(id);
    const Followed& known = *book_.find(id);
    model::Notification foretold = known.row;
    foretold.passed_over = answered.passed_over;
    foretold.fact = answered.fact;  // another witness's matter
    const std::string difference = expected::difference(foretold, answered);
    if (difference.empty()) return;
    if (is_sure(known)) complain(answered, std::string("not as foretold after ") + after + " in " + difference);
    book_.change(id, [&](Followed& one) {
        one.row = answered;
        one.knows_steps = false;
    });
}

void DeliveryWitness::tell_state(const model::Notification& row) {
    inboxes_.expect({InboxWitness::Kind::state, row.id.uuid, row.lease, row.version,
                     std::string(model::delivery_state_name(row.state))});
}

void DeliveryWitness::tell_turn(const model::Notification& row) {
    inboxes_.expect({InboxWitness::Kind::turn, row.id.uuid, 0, 0, {}});
}

void DeliveryWitness::tell_sent(const model::Notification& row) {
    inboxes_.expect({InboxWitness::Kind::notification, row.id.uuid, row.lease, row.version,
                     std::string(model::delivery_state_name(row.state))});
    // Agents may be told of it in the same step, before its readers are heard.
    inboxes_.awareness().published(row.id.uuid, row.version, expected::text_for_eyes(row));
}

// That an interface got it is written down; of one that came or went in this step nobody knows.
void DeliveryWitness::send_to_user(Followed& one, base::Timestamp now) {
    const auto is_there = inboxes_.is_there(one.row.scope.user_id);
    if (!is_there) one.knows_steps = false;
    else if (*is_there) expected::send_again(one.row, now, "interfaces", one.steps);
    tell_sent(one.row);
}

// Whose it is to be. Nothing: its session may have become anybody's meanwhile.
std::optional<std::string> DeliveryWitness::user_of(const SentEmit& sent) const {
    const model::Scope& scope = sent.draft.scope;
    if (!scope.user_id.empty()) return scope.user_id;
    if (scope.session_id.empty()) return "owner";
    const auto seat = seats_.find(scope.session_id);
    if (!knows_seats() || seat == seats_.end() || seat->second.user.empty()) return std::nullopt;
    return seat->second.user;
}

// What its sender names, wherever that is, or else the deepest of what its session's agent has in hand, if it is that
// agent, or runs it. Never another person's.
const Followed* DeliveryWitness::cause_of(const SentEmit& sent, const std::string& user) const {
    const std::string& session = sent.draft.scope.session_id;
    const Followed* cause = nullptr;
    if (!sent.caused_by.empty()) {
        const auto id = base::parse_uuid(sent.caused_by);
        cause = id ? book_.find(*id) : book_.find_named(session, sent.caused_by);
        return cause != nullptr && cause->row.scope.user_id == user ? cause : nullptr;
    }
    if (session.empty() || sent.principal.id == program_principal().id) return nullptr;
    for (const base::Uuid& id : book_.held(session)) {
        const Followed* const one = book_.find(id);
        const bool is_by_its_agent = sent.principal.role == model::Role::agent || one->row.holder == sent.principal.id;
        if (one->row.scope.user_id != user || !is_by_its_agent) continue;
        if (cause == nullptr || one->row.depth > cause->row.depth) cause = one;
    }
    return cause;
}

// The depths of the notifications that this agent holds in any session. The agent may hold each uncertain row.
DeliveryWitness::Depths DeliveryWitness::depths_in_hand(const model::Principal& who) const {
    Depths depths;
    if (who.role != model::Role::agent) return depths;
    for (const auto& [id, one] : book_.all()) {
        const bool is_in_hand = one.row.state == State::locked && one.row.holder == who.id;
        if (is_in_hand && is_sure(one)) depths.least = std::max(depths.least, std::optional(one.row.depth));
        if (is_in_hand || !is_sure(one)) depths.most = std::max(depths.most, std::optional(one.row.depth));
    }
    return depths;
}

bool DeliveryWitness::knows_key(const std::string& user, const std::string& key) const {
    return key.empty() || std::ranges::none_of(book_.all(), [&](const auto& known) {
               const Followed& one = known.second;
               return one.row.scope.user_id == user && one.row.deduplication_key == key && !is_sure(one);
           });
}

// Says so where it is taken or refused and should not be. Where nobody can know whose it was to be, a refusal is none.
bool DeliveryWitness::is_emit_taken(const SentEmit& sent, const base::Result<ports::EmittedNotification>& reply,
                                    base::Timestamp now) {
    const model::Notification& wish = sent.draft;
    const auto user = reply.ok() ? std::optional(reply->notification.scope.user_id) : user_of(sent);
    const bool needs_session = wish.address == model::Address::session && wish.scope.session_id.empty();
    if (needs_session || wish.ttl.us < 0 || wish.ttl > base::days(30)) {
        return agrees(reply.ok(), false, nullptr, now, "an emit");
    }
    if (!user) return false;
    const auto named = base::parse_uuid(sent.caused_by);
    const Followed* const cause = cause_of(sent, *user);
    if (!sent.caused_by.empty() && (!reply.ok() || cause == nullptr)) {
        const Followed* const about = named ? book_.find(*named) : nullptr;
        if (cause == nullptr) return agrees(reply.ok(), false, about, now, "an emit of what another's caused");
        if (may_be_gone(cause, now) || !is_sure(*cause)) return false;
    }
    const Followed* const before =
        wish.deduplication_key.empty() ? nullptr : book_.under_key(*user, wish.deduplication_key, sent.lease);
    // An agent has no part in what lives elsewhere.
    const bool is_anothers = before != nullptr && sent.principal.role == model::Role::agent &&
                             before->row.scope.session_id != wish.scope.session_id;
    const bool may_have_before = !is_all_sure() || !knows_key(*user, wish.deduplication_key);
    if (before == nullptr && !reply.ok() && may_have_before) return false;
    return agrees(reply.ok(), !is_anothers, before, now, "an emit");
}

// What was sent, as it has to be understood. That a session is somebody else's, or gone, is learnt from the answer.
model::Notification DeliveryWitness::filled(const SentEmit& sent, const model::Notification& answered,
                                            const Followed* cause) const {
    model::Notification draft = sent.draft;
    draft.scope.user_id = user_of(sent).value_or(answered.scope.user_id);
    if (draft.content.empty()) draft.content = draft.text;
    if (draft.text.empty()) draft.text = draft.content;
    draft.emitter = sent.principal.id;
    draft.model_tokens = answered.model_tokens;
    // A chain goes on through all that an agent says while it has something in hand.
    const auto [least, most] = depths_in_hand(sent.principal);
    if (cause != nullptr) draft.caused_by = cause->row.id;
    if (cause != nullptr || most) {
        const std::int64_t of_cause = cause != nullptr ? cause->row.depth + 1 : 0;
        const std::int64_t at_least = std::max(of_cause, least ? *least + 1 : 0);
        draft.depth = std::clamp(answered.depth, at_least, std::max(at_least, most ? *most + 1 : 0));
        if (draft.depth >= chain_max && draft.handler == model::Handler::agent) {
            draft.handler = model::Handler::system;
            draft.target = model::Target::user;
        }
    }
    const bool is_housed_elsewhere = !draft.scope.session_id.empty() && answered.scope.session_id.empty();
    if (draft.scope.session_id.empty() || is_housed_elsewhere) {
        draft.scope.session_id.clear();
        draft.address = model::Address::user;
    }
    return draft;
}

// Whoever came or went in the same step may count or not.
void DeliveryWitness::send_at_once(Followed& one, const model::Notification& answered, base::Timestamp now) {
    if (!expected::is_shown(one.row)) return;
    const auto is_there = inboxes_.is_there(one.row.scope.user_id);
    if (is_there.value_or(answered.state == State::dispatched)) {
        expected::dispatch(one.row, now, "interfaces", one.steps);
    }
}

// How full its queue is nobody outside knows; what of it may give way is.
void DeliveryWitness::give_way(Followed& one, const model::Notification& answered, base::Timestamp now) {
    if (answered.state != State::failed) return;
    if (!expected::may_give_way(one.row) || !gave_way_) return complain(answered, "it may not give way");
    expected::fail(one.row, now, "belfry", "overload", one.steps);
}

void DeliveryWitness::made(Followed one, const model::Notification& answered, const char* how) {
    one.row.id = answered.id;
    one.row.ordinal = answered.ordinal;
    for (model::Transition& step : one.steps) step.notification = one.row.id;
    if (book_.find(one.row.id.uuid) != nullptr) complain(answered, "a new one has an old one's id");
    if (answered.ordinal <= last_ordinal_) complain(answered, "a new one has an old ordinal");
    last_ordinal_ = std::max(last_ordinal_, answered.ordinal);
    if (expected::is_spoken(one.row)) tell_turn(one.row);
    else if (expected::is_shown(one.row)) tell_sent(one.row);
    const base::Uuid id = one.row.id.uuid;
    book_.put(std::move(one));
    settle(id, answered, how);
}

void DeliveryWitness::told(const SentEmit& sent, const base::Result<ports::EmittedNotification>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    if (!is_emit_taken(sent, reply, now)) return;
    const model::Notification& wish = sent.draft;
    const model::Notification& answered = reply->notification;
    const Followed* const cause = cause_of(sent, answered.scope.user_id);
    // What is said in a session comes of what its agent has in hand, and that is not always known.
    if (sent.principal.role == model::Role::agent && !is_all_sure()) return learn(answered);
    if (sent.caused_by.empty() && !wish.scope.session_id.empty()) {
        const Followed* const said = answered.caused_by ? book_.find(answered.caused_by->uuid) : cause;
        const auto is_known = [&](const Followed* one) { return one == nullptr || is_sure(*one); };
        if (!is_all_sure() || !is_known(cause) || !is_known(said)) return learn(answered);
    }
    const model::Notification draft = filled(sent, answered, cause);
    if (!knows_key(draft.scope.user_id, wish.deduplication_key)) return learn(answered);
    const Followed* const before = wish.deduplication_key.empty()
                                       ? nullptr
                                       : book_.under_key(draft.scope.user_id, wish.deduplication_key, sent.lease);
    const bool is_free =
        before != nullptr && (before->row.state == State::pending || before->row.state == State::dispatched);
    // What an agent has narrated is with the interfaces: its update is another notification.
    const bool is_held = before != nullptr && before->row.state == State::locked && before->row.narration.empty();
    const bool is_holders = is_held && sent.lease == before->row.lease && before->row.holder == sent.principal.id;
    const bool updates = is_free || is_holders;
    if (reply->is_new == updates && (before == nullptr ? is_all_sure() : is_sure(*before))) {
        complain(answered, updates ? "an update made a new one" : "a new one took an old one's place");
    }
    if (reply->is_new) {
        Followed one{draft, {}, true, true};
        one.row.created_at = now;
        if (is_held) one.row.follows = before->row.id;
        const bool knows_before = before == nullptr ? is_all_sure() : is_sure(*before);
        if (!knows_before) one.row.follows = answered.follows;
        expected::birth(one.row, wish, one.steps);
        send_at_once(one, answered, now);
        give_way(one, answered, now);
        return made(std::move(one), answered, "its emit");
    }
    const base::Uuid id = answered.id.uuid;
    if (book_.find(id) == nullptr) return learn(answered);
    predict(id, [&](Followed& one) {
        const bool was_spoken = expected::is_spoken(one.row);
        expected::update(one.row, draft, now, one.steps);
        if (expected::is_spoken(one.row) && !was_spoken) tell_turn(one.row);
        else if (expected::is_shown(one.row)) tell_sent(one.row);
    });
    settle(id, answered, "its update");
}

void DeliveryWitness::told(const SentAck& sent, const base::Result<model::Notification>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    const Followed* const known = book_.find(sent.id);
    const bool should_be = known != nullptr && may_answer(sent.principal, known->row) &&
                           !model::is_terminal(known->row.state) && sent.lease == known->row.lease &&
                           sent.version == known->row.version && expected::is_shown(known->row);
    if (!agrees(reply.ok(), should_be, known, now, "an acknowledgement")) return;
    if (known == nullptr) return learn(*reply);
    predict(sent.id, [&](Followed& one) {
        if (model::is_terminal(one.row.state)) return;
        expected::deliver(one.row, now, sent.principal.id, how_of(sent), one.steps);
        mark(one.row, sent.how == "clicked" ? model::ReadMark::acted : model::ReadMark::seen, now);
        tell_state(one.row);
    });
    settle(sent.id, *reply, "its acknowledgement");
}

void DeliveryWitness::told(const SentMark& sent, const base::Result<model::Notification>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    const Followed* const known = book_.find(sent.id);
    const bool should_be =
        known != nullptr && may_answer(sent.principal, known->row) && expected::was_for_eyes(known->row);
    if (!agrees(reply.ok(), should_be, known, now, "a mark")) return;
    if (known == nullptr) return learn(*reply);
    predict(sent.id, [&](Followed& one) {
        const model::Notification before = one.row;
        mark(one.row, sent.mark, now);
        if (before != one.row) tell_state(one.row);
    });
    settle(sent.id, *reply, "a mark");
}

void DeliveryWitness::told(const SentRetry& sent, const base::Result<model::Notification>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    const Followed* const known = book_.find(sent.id);
    const bool should_be =
        known != nullptr && known->row.state == State::failed && !book_.is_sent_again(known->row.id.uuid);
    if (!agrees(reply.ok(), should_be, known, now, "sending again")) return;
    if (known == nullptr) return learn(*reply);
    const model::Notification& old = known->row;
    inboxes_.awareness().sent_again(old.text);
    Followed one;
    one.row.scope = old.scope;
    one.row.subscriber_id = old.subscriber_id;
    one.row.priority = old.priority;
    one.row.inject_at = old.inject_at;
    one.row.severity = old.severity;
    one.row.address = reply->address;  // its session may have gone
    one.row.scope.session_id = reply->scope.session_id;
    one.row.target = old.target;
    one.row.handler = old.handler;
    for (std::string model::Notification::* text :
         {&model::Notification::content, &model::Notification::text, &model::Notification::directive,
          &model::Notification::tone_hint, &model::Notification::emitter}) {
        one.row.*text = old.*text;
    }
    one.row.metadata = old.metadata;
    one.row.used_tools = old.used_tools;
    one.row.events = old.events;
    one.row.follow_up = true;
    one.row.model_tokens = old.model_tokens;
    one.row.ttl = old.ttl;
    one.row.depth = old.depth;
    one.row.retry_of = old.id;
    one.row.created_at = now;
    expected::birth(one.row, one.row, one.steps);
    send_at_once(one, *reply, now);
    give_way(one, *reply, now);
    made(std::move(one), *reply, "being sent again");
}

void DeliveryWitness::told(const SentOpen& sent, const base::Result<ports::OpenedInbox>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    if (!reply.ok()) return complain("an interface was refused: " + reply.error().message);
    if (reply->until < last_ordinal_ && is_all_sure()) complain("an interface came and was promised too little");
    opening_ = {sent.user_id, sent.session_id, 0, reply->until};
    judge_portion(*opening_, *reply, now);
    inboxes_.opened(sent, *reply, complaints_);
}

void DeliveryWitness::told(const SentContinue& sent, const base::Result<ports::InboxPortion>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    if (!reply.ok()) return complain("a portion was refused: " + reply.error().message);
    judge_portion(sent, *reply, now);
}

// All that waits there and no more, oldest first; where there is more, all up to the last one.
void DeliveryWitness::judge_portion(const SentContinue& asked, const ports::InboxPortion& portion,
                                    base::Timestamp now) {
    std::set<base::Uuid> there;
    std::int64_t before = asked.after;
    for (const model::Notification& row : portion.waiting) {
        there.insert(row.id.uuid);
        if (row.ordinal <= before) complain(row, "what waits does not come oldest first");
        before = row.ordinal;
        if (row.ordinal > asked.until) complain(row, "came after the interface did, and is in its portion");
        const Followed* const known = book_.find(row.id.uuid);
        if (known == nullptr) {
            learn(row);
            continue;
        }
        if (is_sure(*known) && (model::is_terminal(known->row.state) || !expected::is_shown(known->row))) {
            complain(row, "an interface was sent what is not for it");
        }
        predict(row.id.uuid, [&](Followed& one) {
            if (one.row.state != State::pending) {
                return expected::send_again(one.row, now, admin_principal().id, one.steps);
            }
            expected::dispatch(one.row, now, admin_principal().id, one.steps);
            tell_state(one.row);
        });
        settle(row.id.uuid, row, "an interface came");
    }
    const std::int64_t last = portion.more ? before : asked.until;
    for (const base::Uuid& id : book_.shown(asked.user_id)) {
        const Followed& one = *book_.find(id);
        const bool is_here = asked.session_id.empty() || one.row.scope.session_id == asked.session_id;
        const bool is_of_portion = one.row.ordinal > asked.after && one.row.ordinal <= last;
        if (!is_here || !is_of_portion || there.contains(id) || !is_sure(one)) continue;
        complain(one.row, "an interface came and was not sent it");
    }
}

void DeliveryWitness::told(const SentClose& sent, const base::Result<ports::Nothing>& reply) {
    if (!is_out_of_reach(reply)) inboxes_.closed(sent.user_id, sent.session_id);
}

void DeliveryWitness::told(const SentDelete& sent, const base::Result<ports::Nothing>& reply, base::Timestamp now) {
    if (reply.ok() || reply.error().code == base::Code::outcome_unknown) ever_deleted_.insert(sent.session_id);
    if (is_out_of_reach(reply) || !reply.ok()) return;
    std::set<base::Uuid> moved;
    for (const base::Uuid& id : book_.living_in(sent.session_id)) {
        const Followed& one = *book_.find(id);
        const bool is_fact = expected::is_shown(one.row) && one.row.address == model::Address::session;
        if (is_fact && is_sure(one)) moved.insert(id);
    }
    inboxes_.awareness().gone(sent.session_id, moved, now);
    Seat fresh;
    fresh.user = seats_[sent.session_id].user;
    seats_[sent.session_id] = std::move(fresh);
    if (!deleted_.insert(sent.session_id).second && is_all_sure()) complain("a session was deleted twice");
    for (const base::Uuid& id : book_.living_in(sent.session_id)) {
        predict(id, [&](Followed& one) {
            expected::leave_session(one.row, now, one.steps);
            if (expected::is_shown(one.row)) tell_state(one.row);
        });
    }
    // Its agent can end its turn no more: the person is told at once, and decisions are another session's.
    for (const base::Uuid& id : book_.held(sent.session_id)) {
        predict(id, [&](Followed& one) {
            const std::string holder = one.row.holder;
            if (expected::must_be_told(one.row)) {
                expected::escalate(one.row, now, holder, "session_deleted", one.steps);
            } else {
                expected::let_go(one.row, now, "session_deleted", one.steps);
            }
            if (one.row.state == State::escalated) send_to_user(one, now);
            else if (expected::is_spoken(one.row)) tell_turn(one.row);
        });
        touch(id);
    }
}

void DeliveryWitness::told(const SentMessage& sent, const base::Result<model::SessionMessage>& reply) {
    if (is_out_of_reach(reply) || !reply.ok()) return;
    if (sent.role == model::MessageRole::assistant) seats_[sent.session_id].note_message(admin_principal().id);
}

void DeliveryWitness::told(const SentSession& sent, const base::Result<model::Session>& reply) {
    if (is_out_of_reach(reply) || !reply.ok()) return;
    Seat& seat = seats_[sent.session_id];
    if (!sent.agent_id.empty()) seat.agent = sent.agent_id;
    const bool is_anothers = !seat.user.empty() && seat.user != reply->user_id;
    if (is_anothers && knows_seats()) complain(sent.session_id + " became another user's");
    if (!reply->user_is_default) seat.user = reply->user_id;
    judge_seat(sent.session_id, reply->progress);
}

void DeliveryWitness::told(const SentTool& sent, bool is_ok, const base::Error* error) {
    if (is_ok && sent.impact) tools_[sent.name] = *sent.impact;
    else if (is_ok) tools_.erase(sent.name);
    else if (error->code == base::Code::outcome_unknown) unheard();
}

}  // namespace belfry::sim
