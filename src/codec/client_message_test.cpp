#include "codec/client_message.hpp"

#include <gtest/gtest.h>

namespace belfry::codec {
namespace {

std::string fault(std::string_view params) {
    model::ClientMessage message;
    const auto read = read_client_message(params, message);
    return read.ok() ? "" : read.error().field + ": " + read.error().message;
}

TEST(ClientMessageParams, all_of_it_is_read) {
    model::ClientMessage message;
    ASSERT_TRUE(
        read_client_message(R"({"session_id":"s","message_type":"user_input","timestamp":"2025-12-30T10:30:00Z",)"
                            R"("payload": {"text": "Yes"},"message_id":"018f0000-0000-7000-8000-000000000001"})",
                            message)
            .ok());
    EXPECT_EQ(message.session_id, "s");
    EXPECT_EQ(message.message_type, "user_input");
    EXPECT_EQ(base::format_timestamp(message.timestamp), "2025-12-30T10:30:00Z");
    EXPECT_EQ(message.payload->bytes(), R"({"text":"Yes"})");
    EXPECT_TRUE(message.message_id);
}

TEST(ClientMessageParams, what_is_missing_unknown_or_wrong_is_named) {
    EXPECT_EQ(fault(""), "session_id: session_id must be given");
    EXPECT_EQ(fault(R"({"session_id":"s"})"), "message_type: message_type must be given");
    EXPECT_EQ(fault(R"({"session_id":"s","message_type":"a"})"), "timestamp: timestamp must be given");
    EXPECT_EQ(fault(R"({"session_id":"s","extra":1})"), "extra: extra is not known");
    EXPECT_EQ(fault(R"({"timestamp":"yesterday"})"),
              "timestamp: timestamp must be ISO 8601, such as 2025-12-30T10:30:00Z");
    EXPECT_EQ(fault(R"({"message_id":"x"})"), "message_id: message_id must be a UUID");
    EXPECT_EQ(fault(R"({"session_id":7})").substr(0, 12), "session_id: ");
    EXPECT_EQ(fault("[1]").substr(0, 8), "params: ");
}

TEST(ClientMessageParams, null_is_left_out_and_a_time_without_offset_is_utc) {
    model::ClientMessage message;
    ASSERT_TRUE(
        read_client_message(
            R"({"session_id":"s","message_type":"a","timestamp":"2025-12-30T10:30:00.5","payload":null})", message)
            .ok());
    EXPECT_FALSE(message.payload);
    EXPECT_EQ(base::format_timestamp(message.timestamp), "2025-12-30T10:30:00.500Z");
}

}  // namespace
}  // namespace belfry::codec
