#include <algorithm>

#include "engine/stream_book.hpp"
#include "sim/world.hpp"

// What the world makes of an answer, and of none.
namespace belfry::sim {
namespace {

template <class Command>
const auto& reply_of(const ports::AnyCommand& command) {
    return static_cast<const Command&>(*command).result();
}

bool is_unknown(const base::Error& error) {
    return error.code == base::Code::outcome_unknown;
}

// Whether that is so is the delivery witness's to say.
bool is_about_leases(const base::Error& error) {
    return error.reason == "stale_lease" || error.reason == "no_lease" || error.reason == "stale_version";
}

}  // namespace

std::optional<Sent> World::plan_for_agents(std::uint64_t draw) {
    if (draw < weather_.pulls) return agents_.pull();
    draw -= weather_.pulls;
    if (draw < weather_.confirmations) {
        if (agents_.has_something()) return agents_.acknowledge();
        return std::nullopt;
    }
    draw -= weather_.confirmations;
    if (draw < weather_.reports) return agents_.act();
    if (random_.below(1000) < weather_.catalogue_changes) return SentReload{};
    return std::nullopt;
}

World::Bodies World::bodies_of(const engine::Effects& effects) {
    Bodies bodies;
    for (const model::SharedBlock& block : effects.published) {
        for (const model::LogEntry& entry : block->entries) {
            if (entry.stream == engine::StreamBook::events) bodies[entry.sequence] = entry.body;
        }
    }
    return bodies;
}

// What Belfry concluded by itself is published and answered to nobody.
void World::hear_of_the_clock(const engine::Effects& effects) {
    const Bodies bodies = bodies_of(effects);
    std::vector<ports::Admitted> events;
    for (const auto& [sequence, body] : bodies) {
        const auto id = base::parse_uuid(model::JsonView{body}.member("id")->as_text());
        events.push_back({model::EventId{id.value_or(base::Uuid{})}, sequence});
    }
    events_.brought(events, bodies, clock_.now(), complaints_);
    notifications_.took(events_.drain(), wants_);
}

void World::erased_part(const std::string& user, bool is_whole, bool is_certain) {
    if (user.empty()) return;
    if (is_certain) wants_.erased(user);
    else wants_.maybe_erased(user);
    say("rows of " + user + (is_whole ? " are all erased" : is_certain ? " are erased" : " may be erased"));
    notifications_.erased(user, is_whole);
    delivery_.erased(user);
    sessions_.erased(user);
}

void World::told(const SentRequest& sent, const ports::AnyCommand& answered, const Bodies&) {
    events_.told(sent, reply_of<ports::EmitEvents>(answered), clock_.now(), complaints_);
}

void World::told(const SentMint& sent, const ports::AnyCommand& answered, const Bodies&) {
    tokens_.told(sent, reply_of<ports::MintToken>(answered), complaints_);
}

void World::told(const SentRevoke& sent, const ports::AnyCommand& answered, const Bodies&) {
    tokens_.told(sent, reply_of<ports::RevokeToken>(answered), clock_.now(), complaints_);
}

void World::told(const SentErase& sent, const ports::AnyCommand& answered, const Bodies&) {
    erasures_.told(sent, reply_of<ports::EraseUser>(answered), complaints_);
}

void World::told(const SentSlice& sent, const ports::AnyCommand& answered, const Bodies&) {
    const auto& reply = reply_of<ports::EraseSlice>(answered);
    erasures_.told(sent, reply, complaints_);
    const std::string user = erasures_.user_of(sent.obligation);
    if (reply.ok()) erased_part(user, reply->finished, true);
    else if (is_unknown(reply.error())) erased_part(user, false, false);
    if (!reply.ok() || !reply->finished) return;
    std::erase_if(claims_, [&](const SentSlice& claim) { return claim.obligation == sent.obligation; });
}

void World::told(const SentPostpone& sent, const ports::AnyCommand&, const Bodies&) {
    std::erase_if(calls_, [&](const SentFinish& call) { return call.obligation == sent.obligation; });
    std::erase_if(claims_, [&](const SentSlice& claim) { return claim.obligation == sent.obligation; });
}

void World::told(const SentPull& sent, const ports::AnyCommand& answered, const Bodies&) {
    const auto& reply = reply_of<ports::PullNotifications>(answered);
    delivery_.told(sent, reply, clock_.now());
    if (reply.ok()) agents_.handed(sent, *reply);
    if (reply.ok()) people_.handed(sent, *reply);
}

void World::told(const SentAcknowledge& sent, const ports::AnyCommand& answered, const Bodies&) {
    delivery_.told(sent, reply_of<ports::Acknowledge>(answered), clock_.now());
}

bool World::is_gone(const std::string& session, const base::Error& error) const {
    return error.code == base::Code::gone && places_.was_deleted(session);
}

void World::told_report(const std::string& session, const base::Result<ports::ReportReply>& reply,
                        const Bodies& published) {
    if (reply.ok()) events_.brought(reply->events, published, clock_.now(), complaints_);
    else if (is_unknown(reply.error())) events_.may_bring(clock_.now());
    else if (reply.error().code != base::Code::unavailable && !is_gone(session, reply.error()) &&
             !is_about_leases(reply.error()))
        complaints_.push_back("a report was refused: " + reply.error().message);
}

void World::told(const SentTurn& sent, const ports::AnyCommand& answered, const Bodies& published) {
    const auto& reply = reply_of<ports::ReportTurn>(answered);
    delivery_.told(sent, reply, clock_.now());
    told_report(sent.session_id, reply, published);
}

void World::told(const SentToolCall& sent, const ports::AnyCommand& answered, const Bodies& published) {
    delivery_.told(sent, reply_of<ports::ReportToolCall>(answered), clock_.now());
    told_report(sent.session_id, reply_of<ports::ReportToolCall>(answered), published);
}

void World::told(const SentSelf& sent, const ports::AnyCommand& answered, const Bodies& published) {
    const auto& reply = reply_of<ports::NotifySelf>(answered);
    if (reply.ok()) {
        if (reply->event) events_.brought({*reply->event}, published, clock_.now(), complaints_);
    } else if (is_unknown(reply.error())) {
        events_.may_bring(clock_.now());
    } else if (reply.error().code != base::Code::unavailable && reply.error().code != base::Code::too_large &&
               !is_gone(sent.session_id, reply.error())) {
        complaints_.push_back("a note was refused: " + reply.error().message);
    }
}

// A session that has its user refuses another one.
void World::told(const SentSession& sent, const ports::AnyCommand& answered, const Bodies&) {
    const auto& reply = reply_of<ports::PutSession>(answered);
    delivery_.told(sent, reply);
    if (reply.ok() || is_unknown(reply.error()) || reply.error().code == base::Code::unavailable) return;
    if (reply.error().code != base::Code::conflict && !is_gone(sent.session_id, reply.error())) {
        complaints_.push_back("a session was refused: " + reply.error().message);
    }
}

void World::told(const SentMessage& sent, const ports::AnyCommand& answered, const Bodies&) {
    const auto& reply = reply_of<ports::PostMessage>(answered);
    delivery_.told(sent, reply);
    if (reply.ok() || !is_gone(sent.session_id, reply.error())) sessions_.told(sent, reply, complaints_);
}

void World::told(const SentSettings& sent, const ports::AnyCommand& answered, const Bodies&) {
    wants_.told(sent, reply_of<ports::PutSettings>(answered), complaints_);
}

void World::told(const SentToggle& sent, const ports::AnyCommand& answered, const Bodies&) {
    wants_.told(sent, reply_of<ports::ToggleSubscriber>(answered), complaints_);
}

void World::told(const SentReload&, const ports::AnyCommand&, const Bodies&) {}

void World::told(const SentEmit& sent, const ports::AnyCommand& answered, const Bodies&) {
    const auto& reply = reply_of<ports::EmitNotification>(answered);
    delivery_.told(sent, reply, clock_.now());
    if (reply.ok()) sessions_.emitted(*reply);
}

void World::told(const SentAck& sent, const ports::AnyCommand& answered, const Bodies&) {
    delivery_.told(sent, reply_of<ports::AckNotification>(answered), clock_.now());
}

void World::told(const SentMark& sent, const ports::AnyCommand& answered, const Bodies&) {
    delivery_.told(sent, reply_of<ports::MarkNotification>(answered), clock_.now());
}

void World::told(const SentNarrate& sent, const ports::AnyCommand& answered, const Bodies&) {
    const auto& reply = reply_of<ports::NarrateNotification>(answered);
    delivery_.told(sent, reply, clock_.now());
    if (reply.ok()) sessions_.narrated(*reply);
    else if (is_unknown(reply.error())) sessions_.unheard({{}, model::MessageRole::assistant, sent.words});
}

void World::told(const SentHeartbeat& sent, const ports::AnyCommand& answered, const Bodies&) {
    delivery_.told(sent, reply_of<ports::Heartbeat>(answered), clock_.now());
}

void World::told(const SentRetry& sent, const ports::AnyCommand& answered, const Bodies&) {
    delivery_.told(sent, reply_of<ports::RetryNotification>(answered), clock_.now());
}

void World::told(const SentOpen& sent, const ports::AnyCommand& answered, const Bodies&) {
    delivery_.told(sent, reply_of<ports::OpenInbox>(answered), clock_.now());
}

void World::told(const SentContinue& sent, const ports::AnyCommand& answered, const Bodies&) {
    delivery_.told(sent, reply_of<ports::ContinueInbox>(answered), clock_.now());
}

void World::told(const SentClose& sent, const ports::AnyCommand& answered, const Bodies&) {
    delivery_.told(sent, reply_of<ports::CloseInbox>(answered));
}

void World::told(const SentDelete& sent, const ports::AnyCommand& answered, const Bodies&) {
    const auto& reply = reply_of<ports::DeleteSession>(answered);
    delivery_.told(sent, reply, clock_.now());
    if (!reply.ok() && !is_unknown(reply.error())) return;
    places_.deleted(sent.session_id);
    sessions_.deleted(sent.session_id);
}

void World::told(const SentTool& sent, const ports::AnyCommand& answered, const Bodies&) {
    const auto tell = [&](const auto& reply) {
        delivery_.told(sent, reply.ok(), reply.ok() ? nullptr : &reply.error());
    };
    if (sent.impact) tell(reply_of<ports::PutTool>(answered));
    else tell(reply_of<ports::DeleteTool>(answered));
}

void World::told(const SentFinish& sent, const ports::AnyCommand&, const Bodies&) {
    std::erase_if(calls_, [&](const SentFinish& call) { return call.obligation == sent.obligation; });
}

void World::hear_of_delivery(const engine::Effects& effects) {
    delivery_.published(effects, clock_.now());
    for (std::string& complaint : delivery_.drain()) complaints_.push_back(std::move(complaint));
}

void World::unheard(const Sent& sent) {
    if (const auto* request = std::get_if<SentRequest>(&sent)) events_.unheard(*request, clock_.now());
    else if (const auto* mint = std::get_if<SentMint>(&sent)) tokens_.unheard(*mint);
    else if (const auto* revoke = std::get_if<SentRevoke>(&sent)) tokens_.unheard(*revoke);
    else if (const auto* erase = std::get_if<SentErase>(&sent)) erasures_.unheard(*erase);
    else if (const auto* settings = std::get_if<SentSettings>(&sent)) wants_.unheard(*settings);
    else if (const auto* toggle = std::get_if<SentToggle>(&sent)) wants_.unheard(*toggle);
    else if (const auto* message = std::get_if<SentMessage>(&sent)) sessions_.unheard(*message);
    else if (const auto* slice = std::get_if<SentSlice>(&sent)) {
        erasures_.unheard(*slice);
        erased_part(erasures_.user_of(slice->obligation), false, false);
    } else if (const auto* narrate = std::get_if<SentNarrate>(&sent)) {
        sessions_.unheard({{}, model::MessageRole::assistant, narrate->words});
    } else {
        if (const auto* end = std::get_if<SentDelete>(&sent)) {
            places_.deleted(end->session_id);
            sessions_.deleted(end->session_id);
        }
        if (const auto* pull = std::get_if<SentPull>(&sent)) {
            delivery_.inboxes().awareness().may_be_told(pull->session_id);
        }
        events_.may_bring(clock_.now());
    }
}

}  // namespace belfry::sim
