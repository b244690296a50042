#include "net/stored_answer.hpp"

#include <gtest/gtest.h>

namespace belfry::net {
namespace {

TEST(StoredAnswer, is_read_back_with_the_mark_of_a_repeat) {
    for (const Answer& answer : {Answer{201, "application/json", "{\"a\":\"\\n\"}", {}}, Answer{204, "", "", {}},
                                 Answer{202, "application/json", "1\n2\n3", "Location: /x\r\nA: b\r\n"}}) {
        const std::string stored = write_stored_answer(answer);
        std::string fields;
        const auto read = read_stored_answer(stored, fields);
        ASSERT_TRUE(read.ok());
        EXPECT_EQ(read->status, answer.status);
        EXPECT_EQ(read->content_type, answer.content_type);
        EXPECT_EQ(read->body, answer.body);
        EXPECT_EQ(read->extra_fields, std::string(answer.extra_fields) + "Idempotent-Replayed: true\r\n");
    }
}

TEST(StoredAnswer, that_is_damaged_is_an_error) {
    for (const char* stored :
         {"", "x", "200\n", "200\ntext/plain\n", "200\ntext/plain\n9\nshort", "200\ntext/plain\n-1\n"}) {
        std::string fields;
        EXPECT_FALSE(read_stored_answer(stored, fields).ok()) << stored;
    }
}

}  // namespace
}  // namespace belfry::net
