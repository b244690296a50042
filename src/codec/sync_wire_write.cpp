#include <algorithm>
#include <map>
#include <set>

#include "base/hash.hpp"
#include "base/uuid.hpp"
#include "codec/sync_wire_parts.hpp"

namespace belfry::codec {
namespace {

using model::ConcurrentValue;
using model::CounterRange;
using model::JsonWriter;
using model::RecordKnowledge;
using model::Stamp;
using model::SyncEntry;
using model::SyncFrame;
using model::SyncUnit;

long long number(std::uint64_t value) {
    return static_cast<long long>(value);
}

// Writes one frame: its tables first, then what names things by their places there.
class FrameWriter {
public:
    FrameWriter(std::string& out, const SyncFrame& frame) : json_(out), frame_(frame) {}

    void write() {
        collect();
        json_.begin_object();
        append_tables();
        if (frame_.is_whole()) append_page();
        else append_changes();
        append_ranges("g", frame_.gone);
        append_ranges("f", frame_.gone_for_good);
        append_ranges("x", frame_.erased);
        json_.name("e").begin_array();
        for (const SyncEntry& entry : frame_.entries) append(entry);
        json_.end_array().end_object();
    }

private:
    void append_tables() {
        json_.name("h").begin_array();
        for (const std::string_view host : hosts_) json_.text(host);
        json_.end_array().name("k").begin_array();
        for (const auto& [kind, user] : heads_) json_.begin_array().text(kind).text(user).end_array();
        json_.end_array();
    }

    void append_page() {
        json_.field("c", frame_.cursor).field("n", frame_.next_cursor).name("v").raw(frame_.cover.to_json());
    }

    void append_changes() {
        json_.field("a", number(frame_.after)).field("t", number(frame_.through)).name("b").begin_array();
        for (const std::string& batch : frame_.batches) json_.text(packed_id(batch));
        json_.end_array();
    }

    void append_ranges(std::string_view name, const std::vector<CounterRange>& ranges) {
        if (ranges.empty()) return;
        json_.name(name).begin_array();
        for (const CounterRange& range : ranges) {
            json_.begin_array().number(place(range.host)).number(number(range.from)).number(number(range.to));
            json_.end_array();
        }
        json_.end_array();
    }

    void append(const SyncEntry& entry) {
        const RecordKnowledge& knowledge = entry.record.knowledge;
        json_.begin_array().number(place(entry.record.kind, entry.record.user_id)).text(packed_id(entry.record.id));
        append_units(entry.units);
        json_.raw(entry.record.body.bytes());
        const bool is_derived = is_clock_derived(entry);
        const bool has_stamps = !knowledge.stamps.empty() || !knowledge.concurrent.empty();
        if (!is_derived || has_stamps) {
            if (is_derived) json_.number(0);
            else append_clock(knowledge.clock);
        }
        if (has_stamps) append_stamps(entry);
        if (!knowledge.concurrent.empty()) append_concurrent(knowledge);
        json_.end_array();
    }

    // Each counter as far beyond the one before as it is.
    void append_units(const std::vector<SyncUnit>& units) {
        json_.begin_array();
        std::uint64_t last = frame_.after;
        for (const SyncUnit& unit : units) {
            json_.number(number(unit.counter - last)).number(unit.batch * 2LL + (unit.quiet ? 1 : 0));
            last = unit.counter;
        }
        json_.end_array();
    }

    // Mostly a record has just been changed by its frame's host, and by nobody else.
    [[nodiscard]] bool is_clock_derived(const SyncEntry& entry) const {
        const auto& counters = entry.record.knowledge.clock.counters();
        if (entry.units.empty()) return counters.empty();
        return counters.size() == 1 && counters.begin()->first == frame_.host &&
               counters.begin()->second == entry.units.back().counter;
    }

    void append_clock(const model::VectorClock& clock) {
        json_.begin_array();
        for (const auto& [host, counter] : clock.counters()) json_.number(place(host)).number(number(counter));
        json_.end_array();
    }

    void append_stamp(const Stamp& stamp) {
        json_.number(number(stamp.version));
        if (stamp.version > 0) json_.number(place(stamp.host));
        json_.number(number(stamp.counter));
    }

    struct StampGroup {
        std::vector<std::string_view> fields;    // members of the body
        std::vector<std::string_view> elements;  // of its lists
    };

    // Grouped by stamp. Where every field has one, the fields of the largest group are not named.
    void append_stamps(const SyncEntry& entry) {
        const auto& stamps = entry.record.knowledge.stamps;
        std::map<Stamp, StampGroup> groups;
        std::set<std::string_view> fields;
        bool is_left_out = true;
        model::JsonWalker members(entry.record.body.view());
        std::string_view raw_name;
        while (members.next(&raw_name)) {
            const auto stamp = stamps.find(raw_name);
            is_left_out = is_left_out && stamp != stamps.end();
            if (stamp != stamps.end() && fields.insert(raw_name).second)
                groups[stamp->second].fields.push_back(raw_name);
        }
        for (const auto& [name, stamp] : stamps) {
            if (!fields.contains(name)) groups[stamp].elements.push_back(name);
        }
        const auto largest = std::ranges::max_element(
            groups, [](const auto& a, const auto& b) { return a.second.fields.size() < b.second.fields.size(); });
        json_.begin_array();
        for (auto group = groups.begin(); group != groups.end(); ++group) {
            const bool is_rest = group == largest && is_left_out && !fields.empty();
            if (is_rest) append_group(group->first, {}, {});
            if (is_rest && group->second.elements.empty()) continue;
            append_group(group->first, is_rest ? std::vector<std::string_view>() : group->second.fields,
                         group->second.elements);
        }
        json_.end_array();
    }

