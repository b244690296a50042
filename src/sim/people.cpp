#include "sim/people.hpp"

#include "sim/planner.hpp"

namespace belfry::sim {

std::string People::user() {
    return random_.one_in(6) ? std::string("owner") : some_person(random_);
}

std::string People::tool() {
    return "tool" + std::to_string(random_.below(3));
}

std::optional<model::Impact> People::impact() {
    if (random_.one_in(3)) return std::nullopt;
    return random_.one_in(4) ? model::Impact::external : model::Impact::internal;
}

model::Principal People::person(const model::Notification& row) {
    if (random_.one_in(3)) return admin_principal();
    return person_principal(random_.one_in(8) ? some_person(random_) : row.scope.user_id);
}

SentEmit People::emit(const DeliveryWitness& known, const model::Notification* row) {
    SentEmit sent;
    sent.principal = admin_principal();
    model::Notification& draft = sent.draft;
    draft.text = "emitted " + std::to_string(++count_);
    if (random_.one_in(2)) draft.content = draft.text + " in full";
    draft.metadata = model::RawJson::trusted("{\"n\":" + std::to_string(count_) + "}");
    draft.target = random_.one_in(2) ? model::Target::user : model::Target::agent;
    draft.handler = random_.one_in(3) ? model::Handler::system : model::Handler::agent;
    draft.priority = static_cast<model::Priority>(random_.below(4));
    draft.inject_at = static_cast<model::InjectAt>(random_.below(4));
    // Low context comes at the end of a turn, whatever is asked for.
    const bool is_context = draft.target == model::Target::agent && draft.handler == model::Handler::system;
    if (is_context && draft.priority == model::Priority::low) draft.inject_at = model::InjectAt::turn_end;
    draft.severity = static_cast<model::Severity>(random_.below(5));
    if (random_.one_in(2)) draft.scope.session_id = places_.some(random_);
    if (!draft.scope.session_id.empty() || random_.one_in(40)) draft.address = model::Address::session;
    else draft.address = model::Address::user;
    if (random_.one_in(8)) draft.address = model::Address::user;
    if (draft.scope.session_id.empty() || random_.one_in(3)) draft.scope.user_id = user();
    if (random_.one_in(6)) draft.scope.agent_id = some_agent(random_);
    if (random_.one_in(2)) draft.deduplication_key = "key" + std::to_string(random_.below(3));
    if (random_.one_in(5)) draft.directive = "be brief";
    if (random_.one_in(4)) draft.ttl = base::seconds(static_cast<std::int64_t>(1 + random_.below(900)));
    else if (random_.one_in(60)) draft.ttl = base::days(static_cast<std::int64_t>(random_.below(60)));
    if (row != nullptr && random_.one_in(5)) sent.caused_by = base::format_uuid(row->id.uuid);
    else if (random_.one_in(60)) sent.caused_by = "n9999";
    if (!draft.scope.session_id.empty() && random_.one_in(5)) {
        sent.principal = agent_principal(draft.scope.session_id);
        draft.scope.user_id.clear();  // who is bound to a session alone does not say whose it is
    } else if (random_.one_in(3)) {
        sent.principal = program_principal();
    }
    const model::Notification* const before = known.under_key(draft.scope.user_id, draft.deduplication_key);
    if (before != nullptr && random_.one_in(2)) {
        sent.lease = before->lease - (random_.one_in(3) ? 1 : 0);
    }
    return sent;
}

std::optional<base::Duration> People::some_lease() {
    if (random_.one_in(3)) return std::nullopt;
    return base::seconds(static_cast<std::int64_t>(1 + random_.below(3600)));
}

SentAck People::ack(const model::Notification& row) {
    SentAck sent{person(row), row.id.uuid, row.lease, row.version, "rendered"};
    if (random_.one_in(3)) sent.how = random_.one_in(2) ? "clicked" : "";
    switch (random_.below(12)) {
        case 0: sent.lease = row.lease - 1; break;
        case 1: sent.lease = row.lease + 1; break;
        case 2: sent.version = row.version - 1; break;
        case 3: sent.lease.reset(); break;
        case 4: sent.version.reset(); break;
        default: break;
    }
    return sent;
}

void People::handed(const SentPull& sent, const ports::PullReply& reply) {
    constexpr std::size_t remembered_max = 4;
    std::deque<base::Uuid>& pulls = pulls_[sent.session_id];
    pulls.push_back(reply.pull_id);
    if (pulls.size() > remembered_max) pulls.pop_front();
}

std::optional<base::Uuid> People::some_pull(const std::string& session, const std::optional<base::Uuid>& last) {
    const std::deque<base::Uuid>& pulls = pulls_[session];
    if (pulls.empty() || random_.one_in(2)) return last;
    return random_.one_in(3) ? pulls[random_.below(pulls.size())] : pulls.back();
}

template <class Call>
void People::prove(Call& call, const model::Notification& row, const std::string& name) {
    switch (random_.below(8)) {
        case 0:
        case 1:
        case 2: call.pull_id = some_pull(call.session_id, row.pull_id); break;
        case 3:
        case 4: call.leases.push_back({name, row.lease - (random_.one_in(4) ? 1 : 0), std::nullopt}); break;
        default: break;
    }
    call.as_agent = row.holder == agent_principal({}).id ? !random_.one_in(6) : random_.one_in(12);
}

SentPull People::pull(const model::Notification& row) {
    SentPull sent;
    sent.session_id = row.scope.session_id.empty() ? places_.some(random_) : row.scope.session_id;
    sent.point = random_.one_in(3) ? static_cast<model::InjectAt>(random_.below(4)) : model::InjectAt::turn_start;
    if (random_.one_in(4)) sent.budget_tokens = static_cast<std::int64_t>(1 + random_.below(400));
    sent.lease = base::seconds(static_cast<std::int64_t>(1 + random_.below(random_.one_in(2) ? 20 : 3600)));
    if (random_.one_in(3)) sent.pull_id = some_pull(sent.session_id, std::nullopt);
    sent.as_agent = random_.one_in(4);
    return sent;
}

Sent People::about(const model::Notification& row) {
    const std::string session = !row.handed_to.empty() ? row.handed_to : places_.some(random_);
    const std::string name =
        row.handle > 0 && random_.one_in(2) ? "n" + std::to_string(row.handle) : base::format_uuid(row.id.uuid);
    switch (random_.below(24)) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4: return ack(row);
        case 5:
        case 6: return SentMark{person(row), row.id.uuid, static_cast<model::ReadMark>(random_.below(3))};
        case 7:
        case 8:
        case 9: {
            SentNarrate said{row.id.uuid, row.lease, "narrated " + std::to_string(++count_)};
            if (random_.one_in(4)) said.lease = row.lease - 1;
            else if (random_.one_in(3)) said.lease.reset();
            if (!said.lease && random_.one_in(2)) said.pull_id = some_pull(row.handed_to, row.pull_id);
            if (random_.one_in(4)) said.version = row.version - (random_.one_in(3) ? 1 : 0);
            return said;
        }
        case 10:
        case 11:
        case 12: {
            SentTurn turn{session, ports::TurnEdge::end, false, 0, {}, {}};
            if (random_.one_in(2)) turn.acknowledged.push_back({name, std::nullopt, std::nullopt});
            if (!turn.acknowledged.empty() && random_.one_in(3)) {
                turn.acknowledged.front().lease = row.lease - (random_.one_in(3) ? 1 : 0);
            }
            if (!turn.acknowledged.empty() && random_.one_in(6)) turn.acknowledged.front().version = row.version;
            if (random_.one_in(6)) {
                turn.acknowledged.push_back({"n" + std::to_string(random_.below(20)), std::nullopt, std::nullopt});
            }
            prove(turn, row, name);
            return turn;
        }
        case 13:
        case 14:
        case 15: {
            SentToolCall call{
                session, ports::ToolCallStatus::pending, tool(), "call of people " + std::to_string(++count_), {}};
            if (random_.one_in(3)) call.status = static_cast<ports::ToolCallStatus>(random_.below(4));
            if (random_.one_in(2)) call.handling = name;
            prove(call, row, name);
            return call;
        }
        case 16:
        case 17: {
            SentHeartbeat beat{session, some_lease()};
            prove(beat, row, name);
            return beat;
        }
        case 18: return SentRetry{row.id.uuid};
        case 19:
        case 20: {
            SentTurn turn{session, ports::TurnEdge::start, false, 0, {}, some_lease()};
            prove(turn, row, name);
            return turn;
        }
        case 21:
            return SentMessage{session, model::MessageRole::assistant, "told by people " + std::to_string(++count_)};
        default: {
            SentAcknowledge sent;
            sent.session_id = session;
            sent.items.push_back({name, row.lease - (random_.one_in(4) ? 1 : 0), std::nullopt});
            if (random_.one_in(5)) sent.items.front().version = row.version - (random_.one_in(3) ? 1 : 0);
            return sent;
        }
    }
}

Sent People::act(DeliveryWitness& known) {
    const model::Notification* const row = known.some_row();
    const std::uint64_t draw = random_.below(100);
    if (row == nullptr || draw < 24) return emit(known, row);
    if (draw < 27) return SentTool{tool(), impact()};
    if (draw < 28) return SentDelete{places_.some(random_)};
    if (draw < 33) {
        const auto& opening = known.opening();
        if (opening && random_.one_in(3)) {
            const auto after = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(opening->until) + 1));
            return SentContinue{opening->user_id, opening->session_id, after, opening->until};
        }
        SentOpen& came = there_.emplace_back();
        came.user_id = user();
        if (random_.one_in(4)) came.session_id = places_.some(random_);
        return came;
    }
    if (draw < 37 && !there_.empty()) {
        const std::size_t which = random_.below(there_.size());
        const SentOpen goes = there_[which];
        there_.erase(there_.begin() + static_cast<std::ptrdiff_t>(which));
        return SentClose{goes.user_id, goes.session_id};
    }
    if (draw < 52) return pull(*row);
    return about(*row);
}

}  // namespace belfry::sim
