#include "rules/sync_talk.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/sync_limits.hpp"
#include "rules/counter_ranges.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::ClockOrder;
using model::CounterRange;
using model::SyncAck;
using model::SyncFrame;
using model::SyncGone;
using model::SyncHello;
using model::SyncMessage;
using model::SyncRefusal;
using model::VectorClock;

// More than the other side sends before it hears of any; twice, for what it sends again.
constexpr std::size_t waiting_max = 2 * limits::sync_frames_in_flight;
// Ranges that are remembered of one link. Beyond them the link begins anew, without a memory.
constexpr std::size_t remembered_max = 16 * limits::sync_ranges_max;

constexpr base::Duration patience_max = base::hours(1);
// An acknowledgement that came twice looks as if a page had changed nothing.
constexpr int stalls_max = 5;

bool has_all_of(const VectorClock& clock, const VectorClock& other) {
    const ClockOrder order = other.compare(clock);
    return order == ClockOrder::equal || order == ClockOrder::before;
}

void add_ranges(std::vector<CounterRange>& to, const std::vector<CounterRange>& ranges) {
    if (ranges.empty()) return;
    to.insert(to.end(), ranges.begin(), ranges.end());
    to = joined_ranges(std::move(to));
}

void introduce(std::set<std::string, std::less<>>& hosts, const SyncHello& hello) {
    hosts.insert(hello.host);
    for (const auto& [host, counter] : hello.has.counters()) hosts.insert(host);
    for (const model::HostSeal& seal : hello.hosts) hosts.insert(seal.host);
}

}  // namespace

SyncTalk::SyncTalk(base::Timestamp now)
    : now_(now), heard_at_(now), said_at_(now), moved_at_(now), patience_(limits::sync_ack_patience) {}

void SyncTalk::opened(SyncHello ours) {
    if (over_ || phase_ != Phase::closed) return;
    phase_ = Phase::greeting;
    host_ = ours.host;
    introduce(introduced_, ours);
    say(std::move(ours));
}

void SyncTalk::heard(SyncMessage message, base::Timestamp now) {
    if (over_) return;
    now_ = now;
    heard_at_ = now;
    const bool is_first_word =
        std::holds_alternative<SyncHello>(message) || std::holds_alternative<SyncRefusal>(message);
    if (!hello_ && !is_first_word) return refuse("hello_first", "a link begins with a hello");
    if (phase_ == Phase::introduced && !is_first_word) {
        if (early_.size() == waiting_max) return refuse("too_many", "more was said than can wait");
        early_.push_back(std::move(message));
        return;
    }
    std::visit([this](auto&& said) { hear(std::forward<decltype(said)>(said)); }, std::move(message));
}

void SyncTalk::hear(SyncHello hello) {
    if (hello_) {
        if (*hello_ != hello) refuse("unexpected", "a second hello says something else than the first");
        return;
    }
    if (hello.protocol != limits::sync_protocol) {
        // Both devices show this text, so it says "the device with" and never "this device".
        const std::int64_t older = std::min(hello.protocol, limits::sync_protocol);
        return refuse("protocol", "sync protocol versions differ: " + std::to_string(limits::sync_protocol) + " and " +
                                      std::to_string(hello.protocol) + "; update Belfry on the device with version " +
                                      std::to_string(older));
    }
    if (!model::is_host_name(hello.host)) return refuse("invalid", "the hello names no host");
    if (hello.host == host_) return refuse("forged_host", "the other device says that it is this one");
    introduce(introduced_, hello);
    hello_ = std::move(hello);
    phase_ = Phase::introduced;
    peer_has_ = hello_->has;
    peer_will_have_ = peer_has_;
    whole_cursor_ = hello_->whole_cursor;
    in_whole_ = !whole_cursor_.empty();
    Wish note{Wish::Kind::note_peer, {}, hello_, peer_has_, {}, {}};
    wish(std::move(note));
}

void SyncTalk::hear(SyncFrame frame) {
    if (taking_ >= waiting_max) return refuse("too_many", "more was told than was acknowledged");
    ++taking_;
    wish({Wish::Kind::take, {}, {}, {}, std::move(frame), {}});
}

void SyncTalk::hear(SyncGone gone) {
    if (!ranges_without(gone.ranges, to_confirm_).empty()) {
        return refuse("unexpected", "nobody asked whether that is gone");
    }
    if (taking_ >= waiting_max) return refuse("too_many", "more was told than was acknowledged");
    ++taking_;
    wish({Wish::Kind::accept_gone, {}, {}, {}, {}, std::move(gone.ranges)});
}

