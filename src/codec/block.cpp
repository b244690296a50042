#include "codec/block.hpp"

#include "base/hash.hpp"

namespace belfry::codec {
namespace {

constexpr std::size_t checksum_bytes = 8;
constexpr std::uint8_t erased_mark = 0xFF;

std::string checksum_of(std::string_view bytes) {
    const auto print = base::fingerprint(bytes);
    return std::string(reinterpret_cast<const char*>(print.data()), checksum_bytes);
}

void append_text(std::string& out, std::string_view text) {
    append_varint(out, text.size());
    out += text;
}

bool take_text(std::string_view& in, std::string_view& text) {
    std::uint64_t size = 0;
    if (!take_varint(in, size) || size > in.size()) return false;
    text = in.substr(0, size);
    in.remove_prefix(size);
    return true;
}

bool take_entry(std::string_view& in, model::LogEntry& entry) {
    std::uint64_t stream = 0;
    if (!take_varint(in, stream) || !take_varint(in, entry.sequence) || in.empty()) return false;
    const auto severity = static_cast<std::uint8_t>(in.front());
    in.remove_prefix(1);
    const bool is_erased = severity == erased_mark;
    if (!is_erased && severity > static_cast<std::uint8_t>(model::Severity::critical)) return false;
    entry.stream = static_cast<model::StreamId>(stream);
    if (!is_erased) entry.facets.severity = static_cast<model::Severity>(severity);
    if (!take_text(in, entry.facets.type) || !take_text(in, entry.facets.user_id) ||
        !take_text(in, entry.facets.session_id) || !take_text(in, entry.body)) {
        return false;
    }
    if (is_erased) {
        entry.facets = {};
        entry.body = {};
    }
    return true;
}

base::Error broken() {
    return base::error(base::Code::malformed, "a block of the log is damaged");
}

}  // namespace

void append_varint(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>(0x80U | (value & 0x7FU));
        value >>= 7U;
    }
    out += static_cast<char>(value);
}

bool take_varint(std::string_view& in, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
        const auto byte = static_cast<std::uint8_t>(in.front());
        in.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) return true;
    }
    return false;
}

void append_block_entry(std::string& out, model::StreamId stream, model::Sequence sequence, const model::Facets& facets,
                        std::string_view body) {
    append_varint(out, stream);
    append_varint(out, sequence);
    out += static_cast<char>(facets.severity);
    append_text(out, facets.type);
    append_text(out, facets.user_id);
    append_text(out, facets.session_id);
    append_text(out, body);
}

void seal_block(std::string& out) {
    out += checksum_of(out);
}

base::Result<std::shared_ptr<model::Block>> read_block(std::string bytes) {
    if (bytes.size() < checksum_bytes) return broken();
    auto block = std::make_shared<model::Block>();
    block->bytes = std::move(bytes);
    std::string_view in(block->bytes);
    in.remove_suffix(checksum_bytes);
    if (checksum_of(in) != std::string_view(block->bytes).substr(in.size())) return broken();
    while (!in.empty()) {
        model::LogEntry entry;
        if (!take_entry(in, entry)) return broken();
        block->entries.push_back(entry);
    }
    return block;
}

base::Result<std::uint64_t> erase_user(std::string& bytes, std::string_view user_id) {
    if (bytes.size() < checksum_bytes) return broken();
    bytes.resize(bytes.size() - checksum_bytes);
    TRY_ASSIGN(const std::uint64_t erased, erase_entries(bytes, user_id));
    seal_block(bytes);
    return erased;
}

base::Result<std::uint64_t> erase_entries(std::string& bytes, std::string_view user_id) {
    std::uint64_t erased = 0;
    std::string_view in(bytes);
    while (!in.empty()) {
        model::LogEntry entry;
        if (!take_entry(in, entry)) return broken();
        if (entry.facets.user_id != user_id) continue;
        ++erased;
        const std::string_view type = entry.facets.type;
        std::string type_length;
        append_varint(type_length, type.size());
        const auto offset = [&](std::string_view text) { return static_cast<std::size_t>(text.data() - bytes.data()); };
        const std::size_t severity = offset(type) - type_length.size() - 1;
        for (const std::string_view text : {type, entry.facets.user_id, entry.facets.session_id, entry.body}) {
            bytes.replace(offset(text), text.size(), text.size(), '\0');
        }
        bytes[severity] = static_cast<char>(erased_mark);
    }
    return erased;
}

std::string write_directory(const std::vector<BlockShare>& shares) {
    std::string out;
    for (const BlockShare& share : shares) {
        append_varint(out, share.stream);
        append_varint(out, share.first);
        append_varint(out, share.count);
    }
    return out;
}

base::Result<std::vector<BlockShare>> read_directory(std::string_view bytes) {
    std::vector<BlockShare> shares;
    while (!bytes.empty()) {
        BlockShare share;
        std::uint64_t stream = 0;
        if (!take_varint(bytes, stream) || !take_varint(bytes, share.first) || !take_varint(bytes, share.count)) {
            return broken();
        }
        share.stream = static_cast<model::StreamId>(stream);
        shares.push_back(share);
    }
    return shares;
}

}  // namespace belfry::codec
