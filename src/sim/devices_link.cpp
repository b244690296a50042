#include "sim/devices_link.hpp"

#include <algorithm>
#include <utility>

#include "codec/sync_wire.hpp"
#include "ports/commands/sync.hpp"

namespace belfry::sim {
namespace {

using Wish = rules::SyncTalk::Wish;

// Its answer; an engine that is not there has none, and the link is over.
template <class C>
base::Result<typename C::Reply> heard(DeviceNode& device, std::unique_ptr<C> command) {
    auto answer = device.ask(std::move(command));
    if (answer) return std::move(*answer);
    return base::error(base::Code::unavailable, "nobody answers");
}

}  // namespace

DevicesLink::Tally& DevicesLink::Tally::operator+=(const Tally& other) {
    using Count = std::uint64_t Tally::*;
    for (const Count count : {&Tally::opened, &Tally::cut, &Tally::messages, &Tally::frames, &Tally::whole_pages,
                              &Tally::units, &Tally::records, &Tally::merged, &Tally::lost, &Tally::doubled,
                              &Tally::reordered, &Tally::gaps, &Tally::confirmed, &Tally::refused, &Tally::bytes}) {
        this->*count += other.*count;
    }
    return *this;
}

bool DevicesLink::greet(End& end, const End& other) {
    auto ask = std::make_unique<ports::SayHello>();
    ask->peer_id = other.device->peer_id();
    auto first = end.device->ask(std::move(ask));
    if (!first || !first->ok()) return false;
    // A host is sealed by the key of its device.
    auto sealed = std::make_unique<ports::SayHello>();
    sealed->peer_id = other.device->peer_id();
    sealed->seal = end.device->seal((*first)->host);
    auto hello = end.device->ask(std::move(sealed));
    if (!hello || !hello->ok()) return false;
    end.talk = std::make_unique<rules::SyncTalk>(end.device->now());
    end.talk->opened(std::move(**hello));
    return true;
}

void DevicesLink::open(base::Timestamp) {
    if (is_open() || !ends_[0].device->is_up() || !ends_[1].device->is_up()) return;
    if (!greet(ends_[0], ends_[1]) || !greet(ends_[1], ends_[0])) return cut();
    ++tally_.opened;
}

void DevicesLink::cut() {
    if (is_open()) {
        ++tally_.cut;
        tell_end();
    }
    for (End& end : ends_) {
        end.talk.reset();
        end.arriving.clear();
    }
}

// Each side notes for itself why the other is not reached any more.
void DevicesLink::tell_end() {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        if (!ends_[i].device->is_up()) continue;
        auto note = std::make_unique<ports::NotePeer>();
        note->peer_id = ends_[1 - i].device->peer_id();
        note->error = "the link was cut";
        (void)ends_[i].device->ask(std::move(note));
    }
}

void DevicesLink::changed(const DeviceNode& device) {
    for (End& end : ends_) {
        if (end.device == &device && end.talk) end.talk->changed();
    }
}

void DevicesLink::tick() {
    for (End& end : ends_) {
        if (end.talk) end.talk->tick(end.device->now());
    }
}

bool DevicesLink::is_quiet() const {
    return std::ranges::all_of(ends_,
                               [](const End& end) { return end.talk && end.arriving.empty() && end.talk->is_quiet(); });
}

std::size_t DevicesLink::carry(base::Timestamp now, const LinkWeather& weather) {
    const std::uint64_t before = letters_;
    std::size_t done = 0;
    for (bool goes_on = true; goes_on && is_open();) {
        goes_on = false;
        for (std::size_t i = 0; i < ends_.size() && is_open(); ++i) {
            serve(i, now, weather);
            if (!is_open()) break;
            if (!hear_next(ends_[i], now)) continue;
            goes_on = true;
            ++done;
        }
    }
    return done + (letters_ - before);
}

bool DevicesLink::hear_next(End& end, base::Timestamp now) {
    const auto next = std::ranges::min_element(end.arriving, {},
                                               [](const Letter& one) { return std::pair(one.arrives, one.number); });
    if (next == end.arriving.end() || next->arrives > now) return false;
    const std::string bytes = std::move(next->bytes);
    end.arriving.erase(next);
    auto message = codec::read_sync_message(bytes);
    if (!message.ok()) {
        refusals_.push_back("what a device said cannot be read: " + message.error().message);
        cut();
        return true;
    }
    end.talk->heard(std::move(*message), end.device->now());
    return true;
}

void DevicesLink::serve(std::size_t from, base::Timestamp now, const LinkWeather& weather) {
    while (is_open()) {
        auto wishes = ends_[from].talk->take_wishes();
        if (wishes.empty()) return;
        for (Wish& wish : wishes) {
            if (!is_open()) return;
            carry_out(from, wish, now, weather);
            if (has_died()) return cut();
        }
    }
}

