#include "codec/tzif.hpp"

#include <vector>

#include "codec/posix_tz.hpp"

namespace belfry::codec {
namespace {

constexpr std::size_t header_bytes = 44;
// Further than this nothing lies; zic's beginning of time is -2^59.
constexpr std::int64_t instant_s_max = std::int64_t{1} << 60;

struct Counts {
    std::size_t is_ut = 0;
    std::size_t is_standard = 0;
    std::size_t leaps = 0;
    std::size_t times = 0;
    std::size_t types = 0;
    std::size_t letters = 0;

    // What stands behind the header; five counts of 32 bits with small factors cannot overflow.
    [[nodiscard]] std::size_t block_bytes(std::size_t time_bytes) const {
        return times * (time_bytes + 1) + types * 6 + letters + leaps * (time_bytes + 4) + is_standard + is_ut;
    }
};

struct Header {
    char version = 0;
    Counts counts;
};

base::Error damaged(std::string_view what) {
    return base::error(base::Code::malformed, "it is no file of time zone data: " + std::string(what));
}

std::uint64_t read_big_endian(std::string_view bytes, std::size_t at, std::size_t width) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < width; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

base::Result<Header> take_header(std::string_view& bytes) {
    if (!bytes.starts_with("TZif")) return damaged("it does not begin with TZif");
    if (bytes.size() < header_bytes) return damaged("it is cut off");
    const auto count = [&](std::size_t i) { return static_cast<std::size_t>(read_big_endian(bytes, 20 + 4 * i, 4)); };
    const Header header{bytes[4], {count(0), count(1), count(2), count(3), count(4), count(5)}};
    bytes.remove_prefix(header_bytes);
    return header;
}

base::Result<std::string_view> take_block(std::string_view& bytes, const Counts& counts, std::size_t time_bytes) {
    const std::size_t size = counts.block_bytes(time_bytes);
    if (size > bytes.size()) return damaged("it is cut off");
    const std::string_view block = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return block;
}

base::Result<std::vector<std::int32_t>> read_offsets(std::string_view block, const Counts& counts) {
    std::vector<std::int32_t> offsets;
    const std::size_t begin = counts.times * 9;
    for (std::size_t i = 0; i < counts.types; ++i) {
        const auto offset_s = static_cast<std::int32_t>(read_big_endian(block, begin + i * 6, 4));
        if (offset_s < -model::zone_offset_s_max || offset_s > model::zone_offset_s_max) {
            return damaged("a clock is more than a day from UTC");
        }
        offsets.push_back(offset_s);
    }
    return offsets;
}

base::Result<model::Zone> read_block(std::string_view block, const Counts& counts) {
    if (counts.leaps != 0)
        return base::error(base::Code::malformed, "it counts leap seconds, which no clock here does");
    if (counts.types == 0 || counts.types > 256) return damaged("it has no or too many kinds of time");
    TRY_ASSIGN(const std::vector<std::int32_t> offsets, read_offsets(block, counts));
    model::Zone zone;
    zone.first_offset_s = offsets.front();
    std::int32_t offset_s = zone.first_offset_s;
    std::int64_t before_s = -instant_s_max - 1;
    for (std::size_t i = 0; i < counts.times; ++i) {
        const auto at_s = static_cast<std::int64_t>(read_big_endian(block, i * 8, 8));
        const auto type = static_cast<unsigned char>(block[counts.times * 8 + i]);
        if (at_s <= before_s || at_s > instant_s_max) return damaged("its times are not in order");
        if (type >= offsets.size()) return damaged("a time has a kind that there is not");
        // The last one stays also where it changes nothing: the rule for later years holds from there.
        if (offsets[type] != offset_s || i + 1 == counts.times) zone.changes.push_back({at_s, offsets[type]});
        before_s = at_s;
        offset_s = offsets[type];
    }
    return zone;
}

}  // namespace

base::Result<model::Zone> parse_tzif(std::string_view bytes, std::string name) {
    if (bytes.size() > tzif_bytes_max) return damaged("it is too large");
    TRY_ASSIGN(const Header old, take_header(bytes));
    if (old.version < '2') return damaged("it is of version 1, which ends in 2037");
    TRY(take_block(bytes, old.counts, 4));
    TRY_ASSIGN(const Header header, take_header(bytes));
    TRY_ASSIGN(const std::string_view block, take_block(bytes, header.counts, 8));
    TRY_ASSIGN(model::Zone zone, read_block(block, header.counts));
    if (bytes.size() < 2 || bytes.front() != '\n' || bytes.find('\n', 1) != bytes.size() - 1) {
        return damaged("the rule for later years is cut off");
    }
    const std::string_view footer = bytes.substr(1, bytes.size() - 2);
    if (!footer.empty()) {
        TRY_ASSIGN(zone.tail, parse_posix_tz(footer));
    }
    zone.name = std::move(name);
    return zone;
}

}  // namespace belfry::codec
