#include "rules/sync_talk.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "base/sync_limits.hpp"
#include "base/wake_limits.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::CounterRange;
using model::SyncAck;
using model::SyncFrame;
using model::SyncGone;
using model::SyncHello;
using model::SyncMessage;
using model::SyncPing;
using model::SyncRefusal;
using model::VectorClock;
using Kind = SyncTalk::Wish::Kind;

constexpr base::Timestamp start = base::Timestamp{} + base::hours(10);

VectorClock clock_of(std::string_view json) {
    auto clock = VectorClock::parse({json});
    EXPECT_TRUE(clock.ok()) << json;
    return clock.ok() ? *clock : VectorClock();
}

SyncHello hello(std::string host, std::string_view has) {
    return {limits::sync_protocol, "0.1.0", "", std::move(host), clock_of(has), {}, ""};
}

SyncFrame changes(std::string host, std::uint64_t after, std::uint64_t through) {
    SyncFrame frame;
    frame.host = std::move(host);
    frame.after = after;
    frame.through = through;
    return frame;
}

SyncFrame page(std::string cursor, std::string next, std::string_view cover) {
    SyncFrame frame;
    frame.cursor = std::move(cursor);
    frame.next_cursor = std::move(next);
    frame.cover = clock_of(cover);
    return frame;
}

// A talk whose every wish is looked at by hand.
struct Talk {
    SyncTalk talk{start};
    base::Timestamp now = start;
    std::vector<SyncTalk::Wish> wishes;

    // `greeted`: up to the point at which the engine is asked for what to tell.
    explicit Talk(bool greeted = true, std::string_view ours = R"({"us":9})", std::string_view theirs = "{}") {
        talk.opened(hello("us", ours));
        if (!greeted) return;
        talk.heard(hello("them", theirs), now);
        talk.noted({});
        look();
    }
    void look() { wishes = talk.take_wishes(); }
    void hear(SyncMessage message) {
        talk.heard(std::move(message), now);
        look();
    }
    void give(std::optional<SyncFrame> frame) {
        talk.given(std::move(frame));
        look();
    }
    void wait(base::Duration duration) {
        now = now + duration;
        talk.tick(now);
        look();
    }
    [[nodiscard]] std::vector<Kind> kinds() const {
        std::vector<Kind> kinds;
        for (const auto& wish : wishes) kinds.push_back(wish.kind);
        return kinds;
    }
    [[nodiscard]] bool has(Kind kind) const {
        const auto all = kinds();
        return std::ranges::find(all, kind) != all.end();
    }
    template <class T>
    [[nodiscard]] const T& said(std::size_t at = 0) const {
        return std::get<T>(*wishes.at(at).message);
    }
    // The code of the refusal that it ended with.
    [[nodiscard]] std::string refusal() const {
        EXPECT_TRUE(talk.is_over());
        if (wishes.empty() || wishes.back().kind != Kind::close || !wishes.back().message) return "none";
        return std::get<SyncRefusal>(*wishes.back().message).code;
    }
};
using Kinds = std::vector<Kind>;

TEST(SyncTalk, begins_anew_to_tell_of_a_host_that_came_after_the_hello) {
    Talk talk;
    talk.give(changes("new", 0, 3));
    EXPECT_EQ(talk.kinds(), Kinds{Kind::close});
    EXPECT_EQ(talk.refusal(), "new_host") << "nobody is to blame";
    EXPECT_TRUE(talk.talk.is_over());
    Talk other(true, R"({"us":9,"new":3})");
    other.give(changes("new", 0, 3));
    EXPECT_EQ(other.kinds().front(), Kind::send);
}

TEST(SyncTalk, begins_with_a_hello_notes_the_other_and_then_asks_what_to_tell) {
    Talk talk(false);
    talk.look();
    ASSERT_EQ(talk.kinds(), Kinds{Kind::send});
    EXPECT_EQ(talk.said<SyncHello>().host, "us");
    talk.hear(hello("them", R"({"us":4})"));
    ASSERT_EQ(talk.kinds(), Kinds{Kind::note_peer});
    EXPECT_EQ(talk.wishes[0].hello->host, "them");
    EXPECT_EQ(talk.wishes[0].has, clock_of(R"({"us":4})"));
    talk.talk.noted({});
    talk.look();
    EXPECT_EQ(talk.kinds(), Kinds{Kind::give});
    EXPECT_EQ(talk.talk.peer_will_have(), clock_of(R"({"us":4})"));
}

