#include "codec/sync_wire.hpp"

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "base/wake_limits.hpp"
#include "codec/sync_wire_parts.hpp"

namespace belfry::codec {
namespace {

namespace limits = base::limits;
using model::CounterRange;
using model::HostSeal;
using model::SyncAck;
using model::SyncFrame;
using model::SyncGone;
using model::SyncHello;
using model::SyncMessage;
using model::SyncPing;
using model::SyncRefusal;

constexpr std::size_t version_bytes_max = 100;
constexpr std::size_t key_bytes_max = 2'000;
constexpr std::size_t code_bytes_max = 100;
constexpr std::size_t message_bytes_max = 2'000;

void append_ranges(model::JsonWriter& writer, const std::vector<CounterRange>& ranges) {
    writer.begin_array();
    for (const CounterRange& range : ranges) {
        writer.begin_array().text(range.host).number(static_cast<long long>(range.from));
        writer.number(static_cast<long long>(range.to)).end_array();
    }
    writer.end_array();
}

struct Writer {
    std::string& out;
    model::JsonWriter json{out};

    void operator()(const SyncHello& hello) {
        json.name("hello").begin_object().field("protocol", static_cast<long long>(hello.protocol));
        json.field("version", hello.version).field("name", hello.name).field("host", hello.host);
        json.name("has").raw(hello.has.to_json()).name("hosts").begin_array();
        for (const HostSeal& seal : hello.hosts) {
            json.begin_object().field("host", seal.host).field("key", seal.key);
            json.field("signature", seal.signature).end_object();
        }
        json.end_array().field("whole_cursor", hello.whole_cursor).end_object();
    }
    void operator()(const SyncFrame& frame) {
        std::string text;
        append_frame(text, frame);
        json.name(frame.is_whole() ? "page" : "frame").raw(text);
    }
    void operator()(const SyncAck& ack) {
        json.name("ack").begin_object().name("has").raw(ack.has.to_json());
        if (!ack.missing.empty()) append_ranges(json.name("missing"), ack.missing);
        if (!ack.confirm.empty()) append_ranges(json.name("confirm"), ack.confirm);
        if (!ack.whole_cursor.empty()) json.field("whole_cursor", ack.whole_cursor);
        json.end_object();
    }
    void operator()(const SyncGone& gone) { append_ranges(json.name("gone"), gone.ranges); }
    void operator()(const SyncRefusal& refusal) {
        json.name("refused").begin_object().field("code", refusal.code);
        json.field("message", refusal.message).end_object();
    }
    void operator()(const SyncPing&) { json.name("ping").begin_object().end_object(); }
};

base::Result<void> read_ranges(JsonReader& reader, std::vector<CounterRange>& ranges) {
    return read_list(reader, limits::sync_ranges_max, [&]() -> base::Result<void> {
        CounterRange range;
        int part = 0;
        const auto next_part = [&]() -> base::Result<void> {
            if (part == 0) TRY(read_text(reader, limits::host_bytes_max, range.host));
            if (part == 1) TRY(read_natural(reader, range.from));
            if (part == 2) TRY(read_natural(reader, range.to));
            ++part;
            return {};
        };
        TRY(read_list(reader, 3, next_part));
        if (part != 3 || range.from == 0 || range.to < range.from || !model::is_host_name(range.host)) {
            return reader.invalid("must be a host and the first and the last of its counters");
        }
        ranges.push_back(std::move(range));
        return {};
    });
}

base::Result<HostSeal> read_seal(JsonReader& reader) {
    HostSeal seal;
    const auto next_member = [&](std::string_view name) -> base::Result<bool> {
        if (name == "host") TRY(read_text(reader, limits::host_bytes_max, seal.host));
        else if (name == "key") TRY(read_text(reader, key_bytes_max, seal.key));
        else if (name == "signature") TRY(read_text(reader, key_bytes_max, seal.signature));
        else return false;
        return true;
    };
    TRY(read_object(reader, next_member));
    if (!model::is_host_name(seal.host)) return reader.invalid("must name a host");
    return seal;
}

base::Result<void> read_protocol(JsonReader& reader, std::int64_t& to) {
    TRY_ASSIGN(to, reader.read_integer());
    return {};
}

// Where the pages of this device go on, as it has said itself: it will read it as JSON.
base::Result<void> read_place_in_pages(JsonReader& reader, std::string& to) {
    TRY(read_text(reader, sync_cursor_bytes_max, to));
    if (to.empty()) return {};
    const auto json = base::parse_base64(to);
    if (!json || !validate(*json).ok()) return reader.invalid("is no place in the pages of this device");
    return {};
}

// Of any version: what is not there is left as it is, so that the other side can be told which version it speaks.
base::Result<SyncMessage> read_hello(JsonReader& reader) {
    SyncHello hello;
    const auto next_member = [&](std::string_view name) -> base::Result<bool> {
        if (name == "protocol") TRY(read_protocol(reader, hello.protocol));
        else if (name == "version") TRY(read_text(reader, version_bytes_max, hello.version));
        else if (name == "name") TRY(read_text(reader, limits::peer_name_bytes_max, hello.name));
        else if (name == "host") TRY(read_text(reader, limits::host_bytes_max, hello.host));
        else if (name == "has") TRY(read_clock(reader, hello.has));
        else if (name == "whole_cursor") TRY(read_place_in_pages(reader, hello.whole_cursor));
        else if (name == "hosts") {
            const auto next_seal = [&]() -> base::Result<void> {
                TRY_ASSIGN(HostSeal seal, read_seal(reader));
                hello.hosts.push_back(std::move(seal));
                return {};
            };
            TRY(read_list(reader, limits::sync_hosts_max, next_seal));
        } else {
            return false;
        }
        return true;
    };
    TRY(read_object(reader, next_member));
    return SyncMessage(std::move(hello));
}

base::Result<SyncMessage> read_ack(JsonReader& reader) {
    SyncAck ack;
    const auto next_member = [&](std::string_view name) -> base::Result<bool> {
        if (name == "has") TRY(read_clock(reader, ack.has));
        else if (name == "missing") TRY(read_ranges(reader, ack.missing));
        else if (name == "confirm") TRY(read_ranges(reader, ack.confirm));
        else if (name == "whole_cursor") TRY(read_place_in_pages(reader, ack.whole_cursor));
        else return false;
        return true;
    };
    TRY(read_object(reader, next_member));
    return SyncMessage(std::move(ack));
}

base::Result<SyncMessage> read_refusal(JsonReader& reader) {
    SyncRefusal refusal;
    const auto next_member = [&](std::string_view name) -> base::Result<bool> {
        if (name == "code") TRY(read_text(reader, code_bytes_max, refusal.code));
        else if (name == "message") TRY(read_text(reader, message_bytes_max, refusal.message));
        else return false;
        return true;
    };
    TRY(read_object(reader, next_member));
    return SyncMessage(std::move(refusal));
}

base::Result<SyncMessage> read_by_name(JsonReader& reader, std::string_view name) {
    if (name == "hello") return read_hello(reader);
    if (name == "ack") return read_ack(reader);
    if (name == "refused") return read_refusal(reader);
    if (name == "gone") {
        SyncGone gone;
        TRY(read_ranges(reader, gone.ranges));
        return SyncMessage(std::move(gone));
    }
    if (name == "ping") {
        TRY(reader.skip_value());
        return SyncMessage(SyncPing{});
    }
    if (name != "frame" && name != "page") return reader.invalid("is no message between devices");
    SyncFrame frame;
    TRY(read_frame(reader, frame));
    if (frame.is_whole() != (name == "page")) return reader.invalid("must have a host, and a page none");
    return SyncMessage(std::move(frame));
}

}  // namespace

std::string sync_message_text(const SyncMessage& message) {
    std::string out;
    Writer writer{out};
    writer.json.begin_object();
    std::visit(writer, message);
    writer.json.end_object();
    return out;
}

base::Result<SyncMessage> read_sync_message(std::string_view text) {
    if (text.size() > limits::sync_message_bytes_max) {
        return base::error(base::Code::too_large, "a message has at most 8 MiB");
    }
    // A body may be as deep as any other JSON, and it stands a few levels down.
    JsonReader reader(text, {1, JsonReader::levels_max});
    TRY(reader.begin_object());
    std::string_view name;
    TRY_ASSIGN(bool more, reader.next_field(name));
    if (!more) return base::error(base::Code::invalid, "the message is empty");
    TRY_ASSIGN(SyncMessage message, read_by_name(reader, name));
    TRY_ASSIGN(more, reader.next_field(name));
    if (more) return reader.invalid("is a second message in the same text");
    TRY(reader.finish());
    return message;
}

}  // namespace belfry::codec
