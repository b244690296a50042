#include "sim/devices_world.hpp"

#include <algorithm>
#include <cstdio>

#include "ports/commands/erasure.hpp"
#include "ports/commands/memory.hpp"
#include "ports/commands/sync.hpp"

namespace belfry::sim {
namespace {

constexpr std::uint64_t rest_rounds_max = 3000;
constexpr std::uint64_t rest_rounds_min = 500;  // runs that wait for one another come to their end

}  // namespace

DevicesWorld::DevicesWorld(std::uint64_t seed, bool verbose)
    : seed_(seed), verbose_(verbose), random_(seed), cast_(random_.fork(), witness_) {
    draw_mood();
    make_devices();
}

DevicesWorld::Tally& DevicesWorld::Tally::operator+=(const Tally& other) {
    using Count = std::uint64_t Tally::*;
    for (const Count count :
         {&Tally::applied, &Tally::sweeps, &Tally::devices, &Tally::power_losses, &Tally::process_losses,
          &Tally::commits_failed, &Tally::restores, &Tally::clocks_set, &Tally::rest_rounds}) {
        this->*count += other.*count;
    }
    links += other.links;
    using Sums = DevicesWitness::Sums;
    using Sum = std::uint64_t Sums::*;
    for (const Sum sum : {&Sums::writes, &Sums::deletions, &Sums::messages, &Sums::forgotten, &Sums::runs,
                          &Sums::runs_doubled, &Sums::mails}) {
        sums.*sum += other.sums.*sum;
    }
    return *this;
}

void DevicesWorld::say(const std::string& what) const {
    if (verbose_) std::fprintf(stderr, "%6llu  %s\n", static_cast<unsigned long long>(step_), what.c_str());
}

void DevicesWorld::draw_mood() {
    mood_ = static_cast<Mood>(seed_ % 4);
    if (mood_ == Mood::calm) return;
    weather_.delay_max = base::milliseconds(static_cast<std::int64_t>(random_.below(1500)));
    cuts_ = random_.below(120);
    crashes_ = random_.below(40);
    clocks_ = random_.below(10);
    if (mood_ == Mood::flaky) return;
    weather_.lost = random_.below(120);
    weather_.doubled = random_.below(120);
    weather_.reordered = random_.below(200);
    if (random_.one_in(2)) return;
    // What is in a gap when its author is set back nobody has any more: then what comes, comes in its order.
    restores_ = random_.below(8);
    weather_.lost = 0;
    weather_.reordered = 0;
}

// All hear of all, mostly over others.
void DevicesWorld::draw_links() {
    for (std::size_t i = 1; i < devices_.size(); ++i) pair(*devices_[random_.below(i)], *devices_[i]);
    for (std::size_t extra = random_.below(devices_.size()); extra > 0; --extra) {
        DeviceNode& a = *devices_[random_.below(devices_.size())];
        DeviceNode& b = *devices_[random_.below(devices_.size())];
        const bool is_joined =
            std::ranges::any_of(links_, [&](const auto& one) { return one->joins(a) && one->joins(b); });
        if (&a != &b && !is_joined) pair(a, b);
    }
}

void DevicesWorld::pair(DeviceNode& a, DeviceNode& b) {
    for (const auto& [at, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        auto command = std::make_unique<ports::AddPeer>();
        command->peer = other->as_peer();
        const auto added = at->ask(std::move(command));
        if (!added || !added->ok()) complain("a device cannot be paired");
    }
    links_.push_back(std::make_unique<DevicesLink>(a, b, random_.fork()));
}

void DevicesWorld::make_devices() {
    const std::size_t count = 2 + random_.below(4);
    for (std::size_t i = 0; i < count; ++i) {
        DeviceNode::Options options{seed_, i, {}, DeviceNode::fair_weather(seed_), {}};
        // In calm times each is some seconds behind the one before: what that has begun, it has heard of.
        const auto hours = static_cast<std::int64_t>(random_.below(13)) - 6;
        options.clock_is_off = mood_ == Mood::calm ? base::Duration{} - base::seconds(static_cast<std::int64_t>(i) * 5)
                                                   : base::hours(hours);
        devices_.push_back(std::make_unique<DeviceNode>(options, random_.fork(), clock_));
        if (!devices_.back()->start()) complain("a device does not start");
        workers_.emplace_back(random_.fork(), witness_);
        DevicesWorker::register_tools(*devices_.back());
    }
    backups_.resize(count);
    tally_.devices = count;
    draw_links();
    cast_.make_beginning(*devices_.front());
}

Complaints DevicesWorld::run(std::uint64_t steps) {
    say("mood " + std::to_string(static_cast<int>(mood_)) + ", " + std::to_string(devices_.size()) + " devices");
    while (step_ < steps && complaints_.empty()) {
        ++step_;
        one_step();
    }
    if (complaints_.empty()) come_to_rest();
    if (complaints_.empty()) compare_end();
    for (const auto& device : devices_) {
        const DeviceNode::Tally one = device->tally();
        tally_.applied += one.commands;
        tally_.sweeps += one.sweeps;
        tally_.power_losses += one.power_losses;
        tally_.process_losses += one.process_losses;
        tally_.commits_failed += one.commits_failed;
    }
    for (const auto& link : links_) tally_.links += link->tally();
    tally_.sums = witness_.sums();
    return complaints_;
}

void DevicesWorld::one_step() {
    pass_time();
    bring_trouble();
    open_some();
    if (mood_ == Mood::calm) {
        // Each is heard by all before the next one does anything.
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            live(i);
            hand_on();
        }
        return;
    }
    live(random_.below(devices_.size()));
    tend_all();
    carry_all();
    hear_refusals();
}

void DevicesWorld::pass_time() {
    if (mood_ == Mood::calm) return clock_.advance(base::milliseconds(200));
    const std::uint64_t draw = random_.below(100);
    if (draw < 3) clock_.advance(base::minutes(static_cast<std::int64_t>(random_.below(30))));
    else if (draw < 20) clock_.advance(base::seconds(static_cast<std::int64_t>(random_.below(20))));
    else clock_.advance(base::milliseconds(static_cast<std::int64_t>(random_.below(400))));
}

void DevicesWorld::bring_trouble() {
    if (mood_ == Mood::calm) {
        // Whoever is at work is not waited for so long.
        const bool is_idle = std::ranges::none_of(workers_, &DevicesWorker::is_at_work);
        if (is_idle && random_.one_in(20)) {
            clock_.advance(base::minutes(static_cast<std::int64_t>(1 + random_.below(5))));
        }
        return;
    }
    if (random_.below(1000) < cuts_) links_[random_.below(links_.size())]->cut();
    if (random_.below(1000) < crashes_) {
        const std::size_t device = random_.below(devices_.size());
        say(devices_[device]->name() + " crashes");
        mend(device);
    }
    if (random_.below(1000) < restores_) back_up_or_restore();
    if (random_.below(1000) < clocks_) set_some_clock();
    if (mood_ == Mood::lonely) be_away();
}

// Its links are gone with it, and so is whoever worked there.
void DevicesWorld::mend(std::size_t device) {
    for (const auto& link : links_) {
        if (link->joins(*devices_[device])) link->cut();
    }
    workers_[device].forget();
    devices_[device]->crash();
    if (!devices_[device]->is_up()) complain("a device does not come up again");
}

void DevicesWorld::back_up_or_restore() {
    const std::size_t at = random_.below(devices_.size());
    DeviceNode& device = *devices_[at];
    for (const auto& link : links_) {
        if (link->joins(device)) link->cut();
    }
    workers_[at].forget();
    if (!backups_[at]) {
        say(device.name() + " is backed up");
        backups_[at] = device.back_up();
        witness_.backed_up(at);
        return;
    }
    say(device.name() + " is restored");
    ++tally_.restores;
    if (!device.restore(*backups_[at])) complain("a backup cannot be read back");
    witness_.restored(at);
    backups_[at].reset();
}

void DevicesWorld::set_some_clock() {
    ++tally_.clocks_set;
    DeviceNode& device = *devices_[random_.below(devices_.size())];
    device.set_clock(base::minutes(static_cast<std::int64_t>(random_.below(24 * 60)) - 12 * 60));
}

// One of them is away. When it is back, either the log does not reach back so far, and it is told the whole; or it
// does, and some records of then are nowhere any more.
void DevicesWorld::be_away() {
    if (step_ == 60 && random_.one_in(2)) {
        away_ = random_.below(devices_.size());
        say(devices_[*away_]->name() + " is away");
        for (const auto& link : links_) {
            if (link->joins(*devices_[*away_])) link->cut();
        }
    }
    if (away_ && step_ == 200) {
        const bool is_long = random_.one_in(2);
        clock_.advance(base::days(is_long ? 35 : 10));
        for (int i = 0; i < 40; ++i) {
            clock_.advance(base::minutes(10));
            tend_all();
        }
        if (!is_long && restores_ == 0) drop_claims();  // only their author can say that they are gone
        say(devices_[*away_]->name() + " is back");
        away_.reset();
    }
}

// As if they were kept for less long than the changes that tell of them.
void DevicesWorld::drop_claims() {
    for (const auto& device : devices_) {
        if (!device->is_up()) continue;
        store::SqlStore& store = device->machine().store();
        const bool is_done = store.begin().ok() &&
                             store.sync().drop_plain(model::run_claim_kind, device->now(), 10'000).ok() &&
                             store.commit().outcome == ports::CommitOutcome::committed;
        if (!is_done) store.rollback();
    }
}

void DevicesWorld::live(std::size_t at) {
    DeviceNode& device = *devices_[at];
    if (!random_.one_in(3)) cast_.act(device);
    const std::uint64_t works = mood_ == Mood::calm ? 8 : 1 + random_.below(4);
    for (std::uint64_t i = 0; i < works; ++i) {
        if (!workers_[at].work(device)) break;
    }
    if (random_.one_in(60)) forget_some();
    if (mood_ == Mood::wild && random_.one_in(400)) cast_.erase(device);
    settle(device);
}

void DevicesWorld::settle(DeviceNode& device) {
    if (device.is_dead()) return mend(device.number());
    for (int i = 0; i < 20; ++i) {
        const auto due = device.is_up() ? device.machine().engine().next_due() : std::optional(device.now());
        if (!due || *due > device.now()) break;
        device.tend();
        if (device.is_dead()) return mend(device.number());
    }
    pay_debts(device);
    if (!device.take_news()) return;
    for (const auto& link : links_) link->changed(device);
}

// Erasures are owed, and carried out by whoever performs what is.
void DevicesWorld::pay_debts(DeviceNode& device) {
    for (const ports::Obligation& owed : device.take_owed()) {
        for (bool is_over = owed.kind != "erase_user"; !is_over && device.is_up();) {
            auto command = std::make_unique<ports::EraseSlice>();
            command->obligation = owed.id;
            command->fence = owed.fence;
            const auto told = device.ask(std::move(command));
            is_over = !told || !told->ok() || (*told)->finished;
        }
    }
}

void DevicesWorld::tend_all() {
    for (const auto& device : devices_) settle(*device);
}

void DevicesWorld::carry_all() {
    for (const auto& link : links_) {
        link->tick();
        link->carry(clock_.now(), is_resting_ ? LinkWeather{} : weather_);
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        if (devices_[i]->is_dead()) mend(i);
    }
}

// Until nobody has anything to say. What one has just heard it tells in the next round.
void DevicesWorld::hand_on() {
    int quiet = 0;
    for (int round = 0; round < 200 && complaints_.empty(); ++round) {
        clock_.advance(base::milliseconds(10));
        open_some();  // one that was silent for long has ended
        tend_all();
        carry_all();
        hear_refusals();
        const bool is_quiet = std::ranges::all_of(links_, [](const auto& link) { return link->is_quiet(); });
        quiet = is_quiet ? quiet + 1 : 0;
        if (quiet > 3 && round > 12) return;
    }
}

void DevicesWorld::open_some() {
    for (const auto& link : links_) {
        const bool is_away = away_ && link->joins(*devices_[*away_]);
        const bool is_time = is_resting_ || mood_ == Mood::calm || random_.one_in(4);
        if (!link->is_open() && !is_away && is_time) link->open(clock_.now());
    }
}

void DevicesWorld::forget_some() {
    const auto message = witness_.some_message(random_.next());
    if (!message) return;
    const std::size_t at = random_.below(devices_.size());
    auto command = std::make_unique<ports::ForgetMemory>();
    command->agent_id = message->second;
    command->message_id = message->first;
    const auto told = devices_[at]->ask(std::move(command));
    if (!told) witness_.may_be_forgotten(message->first);
    else if (told->ok() && (*told)->messages > 0) witness_.forgot(at, message->first);
}

// What is said out of order, or twice, may end a link; a link that works ends by itself only.
void DevicesWorld::hear_refusals() {
    const bool may_be = mood_ != Mood::calm && mood_ != Mood::flaky && !is_resting_;
    for (const auto& link : links_) {
        for (const std::string& why : link->take_refusals()) {
            say(why);
            const bool is_absence = why.find("nobody answers") != std::string::npos;
            if (!may_be && !is_absence) complain(why);
        }
    }
}

void DevicesWorld::come_to_rest() {
    say("coming to rest");
    is_resting_ = true;
    away_.reset();
    for (const auto& link : links_) link->cut();
    std::uint64_t quiet = 0;
    for (std::uint64_t round = 0; complaints_.empty() && round < rest_rounds_max; ++round) {
        ++tally_.rest_rounds;
        clock_.advance(base::milliseconds(500));
        open_some();
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            bool has_worked = false;
            for (int j = 0; j < 8 && workers_[i].work(*devices_[i]); ++j) has_worked = true;
            if (has_worked && mood_ == Mood::calm) hand_on();
        }
        tend_all();
        carry_all();
        hear_refusals();
        quiet = is_at_rest() ? quiet + 1 : 0;
        if (quiet > 8 && round > rest_rounds_min) return;
    }
    if (complaints_.empty()) complain("the devices do not come to rest");
}

bool DevicesWorld::is_at_rest() {
    const auto is_idle = [](const DevicesWorker& worker) { return !worker.is_at_work(); };
    // What somebody has just done is told in a moment.
    const auto is_done = [](const auto& device) {
        const auto due = device->is_up() ? device->machine().engine().next_due() : std::optional(device->now());
        return !due || *due > device->now() + base::seconds(1);
    };
    return std::ranges::all_of(devices_, is_done) &&
           std::ranges::all_of(links_, [](const auto& link) { return link->is_open() && link->is_quiet(); }) &&
           std::ranges::all_of(workers_, is_idle);
}

void DevicesWorld::compare_end() {
    std::vector<DevicesLook> looks;
    std::vector<ports::SyncDigest> digests;
    for (const auto& device : devices_) {
        auto look = look_at_device(device->machine().store());
        if (!look.ok()) return complain("a store cannot be read: " + look.error().message);
        looks.push_back(std::move(*look));
        const auto digest = device->ask(std::make_unique<ports::TakeDigest>());
        if (!digest || !digest->ok()) return complain("a device has no digest");
        digests.push_back(**digest);
    }
    for (std::size_t i = 1; i < devices_.size(); ++i) {
        const std::string wrong = difference(looks[0], looks[i]);
        const std::string whom = devices_[0]->name() + " and " + devices_[i]->name();
        if (!wrong.empty()) return complain(whom + " differ in " + wrong);
        if (digests[0].digest != digests[i].digest) return complain(whom + " have the same and say they differ");
        if (!(digests[0].has == digests[i].has)) return complain(whom + " have heard of different changes");
    }
    for (std::string& one : witness_.compare(looks[0])) complain(std::move(one));
    if (mood_ != Mood::calm) return;
    for (const std::string& key : witness_.doubled()) complain("run " + key + " was gone through on two devices");
}

}  // namespace belfry::sim