void SyncTalk::hear(SyncAck ack) {
    moved_at_ = now_;
    const bool is_of_page = !in_flight_.empty() && in_flight_.front() == Sent::page;
    if (!in_flight_.empty()) in_flight_.pop_front();
    if (!has_all_of(peer_has_, ack.has)) {
        if (!peer_has_.merge(ack.has).ok() || !peer_will_have_.merge(ack.has).ok()) {
            return refuse("oversized", "the acknowledgement names too many hosts");
        }
        patience_ = limits::sync_ack_patience;
        wish({Wish::Kind::note_peer, {}, {}, peer_has_, {}, {}});
    }
    if (is_of_page) hear_page_taken(ack);
    if (over_) return;
    // What was never told cannot be missing, and what was told again once is not told a third time.
    asked_ = ranges_without(ranges_within(std::move(ack.missing), peer_will_have_), answered_);
    CounterRanges confirm = ranges_without(std::move(ack.confirm), confirmed_);
    if (!confirm.empty()) {
        add_ranges(confirmed_, confirm);
        to_answer_.push_back(std::move(confirm));
        answer();
    }
    if (std::max(answered_.size(), confirmed_.size()) > remembered_max) {
        return refuse("too_many", "more gaps than a link remembers");
    }
    go_on();
}

void SyncTalk::hear_page_taken(const SyncAck& ack) {
    if (!ack.whole_cursor.empty()) {
        stalls_ = ack.whole_cursor == whole_cursor_ ? stalls_ + 1 : 0;
        if (stalls_ == stalls_max) return refuse("no_progress", "pages were taken and nothing came of them");
        whole_cursor_ = ack.whole_cursor;
        return;
    }
    // An acknowledgement of something else, which came before that of the page: the page goes out again in time.
    if (!has_all_of(ack.has, whole_cover_)) {
        if (++stalls_ == stalls_max) refuse("no_progress", "pages were taken and nothing came of them");
        return;
    }
    in_whole_ = false;
    stalls_ = 0;
    whole_cursor_.clear();
}

void SyncTalk::hear(SyncRefusal refusal) {
    over_ = true;
    wish({Wish::Kind::close, std::move(refusal), {}, {}, {}, {}});
}

void SyncTalk::changed() {
    std::ranges::move(unsure_, std::back_inserter(to_answer_));
    unsure_.clear();
    answer();
    (asking_ ? changed_meanwhile_ : may_have_more_) = true;
    go_on();
}

// The engine answers in its time, and is asked one thing after the other.
void SyncTalk::answer() {
    if (over_ || is_answering_ || to_answer_.empty()) return;
    is_answering_ = true;
    wish({Wish::Kind::confirm_gone, {}, {}, {}, {}, to_answer_.front()});
}

void SyncTalk::given(const base::Result<std::optional<SyncFrame>>& frame, const std::optional<SyncAck>& ask) {
    asking_ = false;
    if (over_) return;
    if (!frame.ok()) return refuse(frame.error());
    CounterRanges confirm = ask ? ranges_without(ask->confirm, to_confirm_) : CounterRanges{};
    if (!confirm.empty()) {
        add_ranges(to_confirm_, confirm);
        SyncAck word = *ask;
        word.confirm = std::move(confirm);
        say(std::move(word));
    }
    const bool is_all = !frame->has_value();
    may_have_more_ = std::exchange(changed_meanwhile_, false) || (may_have_more_ && !is_all);
    if (is_all) {
        asked_.clear();
        return go_on();
    }
    const SyncFrame& told = **frame;
    if (!told.is_whole() && !introduced_.contains(told.host)) {
        over_ = true;
        return wish({Wish::Kind::close, SyncRefusal{"new_host", "it is told of on a new link"}, {}, {}, {}, {}});
    }
    if (told.is_whole()) {
        in_whole_ = true;
        whole_cover_ = told.cover;
    } else {
        if (told.after <= peer_will_have_.counter_of(told.host)) {
            (void)peer_will_have_.raise(told.host, told.through);
        }
        const CounterRanges answered{{told.host, told.after + 1, told.through}};
        // Only of what was asked for: the rest may still turn out to be missing.
        add_ranges(answered_, ranges_without(asked_, ranges_without(asked_, answered)));
        asked_ = ranges_without(std::move(asked_), answered);
    }
    if (in_flight_.empty()) moved_at_ = now_;
    in_flight_.push_back(told.is_whole() ? Sent::page : Sent::changes);
    say(told);
    go_on();
}

