#include "net/encoded_blocks.hpp"

#include <utility>

#include "base/limits.hpp"
#include "codec/sse.hpp"
#include "model/raw_json.hpp"
#include "wire/websocket.hpp"

namespace belfry::net {
namespace {

void append_websocket_entry(std::string& out, model::Sequence sequence, std::string_view body, std::string& scratch) {
    scratch.assign("{\"type\":\"entry\",");
    const std::size_t at = scratch.size();
    codec::append_entry_json(scratch, sequence, body);
    scratch.erase(at, 1);  // its opening brace
    wire::append_frame(out, wire::Opcode::text, scratch);
}

SharedEncodedBlock encode(const model::Block& block, StreamFormat format) {
    auto encoded = std::make_shared<EncodedBlock>();
    std::size_t bytes = 0;
    for (const model::LogEntry& entry : block.entries) bytes += entry.body.size() + 64;
    encoded->bytes.reserve(bytes);
    encoded->offsets.reserve(block.entries.size() + 1);
    std::string scratch;
    for (const model::LogEntry& entry : block.entries) {
        encoded->offsets.push_back(static_cast<std::uint32_t>(encoded->bytes.size()));
        switch (format) {
            case StreamFormat::sse: codec::append_sse_entry(encoded->bytes, entry.sequence, entry.body); break;
            case StreamFormat::websocket:
                append_websocket_entry(encoded->bytes, entry.sequence, entry.body, scratch);
                break;
            case StreamFormat::inbox_sse:
            case StreamFormat::inbox_websocket:
                // What was erased is not shown: its reader is gone, too.
                if (!entry.body.empty()) append_inbox_line(encoded->bytes, format, entry.sequence, entry.body);
                break;
            case StreamFormat::run_sse:
                if (entry.body.empty()) codec::append_sse_entry(encoded->bytes, entry.sequence, entry.body);
                else codec::append_sse_named(encoded->bytes, entry.sequence, entry.facets.type, entry.body);
                break;
            case StreamFormat::run_websocket:
            case StreamFormat::ag_ui:
            case StreamFormat::ag_ui_answer: break;  // shares that of the others, or has none
        }
    }
    encoded->offsets.push_back(static_cast<std::uint32_t>(encoded->bytes.size()));
    return encoded;
}

void append_message(std::string& out, const std::string& json) {
    wire::append_frame(out, wire::Opcode::text, json);
}

}  // namespace

const SharedEncodedBlock& EncodedBlocks::get(const model::SharedBlock& block) {
    const auto found = blocks_.find(block.get());
    if (found != blocks_.end()) {
        found->second.used = true;
        return found->second.encoded;
    }
    Kept kept{block, encode(*block, format_)};
    bytes_ += kept.encoded->bytes.size();
    order_.push_back(block.get());
    const SharedEncodedBlock& encoded = blocks_.emplace(block.get(), std::move(kept)).first->second.encoded;
    evict();
    return encoded;
}

void EncodedBlocks::evict() {
    while (bytes_ > base::limits::stream_encoded_bytes_max && order_.size() > 1) {
        const auto oldest = blocks_.find(order_.front());
        bytes_ -= oldest->second.encoded->bytes.size();
        blocks_.erase(oldest);
        order_.pop_front();
    }
}

void EncodedBlocks::sweep() {
    std::erase_if(order_, [this](const model::Block* block) {
        const auto found = blocks_.find(block);
        if (std::exchange(found->second.used, false)) return false;
        bytes_ -= found->second.encoded->bytes.size();
        blocks_.erase(found);
        return true;
    });
}

void append_inbox_line(std::string& out, StreamFormat format, model::Sequence sequence, std::string_view line) {
    if (is_websocket(format)) return wire::append_frame(out, wire::Opcode::text, line);
    const auto type = model::JsonView{line}.member("type");
    codec::append_sse_named(out, sequence, type ? type->as_text() : "message", line);
}

namespace {
// An inbox's words all tell their type; the others are told by the event's name.
bool is_plain_sse(StreamFormat format) {
    return !is_websocket(format) && format != StreamFormat::inbox_sse;
}
}  // namespace

void append_gap(std::string& out, StreamFormat format, const ports::Gap& gap) {
    if (is_plain_sse(format)) return codec::append_sse_gap(out, gap.from, gap.to);
    const std::string line =
        "{\"type\":\"gap\",\"from\":" + std::to_string(gap.from) + ",\"to\":" + std::to_string(gap.to) + "}";
    if (format == StreamFormat::inbox_sse) return append_inbox_line(out, format, 0, line);
    append_message(out, line);
}

namespace {
// Readers of AG-UI know no end but the run's. Where the stream ends before that, it is the last they hear of it.
void append_ag_ui_end(std::string& out, std::string_view reason) {
    if (reason == "ended") return;
    out += "data: ";
    model::JsonWriter(out)
        .begin_object()
        .field("type", "RUN_ERROR")
        .field("message", "this stream has ended before its run, which goes on (" + std::string(reason) + ")")
        .field("code", reason)
        .end_object();
    out += "\n\n";
}
}  // namespace

void append_heartbeat(std::string& out, StreamFormat format) {
    if (!is_websocket(format)) return codec::append_sse_comment(out, "ping");
    // The ping is answered by the other end's machinery; a page's script sees neither, and has to hear that we are
    // here.
    append_message(out, R"({"type":"beat"})");
    wire::append_frame(out, wire::Opcode::ping, "");
}

void append_close(std::string& out, StreamFormat format, std::string_view reason) {
    if (format == StreamFormat::ag_ui_answer) return append_ag_ui_end(out, reason);
    if (is_plain_sse(format)) return codec::append_sse_close(out, reason);
    const std::string line = std::string("{\"type\":\"close\",\"reason\":\"").append(reason).append("\"}");
    if (format == StreamFormat::inbox_sse) return append_inbox_line(out, format, 0, line);
    append_message(out, line);
    const std::uint16_t code = reason == "stopping" ? wire::close_going_away
                               : reason == "store"  ? wire::close_internal
                               : reason == "ended"  ? wire::close_normal
                                                    : wire::close_policy;
    wire::append_close_frame(out, code, reason);
}

void append_store_word(std::string& out, StreamFormat format, bool is_down) {
    const std::string state = is_down ? "down" : "up";
    if (is_websocket(format)) return append_message(out, R"({"type":"store","state":")" + state + "\"}");
    if (format >= StreamFormat::ag_ui) return codec::append_sse_comment(out, "store " + state);
    codec::append_sse_named(out, 0, "store", R"({"state":")" + state + "\"}");
}

}  // namespace belfry::net
