#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/json.hpp"
#include "model/sync_message.hpp"

// Parts of the texts that devices exchange. Of use to sync_wire only.
namespace belfry::codec {

inline constexpr std::size_t sync_cursor_bytes_max = 16 << 10;  // with a clock of all hosts

void append_frame(std::string& out, const model::SyncFrame& frame);
// The object that comes next: of a host's changes, or of a page of the whole.
base::Result<void> read_frame(JsonReader& reader, model::SyncFrame& frame);
base::Result<void> read_entry(JsonReader& reader, const struct FrameTables& tables, model::SyncFrame& frame);

// What stands at the beginning of a frame, for what follows to name by its place.
struct FrameTables {
    struct Head {
        std::string kind;
        std::string user_id;
        bool operator==(const Head&) const = default;
    };
    std::vector<std::string> hosts;  // the first is the frame's, of a page any
    std::vector<Head> heads;
};

// Ids in few bytes: a UUID is 22 characters of base64, the 32 bytes of a hash 43, anything else itself after a `=`;
// nothing is nothing.
[[nodiscard]] std::string packed_id(std::string_view id);
[[nodiscard]] std::optional<std::string> unpacked_id(std::string_view packed);

base::Result<void> read_natural(JsonReader& reader, std::uint64_t& to);
base::Result<void> read_text(JsonReader& reader, std::size_t bytes_max, std::string& to);
base::Result<void> read_clock(JsonReader& reader, model::VectorClock& to);

// Calls `read` for each element of the array that comes next, of which there may be so many.
template <class Read>
base::Result<void> read_list(JsonReader& reader, std::size_t count_max, Read&& read) {
    TRY(reader.begin_array());
    for (std::size_t count = 0;; ++count) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return {};
        if (count == count_max) {
            base::Error error = reader.invalid("has more than " + std::to_string(count_max) + " elements");
            error.code = base::Code::too_large;
            return error;
        }
        TRY(read());
    }
}

// Calls `read` with the name of each member of the object that comes next; it says whether it knows it.
template <class Read>
base::Result<void> read_object(JsonReader& reader, Read&& read) {
    TRY(reader.begin_object());
    std::string_view name;
    for (;;) {
        TRY_ASSIGN(const bool more, reader.next_field(name));
        if (!more) return {};
        TRY_ASSIGN(const bool is_known, read(name));
        if (!is_known) TRY(reader.skip_value());
    }
}

}  // namespace belfry::codec