void SyncTalk::taken(const base::Result<SyncAck>& ack) {
    if (taking_ > 0) --taking_;
    if (over_) return;
    if (!ack.ok()) return refuse(ack.error());
    add_ranges(to_confirm_, ack->confirm);
    if (to_confirm_.size() > remembered_max) return refuse("too_many", "more is gone than a link remembers");
    say(*ack);
}

void SyncTalk::confirmed(const base::Result<SyncGone>& gone) {
    if (over_) return;
    if (!gone.ok()) return refuse(gone.error());
    is_answering_ = false;
    if (!to_answer_.empty()) {
        CounterRanges unsure = ranges_without(std::move(to_answer_.front()), gone->ranges);
        to_answer_.pop_front();
        if (!unsure.empty()) unsure_.push_back(std::move(unsure));
    }
    if (!gone->ranges.empty()) {
        if (in_flight_.empty()) moved_at_ = now_;
        in_flight_.push_back(Sent::gone);
        say(*gone);
    }
    answer();
}

void SyncTalk::noted(const base::Result<void>& peer) {
    if (over_) return;
    if (!peer.ok()) return refuse(peer.error());
    if (phase_ != Phase::introduced) return;
    phase_ = Phase::talking;
    for (SyncMessage& message : std::exchange(early_, {})) heard(std::move(message), now_);
    go_on();
}

void SyncTalk::tick(base::Timestamp now) {
    if (over_) return;
    now_ = now;
    if (now - heard_at_ > limits::sync_silence_max) {
        over_ = true;
        return wish({Wish::Kind::close, {}, {}, {}, {}, {}});
    }
    if (phase_ != Phase::talking) return;
    if (is_under_way() && now - moved_at_ > patience_) send_again();
    if (now - said_at_ >= limits::sync_ping_pause) say(model::SyncPing{});
}

// Something was lost on the way, or its acknowledgement was. It may also be that the other side waits for somebody else
// to fill a gap, and comes no further until then: so this is tried less and less often.
void SyncTalk::send_again() {
    patience_ = std::min(patience_ * 2, patience_max);
    in_flight_.clear();
    moved_at_ = now_;
    peer_will_have_ = peer_has_;
    answered_.clear();
    confirmed_.clear();
    unsure_.clear();
    (asking_ ? changed_meanwhile_ : may_have_more_) = true;
    go_on();
}

void SyncTalk::refuse(std::string code, std::string message) {
    if (over_) return;
    const SyncRefusal refusal{std::move(code), std::move(message)};
    if (phase_ != Phase::closed) say(refusal);
    over_ = true;
    wish({Wish::Kind::close, refusal, {}, {}, {}, {}});
}

void SyncTalk::refuse(const base::Error& error) {
    std::string message = error.field.empty() ? error.message : error.field + ": " + error.message;
    std::string code = error.code == base::Code::too_large ? "oversized" : base::code_name(error.code);
    refuse(error.reason.empty() ? std::move(code) : error.reason, std::move(message));
}

std::vector<SyncTalk::Wish> SyncTalk::take_wishes() {
    return std::exchange(wishes_, {});
}

bool SyncTalk::is_quiet() const {
    return phase_ == Phase::talking && !over_ && !asking_ && !may_have_more_ && !is_under_way() && asked_.empty() &&
           taking_ == 0;
}

// Acknowledgements may come twice, so counting them is not enough.
bool SyncTalk::is_under_way() const {
    return !in_flight_.empty() || !has_all_of(peer_has_, peer_will_have_);
}

bool SyncTalk::is_page_under_way() const {
    return std::ranges::find(in_flight_, Sent::page) != in_flight_.end();
}

void SyncTalk::go_on() {
    if (over_ || phase_ != Phase::talking || asking_) return;
    if (!may_have_more_ && asked_.empty()) return;
    // The next page begins where the other side says that this one ended.
    if (in_flight_.size() >= limits::sync_frames_in_flight || is_page_under_way()) return;
    asking_ = true;
    wish({Wish::Kind::give, {}, {}, {}, {}, {}});
}

void SyncTalk::say(SyncMessage message) {
    said_at_ = now_;
    wish({Wish::Kind::send, std::move(message), {}, {}, {}, {}});
}

void SyncTalk::wish(Wish wish) {
    wishes_.push_back(std::move(wish));
}

}  // namespace belfry::rules