TEST(SyncTalk, tells_until_there_is_nothing_left_and_again_when_something_is_new) {
    Talk talk;
    talk.give(changes("us", 0, 5));
    ASSERT_EQ(talk.kinds(), (Kinds{Kind::send, Kind::give}));
    EXPECT_EQ(talk.said<SyncFrame>().through, 5U);
    EXPECT_EQ(talk.talk.peer_will_have().counter_of("us"), 5U);
    EXPECT_EQ(talk.talk.peer_has().counter_of("us"), 0U);
    talk.give(std::nullopt);
    EXPECT_TRUE(talk.kinds().empty());
    EXPECT_FALSE(talk.talk.is_quiet());
    talk.hear(SyncAck{clock_of(R"({"us":5})"), {}, {}, ""});
    ASSERT_EQ(talk.kinds(), Kinds{Kind::note_peer});
    EXPECT_EQ(talk.wishes[0].has, clock_of(R"({"us":5})"));
    EXPECT_TRUE(talk.talk.is_quiet());
    talk.talk.changed();
    talk.look();
    EXPECT_EQ(talk.kinds(), Kinds{Kind::give});
}

TEST(SyncTalk, news_while_the_engine_is_asked_are_not_missed) {
    Talk talk;
    talk.talk.changed();
    talk.give(std::nullopt);
    EXPECT_EQ(talk.kinds(), Kinds{Kind::give});
    talk.give(std::nullopt);
    EXPECT_TRUE(talk.talk.is_quiet());
}

TEST(SyncTalk, only_so_much_is_under_way_at_once) {
    Talk talk;
    for (std::uint64_t i = 0; i < limits::sync_frames_in_flight; ++i) {
        ASSERT_EQ(talk.kinds().back(), Kind::give);
        talk.give(changes("us", i, i + 1));
    }
    EXPECT_EQ(talk.kinds(), Kinds{Kind::send});
    talk.talk.changed();
    talk.look();
    EXPECT_TRUE(talk.kinds().empty());
    talk.hear(SyncAck{clock_of(R"({"us":1})"), {}, {}, ""});
    EXPECT_EQ(talk.kinds(), (Kinds{Kind::note_peer, Kind::give}));
}

TEST(SyncTalk, a_frame_is_taken_and_acknowledged) {
    Talk talk;
    talk.hear(changes("them", 0, 3));
    ASSERT_EQ(talk.kinds(), Kinds{Kind::take});
    EXPECT_EQ(talk.wishes[0].frame->through, 3U);
    talk.talk.taken(SyncAck{clock_of(R"({"them":3})"), {}, {}, ""});
    talk.look();
    ASSERT_EQ(talk.kinds(), Kinds{Kind::send});
    EXPECT_EQ(talk.said<SyncAck>().has, clock_of(R"({"them":3})"));
}

TEST(SyncTalk, what_is_said_before_the_hello_was_noted_waits) {
    Talk talk(false);
    talk.hear(hello("them", "{}"));
    talk.hear(changes("them", 0, 3));
    EXPECT_TRUE(talk.kinds().empty());
    talk.talk.noted({});
    talk.look();
    EXPECT_EQ(talk.kinds(), (Kinds{Kind::take, Kind::give}));
}

TEST(SyncTalk, a_gap_is_filled_once) {
    Talk talk;
    talk.give(changes("us", 0, 9));
    talk.give(std::nullopt);
    const SyncAck ack{{}, {{"us", 2, 4}, {"us", 8, 50}, {"other", 1, 2}}, {}, ""};
    talk.hear(ack);
    ASSERT_EQ(talk.kinds(), Kinds{Kind::give});
    // Only what was told can be missing.
    EXPECT_EQ(talk.talk.asked(), (std::vector<CounterRange>{{"us", 2, 4}, {"us", 8, 9}}));
    talk.give(changes("us", 1, 4));
    EXPECT_EQ(talk.talk.asked(), (std::vector<CounterRange>{{"us", 8, 9}}));
    talk.give(changes("us", 7, 9));
    EXPECT_TRUE(talk.talk.asked().empty());
    EXPECT_EQ(talk.talk.peer_will_have().counter_of("us"), 9U);
    talk.give(std::nullopt);
    talk.hear(ack);
    EXPECT_TRUE(talk.kinds().empty());
}

