#include "net/encoded_blocks.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::net {
namespace {

model::SharedBlock block_of(const std::vector<std::string>& bodies) {
    auto block = std::make_shared<model::Block>();
    for (const std::string& body : bodies) block->bytes += body;
    std::size_t at = 0;
    for (const std::string& body : bodies) {
        model::LogEntry entry;
        entry.sequence = block->entries.size() + 1;
        entry.body = std::string_view(block->bytes).substr(at, body.size());
        at += body.size();
        block->entries.push_back(entry);
    }
    return block;
}

TEST(EncodedBlocks, gives_any_run_of_entries_as_one_piece) {
    EncodedBlocks blocks(StreamFormat::sse);
    const auto encoded = blocks.get(block_of({"{\"a\":1}", "", "{}"}));
    EXPECT_EQ(encoded->entries(1, 2),
              "id: 2\ndata: {\"sequence\":2,\"erased\":true}\n\nid: 3\ndata: {\"sequence\":3,\"event\":{}}\n\n");
    EXPECT_EQ(encoded->entries(0, 3), encoded->bytes);
}

TEST(EncodedBlocks, encodes_a_block_once) {
    EncodedBlocks blocks(StreamFormat::sse);
    const auto block = block_of({"{}"});
    const auto first = blocks.get(block);
    EXPECT_EQ(blocks.get(block), first);
}

TEST(EncodedBlocks, keeps_no_more_than_its_bound_and_nothing_that_is_not_asked_for) {
    EncodedBlocks blocks(StreamFormat::sse);
    const std::string body = "\"" + std::string(1 << 20, 'x') + "\"";
    const auto held = blocks.get(block_of({body}));
    for (int i = 0; i < 40; ++i) blocks.get(block_of({body}));
    EXPECT_LE(blocks.bytes(), base::limits::stream_encoded_bytes_max);
    EXPECT_GT(blocks.bytes(), base::limits::stream_encoded_bytes_max / 2);
    EXPECT_EQ(held->bytes.size(), body.size() + 37);
    blocks.sweep();
    const auto kept = block_of({"{}"});
    blocks.get(kept);
    blocks.sweep();
    EXPECT_LT(blocks.bytes(), 100U);
    blocks.sweep();
    EXPECT_EQ(blocks.bytes(), 0U);
}

}  // namespace
}  // namespace belfry::net
