#include "sim/agents.hpp"

#include <array>

#include "sim/catalogue.hpp"
#include "sim/planner.hpp"

namespace belfry::sim {
namespace {

constexpr std::size_t remembered_max = 30;
constexpr std::array<const char*, 5> may_be_off{"batched", "every", "alarm", "chosen", guest_subscriber};
constexpr std::array<const char*, 5> priorities{"", "critical", "high", "normal", "low"};
constexpr std::array<const char*, 4> points{"", "immediate", "next_turn", "after_tool"};

}  // namespace

std::string Agents::session() {
    return places_.some(random_);
}

Sent Agents::act() {
    switch (random_.below(10)) {
        case 0: return settings();
        case 1:
        case 2:
            return SentMessage{session(), static_cast<model::MessageRole>(random_.below(3)),
                               "said " + std::to_string(++count_)};
        case 3: {
            SentSession sent{session(), {}, {}, std::nullopt};
            if (random_.one_in(3)) sent.agent_id = some_agent(random_);
            if (random_.one_in(2)) sent.user_id = some_person(random_);
            if (random_.one_in(2)) {
                sent.budget = model::Budget{static_cast<std::int64_t>(random_.below(3000)),
                                            static_cast<std::int64_t>(random_.below(30)),
                                            static_cast<std::int64_t>(random_.below(100)), 0};
            }
            return sent;
        }
        default: return report();
    }
}

Sent Agents::report() {
    switch (random_.below(3)) {
        case 0: {
            SentTurn turn{session(),
                          random_.one_in(2) ? ports::TurnEdge::start : ports::TurnEdge::end,
                          random_.one_in(10),
                          static_cast<std::int64_t>(random_.below(500)),
                          {},
                          {}};
            return turn;
        }
        case 1:
            return SentToolCall{session(),
                                static_cast<ports::ToolCallStatus>(random_.below(4)),
                                "tool" + std::to_string(random_.below(3)),
                                "call" + std::to_string(++count_),
                                {}};
        default: {
            SentSelf note{session(), "note" + std::to_string(random_.below(3)), priorities[random_.below(5)],
                          points[random_.below(4)], 0};
            if (random_.one_in(3)) note.after_turns = static_cast<std::int64_t>(1 + random_.below(3));
            return note;
        }
    }
}

Sent Agents::settings() {
    const std::string user = random_.one_in(5) ? "owner" : some_person(random_);
    if (random_.one_in(2)) return SentToggle{user, may_be_off[random_.below(5)], random_.one_in(2)};
    SentSettings sent{user, {}};
    for (const char* id : may_be_off) {
        if (random_.one_in(5)) sent.disabled_subscribers.emplace_back(id);
    }
    if (random_.one_in(20)) sent.disabled_subscribers.emplace_back("mill_only");  // a core one: refused
    return sent;
}

SentPull Agents::pull() {
    SentPull sent;
    sent.session_id = session();
    sent.point = static_cast<model::InjectAt>(random_.below(4));
    if (random_.one_in(3)) sent.budget_tokens = static_cast<std::int64_t>(1 + random_.below(400));
    sent.lease = random_.one_in(5) ? base::limits::lease_default
                                   : base::milliseconds(static_cast<std::int64_t>(1000 + random_.below(30'000)));
    if (!handed_.empty() && random_.one_in(3)) {
        const HandedOver& before = some_handed();
        sent.session_id = before.session_id;
        sent.acknowledge = before.pull_id;
    }
    return sent;
}

const Agents::HandedOver& Agents::some_handed() {
    if (random_.one_in(2)) return handed_.back();
    return handed_[random_.below(handed_.size())];
}

SentAcknowledge Agents::acknowledge() {
    const HandedOver& before = some_handed();
    SentAcknowledge sent;
    sent.session_id = before.session_id;
    if (before.items.empty() || random_.one_in(2)) {
        sent.pull_id = before.pull_id;
        return sent;
    }
    for (const ports::Acknowledge::Item& item : before.items) {
        if (random_.one_in(2)) sent.items.push_back(item);
    }
    if (sent.items.empty()) sent.items.push_back(before.items.front());
    if (random_.one_in(8)) --sent.items.back().lease;
    else if (random_.one_in(8)) ++sent.items.back().lease;
    return sent;
}

void Agents::handed(const SentPull& sent, const ports::PullReply& reply) {
    if (reply.items.empty()) return;
    HandedOver& over = handed_.emplace_back();
    over.session_id = sent.session_id;
    over.pull_id = reply.pull_id;
    for (const ports::PulledItem& item : reply.items) {
        if (item.stands_for.empty()) over.items.push_back({item.handle, item.notification.lease, std::nullopt});
    }
    if (handed_.size() > remembered_max) handed_.pop_front();
}

}  // namespace belfry::sim