TEST(SyncTalk, what_cannot_be_given_is_not_asked_of_the_engine_for_ever) {
    Talk talk;
    talk.give(changes("us", 0, 9));
    talk.give(std::nullopt);
    talk.hear(SyncAck{{}, {{"us", 2, 4}}, {}, ""});
    talk.give(std::nullopt);
    EXPECT_TRUE(talk.kinds().empty());
    EXPECT_TRUE(talk.talk.asked().empty());
}

TEST(SyncTalk, what_is_gone_is_confirmed_in_two_phases) {
    Talk teller;
    teller.give(changes("us", 0, 9));
    teller.give(std::nullopt);
    const std::vector<CounterRange> gone{{"us", 2, 4}};
    teller.hear(SyncAck{{}, {}, gone, ""});
    ASSERT_EQ(teller.kinds(), Kinds{Kind::confirm_gone});
    EXPECT_EQ(teller.wishes[0].ranges, gone);
    teller.talk.confirmed(SyncGone{gone});
    teller.look();
    ASSERT_EQ(teller.kinds(), Kinds{Kind::send});
    EXPECT_EQ(teller.said<SyncGone>().ranges, gone);
    EXPECT_FALSE(teller.talk.is_quiet());
    // It is asked once on a link, and acknowledged like everything else.
    teller.hear(SyncAck{clock_of(R"({"us":9})"), {}, gone, ""});
    EXPECT_EQ(teller.kinds(), Kinds{Kind::note_peer});
    EXPECT_TRUE(teller.talk.is_quiet());

    Talk hearer;
    hearer.hear(changes("them", 0, 9));
    hearer.talk.taken(SyncAck{{}, {}, {{"them", 2, 4}}, ""});
    hearer.hear(SyncGone{{{"them", 3, 4}}});
    ASSERT_EQ(hearer.kinds(), (Kinds{Kind::send, Kind::accept_gone}));
    EXPECT_EQ(hearer.wishes[1].ranges, (std::vector<CounterRange>{{"them", 3, 4}}));
    hearer.talk.taken(SyncAck{clock_of(R"({"them":9})"), {}, {}, ""});
    hearer.look();
    EXPECT_EQ(hearer.kinds(), Kinds{Kind::send});
}

TEST(SyncTalk, who_does_not_know_for_sure_confirms_nothing) {
    Talk talk;
    talk.give(std::nullopt);
    talk.hear(SyncAck{{}, {}, {{"other", 2, 4}}, ""});
    talk.talk.confirmed(SyncGone{});
    talk.look();
    EXPECT_TRUE(talk.kinds().empty());
}

TEST(SyncTalk, nobody_can_say_unasked_that_something_is_gone) {
    Talk talk;
    talk.hear(SyncGone{{{"them", 1, 2}}});
    EXPECT_EQ(talk.refusal(), "unexpected");
}

TEST(SyncTalk, the_whole_is_told_a_page_at_a_time) {
    Talk talk;
    talk.give(page("", "task/a", R"({"us":9})"));
    EXPECT_EQ(talk.kinds(), Kinds{Kind::send});
    EXPECT_TRUE(talk.talk.in_whole());
    talk.hear(SyncAck{{}, {}, {}, "task/a"});
    EXPECT_EQ(talk.kinds(), Kinds{Kind::give});
    EXPECT_EQ(talk.talk.whole_cursor(), "task/a");
    talk.give(page("task/a", "", R"({"us":9})"));
    talk.hear(SyncAck{clock_of(R"({"us":9})"), {}, {}, ""});
    EXPECT_EQ(talk.kinds(), (Kinds{Kind::note_peer, Kind::give}));
    EXPECT_FALSE(talk.talk.in_whole());
    EXPECT_EQ(talk.talk.peer_will_have().counter_of("us"), 9U);
}

TEST(SyncTalk, the_whole_goes_on_where_the_other_says) {
    Talk talk(false);
    SyncHello theirs = hello("them", "{}");
    theirs.whole_cursor = "task/a";
    talk.hear(theirs);
    talk.talk.noted({});
    EXPECT_TRUE(talk.talk.in_whole());
    EXPECT_EQ(talk.talk.whole_cursor(), "task/a");
}

