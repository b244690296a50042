#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <rapidcheck.h>
#include <set>

#include "base/sync_limits.hpp"
#include "rules/counter_ranges.hpp"
#include "rules/sync_talk.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::SyncAck;
using model::SyncFrame;
using model::SyncHello;
using model::SyncMessage;
using model::VectorClock;

// What an engine knows, as far as a talk is concerned: which changes of which hosts are here.
struct Replica {
    std::string host;
    std::map<std::string, std::set<std::uint64_t>> here;

    [[nodiscard]] std::uint64_t settled(const std::string& of) const {
        const auto at = here.find(of);
        std::uint64_t last = 0;
        while (at != here.end() && at->second.contains(last + 1)) ++last;
        return last;
    }
    [[nodiscard]] VectorClock has() const {
        VectorClock clock;
        for (const auto& [of, counters] : here) EXPECT_TRUE(clock.raise(of, settled(of)).ok());
        return clock;
    }
    void write() { here[host].insert(settled(host) + 1); }

    // Gaps that were noticed first, then what comes next; three changes at most.
    [[nodiscard]] std::optional<SyncFrame> give(const VectorClock& has, const CounterRanges& asked) const {
        for (const model::CounterRange& range : asked) {
            return frame(range.host, range.from - 1, std::min({range.to, range.from + 2, settled(range.host)}));
        }
        for (const auto& [of, counters] : here) {
            if (settled(of) > has.counter_of(of)) {
                return frame(of, has.counter_of(of), std::min(settled(of), has.counter_of(of) + 3));
            }
        }
        return std::nullopt;
    }
    static SyncFrame frame(const std::string& of, std::uint64_t after, std::uint64_t through) {
        SyncFrame made;
        made.host = of;
        made.after = after;
        made.through = through;
        return made;
    }
    SyncAck take(const SyncFrame& frame) {
        for (std::uint64_t i = frame.after + 1; i <= frame.through; ++i) here[frame.host].insert(i);
        SyncAck ack{has(), {}, {}, ""};
        if (frame.after > settled(frame.host)) ack.missing = {{frame.host, settled(frame.host) + 1, frame.after}};
        return ack;
    }
};

// Two talks and what is under way between them.
class Link {
public:
    Link(Replica& a, Replica& b, unsigned seed) : sides_{Side{a, now_}, Side{b, now_}}, chance_(seed) {
        for (Side& side : sides_)
            side.talk.opened({limits::sync_protocol, "", "", side.us.host, side.us.has(), {}, ""});
        for (int i = 0; i < 4; ++i) step(0);
    }

    // `trouble`: so many messages of a hundred are lost, and as many doubled or late.
    void step(unsigned trouble) {
        now_ = now_ + base::seconds(1);
        for (std::size_t i = 0; i < 2; ++i) carry_out(sides_[i], sides_[1 - i], trouble);
        for (Side& side : sides_) {
            std::vector<SyncMessage> arriving = std::exchange(side.arriving, {});
            for (SyncMessage& message : arriving) side.talk.heard(std::move(message), now_);
            side.talk.tick(now_);
        }
    }
    void write(std::size_t side) {
        sides_[side].us.write();
        sides_[side].talk.changed();
    }
    [[nodiscard]] bool is_over() const { return sides_[0].talk.is_over() || sides_[1].talk.is_over(); }
    [[nodiscard]] bool is_quiet() const { return sides_[0].talk.is_quiet() && sides_[1].talk.is_quiet(); }

private:
    struct Side {
        Side(Replica& replica, base::Timestamp now) : us(replica), talk(now) {}
        Replica& us;
        SyncTalk talk;
        std::vector<SyncMessage> arriving;
    };

    void carry_out(Side& side, Side& other, unsigned trouble) {
        using Kind = SyncTalk::Wish::Kind;
        for (auto wishes = side.talk.take_wishes(); !wishes.empty(); wishes = side.talk.take_wishes()) {
            for (const SyncTalk::Wish& wish : wishes) {
                if (wish.kind == Kind::send) send(*wish.message, other, trouble);
                if (wish.kind == Kind::note_peer) side.talk.noted({});
                if (wish.kind == Kind::give) {
                    side.talk.given(side.us.give(side.talk.peer_will_have(), side.talk.asked()));
                }
                if (wish.kind == Kind::take) {
                    side.talk.taken(side.us.take(*wish.frame));
                    side.talk.changed();
                }
            }
        }
    }
    void send(const SyncMessage& message, Side& to, unsigned trouble) {
        if (chance_() % 100 < trouble) return;
        to.arriving.push_back(message);
        if (chance_() % 100 < trouble) to.arriving.push_back(message);
        if (chance_() % 100 < trouble) std::shuffle(to.arriving.begin(), to.arriving.end(), chance_);
    }

    base::Timestamp now_ = base::Timestamp{} + base::hours(1);
    std::array<Side, 2> sides_;
    std::mt19937 chance_;
};

TEST(SyncTalkProperty, whatever_is_lost_doubled_or_late_all_is_told_in_the_end) {
    EXPECT_TRUE(rc::check([] {
        Replica a{"a", {}};
        Replica b{"b", {}};
        for (int i = *rc::gen::inRange(0, 30); i > 0; --i) a.write();
        Link link(a, b, *rc::gen::arbitrary<unsigned>());
        const unsigned trouble = *rc::gen::element(0U, 10U, 40U);
        for (int i = *rc::gen::inRange(0, 60); i > 0; --i) {
            if (*rc::gen::inRange(0, 3) == 0) link.write(static_cast<std::size_t>(*rc::gen::inRange(0, 2)));
            link.step(trouble);
            RC_ASSERT(!link.is_over());
        }
        for (int i = 0; i < 200; ++i) link.step(0);
        RC_ASSERT(!link.is_over());
        RC_ASSERT(link.is_quiet());
        RC_ASSERT(a.here == b.here);
    }));
}

}  // namespace
}  // namespace belfry::rules
