#include "sim/merges_world.hpp"

#include <algorithm>
#include <cstdio>

#include "codec/sync_wire.hpp"

namespace belfry::sim {
namespace {

using model::SyncRecord;
using rules::Merged;

constexpr std::size_t told_max = 24;

// Of what is said once nothing is kept beside it.
bool is_same(const SyncRecord& a, const SyncRecord& b) {
    return rules::is_said_once(a.kind) ? a.body == b.body : a == b;
}

std::string text_of(const SyncRecord& record) {
    std::string text = record.knowledge.clock.to_json() + ' ';
    model::JsonWriter writer(text);
    append_knowledge(writer, record.knowledge);
    return text + ' ' + record.body.bytes();
}

}  // namespace

MergesWorld::Tally& MergesWorld::Tally::operator+=(const Tally& other) {
    applied += other.applied;
    sweeps += other.sweeps;
    changed += other.changed;
    both += other.both;
    notes += other.notes;
    return *this;
}

MergesWorld::MergesWorld(std::uint64_t seed, bool verbose)
    : random_(seed), verbose_(verbose), kind_(any_merged_kind(random_)), witness_(kind_) {
    const std::uint64_t count = 2 + random_.below(5);
    for (std::uint64_t i = 0; i < count; ++i) {
        Device device{"device" + std::to_string(i), random_.below(1000), {}};
        device.record.kind = kind_.name;
        device.record.id = "the record";
        device.record.user_id = "ada";
        devices_.push_back(std::move(device));
    }
    if (!rules::is_said_once(kind_.name) && random_.one_in(4)) begin_old();
}

// Some devices had the record before there were stamps; some of those as it was earlier.
void MergesWorld::begin_old() {
    SyncRecord old = devices_.front().record;
    std::vector<SyncRecord> past;
    for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) {
        (void)old.knowledge.clock.raise("of old", past.size() + 1);
        old.body = rules::settled_body(kind_.name, old.body.view(), {any_merged_body(kind_, old.body, random_)});
        past.push_back(old);
    }
    for (Device& device : devices_) {
        if (random_.one_in(2)) continue;
        device.record = past[random_.below(past.size())];
        witness_.was(device.record);
    }
}

Complaints MergesWorld::run(std::uint64_t steps) {
    for (step_ = 0; step_ < steps && complaints_.empty(); ++step_) {
        if (step_ == 0 || random_.percent(15)) write(any_device());
        else if (random_.percent(75)) hear(any_device(), any_device().record);
        else if (!told_.empty()) hear(any_device(), told_[random_.below(told_.size())]);
    }
    if (complaints_.empty()) meet();
    return complaints_;
}

void MergesWorld::write(Device& device) {
    ++tally_.sweeps;
    device.counter += 1 + random_.below(3);
    const SyncRecord before = device.record;
    const std::string body = any_merged_body(kind_, device.record.body, random_);
    const auto fields = rules::write_record(device.record, {body}, device.host, device.counter);
    witness_.wrote(before, device.record, fields, device.host, device.counter);
    if (verbose_) std::printf("%s writes %s\n", device.host.c_str(), text_of(device.record).c_str());
    if (const auto checked = rules::check_sync_record(device.record); !checked.ok()) {
        complain("what was written cannot be told: " + checked.error().field + ' ' + checked.error().message);
    }
}

void MergesWorld::hear(Device& device, const SyncRecord& told) {
    if (random_.one_in(16)) check_laws(device.record, told);
    if (random_.one_in(64)) check_texts(told);
    SyncRecord after = merge(device.record, told);
    if (verbose_) std::printf("%s hears %s\n", device.host.c_str(), text_of(told).c_str());
    device.record = std::move(after);
    if (told_.size() < told_max) told_.push_back(device.record);
    else told_[random_.below(told_max)] = device.record;
}

SyncRecord MergesWorld::merge(const SyncRecord& ours, const SyncRecord& theirs) {
    ++tally_.applied;
    Merged merged = rules::merge_records(ours, theirs);
    if (merged.differs_from_ours) ++tally_.changed;
    if (merged.differs_from_ours && merged.differs_from_theirs) ++tally_.both;
    tally_.notes += merged.notes.size();
    return std::move(merged.record);
}

// The laws of a join, with a third that was known at some time.
void MergesWorld::check_laws(const SyncRecord& a, const SyncRecord& b) {
    const SyncRecord& c = told_.empty() ? a : told_[random_.below(told_.size())];
    const SyncRecord ab = merge(a, b);
    if (!is_same(ab, merge(b, a))) complain("two devices come to different ends");
    if (!is_same(merge(ab, c), merge(a, merge(b, c)))) complain("the order in which three devices meet matters");
    if (!is_same(merge(ab, b), ab) || !is_same(merge(ab, ab), ab)) complain("merging again changes something");
    const auto order = a.knowledge.clock.compare(b.knowledge.clock);
    if (order == model::ClockOrder::after && !rules::is_said_once(a.kind)) {
        SyncRecord spelled = a;
        rules::spell_stamps(spelled);
        if (ab != spelled) complain("who knows all of another does not win whole");
    }
    if (const auto checked = rules::check_sync_record(ab); !checked.ok()) {
        complain("what was merged cannot be told: " + checked.error().field + ' ' + checked.error().message);
    }
}

// It goes over the wire and into a store, and is the same.
void MergesWorld::check_texts(const SyncRecord& record) {
    model::SyncFrame page;
    page.entries.push_back({record, {}});
    const auto read = codec::read_sync_message(codec::sync_message_text(page));
    if (!read.ok() || *read != model::SyncMessage(page)) complain("the wire changes what is told");
    std::string json;
    model::JsonWriter writer(json);
    append_knowledge(writer, record.knowledge);
    model::RecordKnowledge again;
    again.clock = record.knowledge.clock;
    if (!model::read_knowledge({json}, again) || again != record.knowledge) complain("the store changes what is known");
}

// Everybody hears of everybody, in any order, until all know all.
void MergesWorld::meet() {
    for (int round = 0; round < 2; ++round) {
        std::vector<std::size_t> order(devices_.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::size_t at = random_.below(i + 1);
            order[i] = order[at];
            order[at] = i;
        }
        for (Device& device : devices_) {
            for (const std::size_t other : order) hear(device, devices_[other].record);
        }
    }
    if (!complaints_.empty()) return;
    for (Device& device : devices_) rules::spell_stamps(device.record);
    const SyncRecord& first = devices_.front().record;
    for (const Device& device : devices_) {
        if (!is_same(device.record, first) || rules::record_digest(device.record) != rules::record_digest(first)) {
            complain("devices do not know the same in the end: " + text_of(device.record) + " and " + text_of(first));
        }
    }
    if (const std::string wrong = witness_.judge(first); !wrong.empty()) complain("in the end " + wrong);
}

void MergesWorld::complain(std::string what) {
    complaints_.push_back(std::string(kind_.name) + ": " + std::move(what));
}

}  // namespace belfry::sim