TEST(SyncTalk, what_it_was_not_sure_of_it_is_asked_again_when_there_is_news) {
    Talk talk;
    talk.give(changes("us", 0, 9));
    talk.hear(SyncAck{clock_of(R"({"us":4})"), {}, {{"far", 5, 6}}, ""});
    EXPECT_TRUE(talk.has(Kind::confirm_gone));
    talk.talk.confirmed(SyncGone{});
    talk.look();
    EXPECT_FALSE(talk.has(Kind::confirm_gone)) << "not before";
    talk.talk.changed();
    talk.look();
    EXPECT_TRUE(talk.has(Kind::confirm_gone));
    talk.talk.confirmed(SyncGone{{{"far", 5, 6}}});
    talk.look();
    EXPECT_TRUE(talk.has(Kind::send));
    talk.talk.changed();
    talk.look();
    EXPECT_FALSE(talk.has(Kind::confirm_gone)) << "once is enough";
}

TEST(SyncTalk, what_nobody_here_can_give_the_other_is_asked_about_once) {
    Talk talk;
    const SyncAck ask{clock_of(R"({"us":9})"), {}, {{"far", 5, 6}}, ""};
    talk.talk.given(std::optional<SyncFrame>{}, ask);
    talk.look();
    ASSERT_EQ(talk.kinds(), Kinds{Kind::send});
    EXPECT_EQ(std::get<SyncAck>(*talk.wishes.front().message), ask);
    talk.talk.changed();
    talk.look();
    talk.talk.given(std::optional<SyncFrame>{}, ask);
    talk.look();
    EXPECT_FALSE(talk.has(Kind::send));
    talk.hear(SyncGone{{{"far", 5, 6}}});
    EXPECT_FALSE(talk.talk.is_over()) << "it was asked for";
}

TEST(SyncTalk, pages_that_come_to_nothing_are_not_sent_for_ever) {
    Talk talk;
    for (int i = 0; i < 20 && !talk.talk.is_over(); ++i) {
        talk.give(page("", "task/a", R"({"us":9})"));
        talk.hear(SyncAck{{}, {}, {}, "task/a"});
    }
    EXPECT_EQ(talk.refusal(), "no_progress");
    Talk last;
    for (int i = 0; i < 20 && !last.talk.is_over(); ++i) {
        last.give(page("", "", R"({"us":9})"));
        last.hear(SyncAck{{}, {}, {}, ""});
    }
    EXPECT_EQ(last.refusal(), "no_progress") << "nor is the last of them";
}

TEST(SyncTalk, what_was_lost_on_the_way_is_told_again) {
    Talk talk;
    talk.give(changes("us", 0, 5));
    talk.give(std::nullopt);
    for (int i = 0; i < 4; ++i) {
        talk.wait(limits::sync_ping_pause);
        talk.talk.heard(SyncPing{}, talk.now);
        if (!talk.kinds().empty() && talk.kinds().front() == Kind::give) break;
    }
    ASSERT_FALSE(talk.kinds().empty());
    EXPECT_EQ(talk.kinds().front(), Kind::give);
    EXPECT_EQ(talk.talk.peer_will_have().counter_of("us"), 0U);
}

TEST(SyncTalk, an_acknowledgement_that_comes_twice_does_no_harm) {
    Talk talk;
    talk.give(changes("us", 0, 5));
    talk.give(std::nullopt);
    const SyncAck ack{clock_of(R"({"us":5})"), {}, {}, ""};
    talk.hear(ack);
    talk.hear(ack);
    EXPECT_TRUE(talk.kinds().empty());
    EXPECT_TRUE(talk.talk.is_quiet());
}

TEST(SyncTalk, whoever_is_silent_is_pinged_and_then_given_up) {
    Talk talk;
    talk.wait(limits::sync_ping_pause);
    ASSERT_EQ(talk.kinds(), Kinds{Kind::send});
    EXPECT_EQ(talk.said<SyncPing>(), SyncPing{});
    talk.wait(base::seconds(1));
    EXPECT_TRUE(talk.kinds().empty());
    talk.wait(limits::sync_silence_max);
    EXPECT_EQ(talk.kinds(), Kinds{Kind::close});
    EXPECT_TRUE(talk.talk.is_over());
    EXPECT_FALSE(talk.wishes[0].message);
    Talk mute(false);
    mute.look();
    mute.wait(limits::sync_silence_max + base::seconds(1));
    EXPECT_EQ(mute.kinds(), Kinds{Kind::close});
}

