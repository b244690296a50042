// What another device says. What is read is within the limits and is written as text that reads back as the same; a
// record that can be taken merges with the one beside it by the laws of a join; and a talk that hears all of it, line
// by line, ends or goes on.
#include <string>
#include <vector>

#include "base/assert.hpp"
#include "base/sync_limits.hpp"
#include "codec/sync_wire.hpp"
#include "rules/merge_record.hpp"
#include "rules/sync_talk.hpp"

namespace {

using namespace belfry;
using model::SyncFrame;
using model::SyncMessage;
using model::SyncRecord;

bool is_same(const SyncRecord& a, const SyncRecord& b) {
    return rules::is_said_once(a.kind) ? a.body == b.body : a == b;
}

void check_merging(const SyncRecord& a, SyncRecord b) {
    b.kind = a.kind;
    b.id = a.id;
    if (!rules::check_sync_record(b).ok()) return;
    const auto merge = [](const SyncRecord& x, const SyncRecord& y) { return rules::merge_records(x, y).record; };
    const SyncRecord both = merge(a, b);
    ASSERT(is_same(both, merge(b, a)));
    ASSERT(is_same(merge(both, b), both) && is_same(merge(a, both), both));
    if (both.knowledge.clock.empty() && both.body.bytes() == "{}") return;
    ASSERT(rules::record_digest(both) == rules::record_digest(merge(b, a)));
}

void check(const SyncFrame& frame) {
    namespace limits = base::limits;
    ASSERT(frame.entries.size() <= limits::sync_frame_records_max && frame.after <= frame.through);
    const SyncRecord* last = nullptr;
    for (const model::SyncEntry& entry : frame.entries) {
        for (const model::SyncUnit& unit : entry.units) {
            ASSERT(unit.counter > frame.after && unit.counter <= frame.through && unit.batch < frame.batches.size());
        }
        if (!rules::check_sync_record(entry.record).ok()) continue;
        SyncRecord written = entry.record;
        rules::write_record(written, R"({"title":"x"})", "fuzz", 1);
        check_merging(entry.record, last != nullptr ? *last : entry.record);
        check_merging(entry.record, written);
        last = &entry.record;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    rules::SyncTalk talk("peer", {});
    talk.opened({base::limits::sync_protocol, "", "", "us", {}, {}, ""});
    base::Timestamp now;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        auto message = codec::read_sync_message(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!message.ok()) {
            ASSERT(!message.error().message.empty());
            continue;
        }
        const std::string written = codec::sync_message_text(*message);
        const auto again = codec::read_sync_message(written);
        ASSERT(again.ok() && *again == *message && codec::sync_message_text(*again) == written);
        if (const auto* frame = std::get_if<SyncFrame>(&*message)) check(*frame);
        now = now + base::seconds(1);
        talk.heard(std::move(*message), now);
        if (!talk.is_over()) talk.noted({});
        for (const rules::SyncTalk::Wish& wish : talk.take_wishes()) {
            using Kind = rules::SyncTalk::Wish::Kind;
            if (wish.kind == Kind::give) talk.given(std::optional<SyncFrame>());
            if (wish.kind == Kind::take) talk.taken(model::SyncAck{{}, {}, wish.frame->gone, ""});
            if (wish.kind == Kind::accept_gone) talk.taken(model::SyncAck{});
            if (wish.kind == Kind::confirm_gone) talk.confirmed(model::SyncGone{wish.ranges});
        }
        talk.tick(now);
    }
    return 0;
}