    void append_group(const Stamp& stamp, const std::vector<std::string_view>& fields,
                      const std::vector<std::string_view>& elements) {
        json_.begin_array();
        append_stamp(stamp);
        for (const std::string_view name : fields) json_.text(name);
        for (const std::string_view name : elements) json_.text(name);
        json_.end_array();
    }

    void append_concurrent(const RecordKnowledge& knowledge) {
        json_.begin_object();
        for (const auto& [name, values] : knowledge.concurrent) {
            json_.name(name).begin_array();
            for (const ConcurrentValue& value : values) {
                json_.begin_array();
                append_stamp(value.stamp);
                json_.raw(value.value.bytes()).end_array();
            }
            json_.end_array();
        }
        json_.end_object();
    }

    void collect() {
        if (!frame_.is_whole()) add_host(frame_.host);
        for (const auto* ranges : {&frame_.gone, &frame_.gone_for_good, &frame_.erased}) {
            for (const CounterRange& range : *ranges) add_host(range.host);
        }
        for (const SyncEntry& entry : frame_.entries) {
            const RecordKnowledge& knowledge = entry.record.knowledge;
            const Head head{entry.record.kind, entry.record.user_id};
            if (head_places_.emplace(head, heads_.size()).second) heads_.push_back(head);
            for (const auto& [host, counter] : knowledge.clock.counters()) add_host(host);
            for (const auto& [name, stamp] : knowledge.stamps) add_host(stamp);
            for (const auto& [name, values] : knowledge.concurrent) {
                for (const ConcurrentValue& value : values) add_host(value.stamp);
            }
        }
    }
    void add_host(const Stamp& stamp) {
        if (stamp.version > 0) add_host(stamp.host);
    }
    void add_host(std::string_view host) {
        if (host_places_.emplace(host, hosts_.size()).second) hosts_.push_back(host);
    }
    long long place(std::string_view host) { return number(host_places_.find(host)->second); }
    long long place(std::string_view kind, std::string_view user) {
        return number(head_places_.find({kind, user})->second);
    }

    using Head = std::pair<std::string_view, std::string_view>;
    JsonWriter json_;
    const SyncFrame& frame_;
    std::vector<std::string_view> hosts_;
    std::map<std::string_view, std::size_t> host_places_;
    std::vector<Head> heads_;
    std::map<Head, std::size_t> head_places_;
};

std::string unpadded(std::string_view bytes) {
    std::string text = base::base64(bytes);
    while (text.ends_with('=')) text.pop_back();
    return text;
}

// The bytes of an even number of small hexadecimal digits.
std::optional<std::string> bytes_of_hex(std::string_view hex) {
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        if (digit(hex[i]) < 0 || digit(hex[i + 1]) < 0) return std::nullopt;
        bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    }
    return bytes;
}

constexpr std::size_t hash_hex_chars = 64;
constexpr std::size_t hash_packed_chars = 43;
constexpr std::size_t uuid_packed_chars = 22;

}  // namespace

void append_frame(std::string& out, const SyncFrame& frame) {
    FrameWriter(out, frame).write();
}

std::string packed_id(std::string_view id) {
    if (id.empty()) return {};
    if (id.size() == hash_hex_chars) {
        if (const auto bytes = bytes_of_hex(id)) return unpadded(*bytes);
    }
    const auto uuid = base::parse_uuid(id);
    if (!uuid || base::format_uuid(*uuid) != id) return '=' + std::string(id);
    return unpadded({reinterpret_cast<const char*>(uuid->bytes.data()), uuid->bytes.size()});
}

std::optional<std::string> unpacked_id(std::string_view packed) {
    if (packed.empty()) return std::string();
    if (packed.front() == '=') return packed.size() > 1 ? std::optional(std::string(packed.substr(1))) : std::nullopt;
    if (packed.size() == hash_packed_chars) {
        const auto bytes = base::parse_base64(std::string(packed) + '=');
        return bytes ? std::optional(base::hex(*bytes)) : std::nullopt;
    }
    if (packed.size() != uuid_packed_chars) return std::nullopt;
    const auto bytes = base::parse_base64(std::string(packed) + "==");
    if (!bytes) return std::nullopt;
    base::Uuid uuid;
    std::ranges::copy(*bytes, uuid.bytes.begin());
    return base::format_uuid(uuid);
}

}  // namespace belfry::codec