TEST(SyncTalk, another_version_and_another_self_are_refused) {
    const auto refused = [](SyncHello theirs) {
        Talk talk(false);
        talk.look();
        talk.hear(std::move(theirs));
        EXPECT_EQ(talk.kinds(), (Kinds{Kind::send, Kind::close}));
        return talk.refusal();
    };
    SyncHello old = hello("them", "{}");
    old.protocol = 0;
    EXPECT_EQ(refused(old), "protocol");
    EXPECT_EQ(refused(hello("", "{}")), "invalid");
    EXPECT_EQ(refused(hello("us", "{}")), "forged_host");
}

TEST(SyncTalk, what_must_not_be_said_now_ends_it) {
    Talk early(false);
    early.look();
    early.hear(SyncPing{});
    EXPECT_EQ(early.refusal(), "hello_first");
    Talk twice;
    twice.hear(hello("them", "{}"));
    EXPECT_FALSE(twice.talk.is_over());
    twice.hear(hello("them", R"({"them":1})"));
    EXPECT_EQ(twice.refusal(), "unexpected");
    Talk much;
    for (int i = 0; i < 100 && !much.talk.is_over(); ++i) much.hear(changes("them", 0, 1));
    EXPECT_EQ(much.refusal(), "too_many");
    Talk eager(false);
    eager.hear(hello("them", "{}"));
    for (int i = 0; i < 100 && !eager.talk.is_over(); ++i) eager.hear(SyncPing{});
    EXPECT_EQ(eager.refusal(), "too_many");
}

TEST(SyncTalk, an_acknowledgement_of_too_many_hosts_ends_it) {
    const auto hosts = [](char first, std::size_t count) {
        std::string json = "{";
        for (std::size_t i = 0; i < count; ++i) {
            json.append(i == 0 ? "\"" : ",\"") += first;
            json.append(std::to_string(i)).append("\":1");
        }
        return json + '}';
    };
    Talk talk(true, R"({"us":9})", hosts('a', base::limits::clock_hosts_max - 1));
    talk.hear(SyncAck{clock_of(hosts('b', 1)), {}, {}, ""});
    EXPECT_FALSE(talk.talk.is_over());
    talk.hear(SyncAck{clock_of(hosts('c', 1)), {}, {}, ""});
    EXPECT_EQ(talk.refusal(), "oversized");
    EXPECT_EQ(talk.talk.peer_has().counter_of("c0"), 0U);
}

TEST(SyncTalk, what_the_engine_refuses_is_said_and_ends_it) {
    Talk taken;
    taken.hear(changes("forged", 0, 1));
    taken.talk.taken(base::error(base::Code::forbidden, "is another's", "host", "forged_host"));
    taken.look();
    EXPECT_EQ(taken.refusal(), "forged_host");
    EXPECT_EQ(taken.said<SyncRefusal>().message, "host: is another's");
    Talk large;
    large.hear(changes("them", 0, 1));
    large.talk.taken(base::error(base::Code::too_large, "has too many fields", "body"));
    large.look();
    EXPECT_EQ(large.refusal(), "oversized");
    Talk given;
    given.talk.given(base::error(base::Code::unavailable, "the store is down"));
    given.look();
    EXPECT_EQ(given.refusal(), "unavailable");
    Talk noted(false);
    noted.hear(hello("them", "{}"));
    noted.talk.noted(base::error(base::Code::conflict, "another key", "", "forged_host"));
    noted.look();
    EXPECT_EQ(noted.refusal(), "forged_host");
}

TEST(SyncTalk, a_refusal_of_the_other_is_the_last_word) {
    Talk talk;
    talk.hear(SyncRefusal{"protocol", "too old"});
    EXPECT_EQ(talk.kinds(), Kinds{Kind::close});
    EXPECT_EQ(talk.refusal(), "protocol");
    talk.talk.changed();
    talk.talk.given(std::optional<SyncFrame>{});
    talk.hear(changes("them", 0, 1));
    EXPECT_TRUE(talk.kinds().empty());
}

}  // namespace
}  // namespace belfry::rules