void DevicesLink::carry_out(std::size_t from, Wish& wish, base::Timestamp now, const LinkWeather& weather) {
    End& end = ends_[from];
    End& other = ends_[1 - from];
    switch (wish.kind) {
        case Wish::Kind::send: return post(other, std::move(*wish.message), now, weather);
        case Wish::Kind::give: return give(end, other);
        case Wish::Kind::take: return take(end, other, std::move(*wish.frame));
        case Wish::Kind::close: {
            if (wish.message) {
                const auto* const why = std::get_if<model::SyncRefusal>(&*wish.message);
                if (why != nullptr && why->code != "new_host") {
                    ++tally_.refused;
                    refusals_.push_back(end.device->name() + " refuses " + other.device->name() + ": " + why->code +
                                        ", " + why->message);
                }
            }
            return cut();
        }
        case Wish::Kind::note_peer: {
            auto note = std::make_unique<ports::NotePeer>();
            note->peer_id = other.device->peer_id();
            note->hello = std::move(wish.hello);
            note->has = std::move(wish.has);
            const auto noted = heard(*end.device, std::move(note));
            return end.talk->noted(noted.ok() ? base::Result<void>{} : base::Result<void>(noted.error()));
        }
        case Wish::Kind::confirm_gone: {
            auto ask = std::make_unique<ports::ConfirmGone>();
            ask->peer_id = other.device->peer_id();
            ask->ranges = std::move(wish.ranges);
            return end.talk->confirmed(heard(*end.device, std::move(ask)));
        }
        case Wish::Kind::accept_gone: {
            auto ask = std::make_unique<ports::AcceptGone>();
            ask->peer_id = other.device->peer_id();
            ask->ranges = std::move(wish.ranges);
            return end.talk->taken(heard(*end.device, std::move(ask)));
        }
    }
}

void DevicesLink::give(End& end, const End& other) {
    auto ask = std::make_unique<ports::GiveChanges>();
    ask->peer_id = other.device->peer_id();
    ask->has = end.talk->peer_will_have();
    ask->asked = end.talk->asked();
    ask->whole_cursor = end.talk->whole_cursor();
    ask->in_whole = end.talk->in_whole();
    auto given = heard(*end.device, std::move(ask));
    if (given.ok()) end.talk->given(std::move(given->frame), given->ask);
    else end.talk->given(std::move(given).error());
}

void DevicesLink::take(End& end, const End& other, model::SyncFrame frame) {
    auto ask = std::make_unique<ports::TakeChanges>();
    ask->peer_id = other.device->peer_id();
    ask->frame = std::move(frame);
    auto taken = heard(*end.device, std::move(ask));
    if (!taken.ok()) return end.talk->taken(std::move(taken).error());
    tally_.records += taken->records;
    tally_.merged += taken->merged;
    tally_.gaps += taken->ack.missing.size();
    end.talk->taken(std::move(taken->ack));
}

void DevicesLink::count(const model::SyncMessage& message) {
    ++tally_.messages;
    if (const auto* const frame = std::get_if<model::SyncFrame>(&message)) {
        ++tally_.frames;
        if (frame->is_whole()) ++tally_.whole_pages;
        for (const model::SyncEntry& entry : frame->entries) tally_.units += entry.units.size();
    }
    if (const auto* const gone = std::get_if<model::SyncGone>(&message)) tally_.confirmed += gone->ranges.size();
}

// The first word of each is not lost: without it there is no link.
void DevicesLink::post(End& to, model::SyncMessage message, base::Timestamp now, const LinkWeather& weather) {
    count(message);
    if (spoil) spoil(message);
    const bool is_hello = std::holds_alternative<model::SyncHello>(message);
    std::string bytes = codec::sync_message_text(message);
    tally_.bytes += bytes.size();
    if (!is_hello && random_.below(1000) < weather.lost) {
        ++tally_.lost;
        return;
    }
    const auto send = [&](bool is_late) {
        const auto delay = static_cast<std::uint64_t>(std::max<std::int64_t>(weather.delay_max.us, 0)) + 1;
        base::Timestamp arrives = now;
        // On one way nothing overtakes, unless it is held up by itself.
        for (const Letter& one : to.arriving) arrives = std::max(arrives, is_late ? now : one.arrives);
        arrives = arrives + base::microseconds(static_cast<std::int64_t>(random_.below(is_late ? delay * 4 : delay)));
        to.arriving.push_back({arrives, ++letters_, bytes});
    };
    const bool is_late = !is_hello && random_.below(1000) < weather.reordered;
    if (is_late) ++tally_.reordered;
    send(is_late);
    if (!is_hello && random_.below(1000) < weather.doubled) {
        ++tally_.doubled;
        send(true);
    }
}

}  // namespace belfry::sim
