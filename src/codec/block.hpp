#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/log.hpp"

// The stored layout of a block: its entries one after another, each as
//   stream, sequence (varints) · severity (one byte) · type, user, session, body (varint length, then the bytes).
// An erased entry has `erased_mark` in the place of its severity and zeros in the place of its texts: it is as long as
// it was, so that erasing moves nothing on the disk. A sealed block ends with a checksum of what stands before it.
namespace belfry::codec {

void append_block_entry(std::string& out, model::StreamId stream, model::Sequence sequence, const model::Facets& facets,
                        std::string_view body);
void seal_block(std::string& out);

// Takes the bytes over and finds the entries in them. `malformed` where they are not a sealed block.
base::Result<std::shared_ptr<model::Block>> read_block(std::string bytes);

// Empties the entries of this user in the bytes of a sealed block, in place, and seals it anew; how many there were.
base::Result<std::uint64_t> erase_user(std::string& bytes, std::string_view user_id);
// The same in the bytes of a block that is not sealed yet.
base::Result<std::uint64_t> erase_entries(std::string& bytes, std::string_view user_id);

// What a block holds of each stream: (stream, first sequence, count), stored beside it so that the log can be indexed
// without reading it.
struct BlockShare {
    model::StreamId stream = 0;
    model::Sequence first = 0;
    std::uint64_t count = 0;
};
std::string write_directory(const std::vector<BlockShare>& shares);
base::Result<std::vector<BlockShare>> read_directory(std::string_view bytes);

// Unsigned numbers in seven bits a byte, least first.
void append_varint(std::string& out, std::uint64_t value);
bool take_varint(std::string_view& in, std::uint64_t& value);

}  // namespace belfry::codec
