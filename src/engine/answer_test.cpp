#include "engine/answer.hpp"

#include <gtest/gtest.h>

namespace belfry::engine {
namespace {

TEST(Answers, are_read_as_they_were_written) {
    const model::EventId id{*base::parse_uuid("018f0000-0000-7000-8000-000000000001")};
    const std::vector<ports::Admission> entries{
        ports::Admission(ports::Admitted{id, 7}),
        ports::Admission(base::error(base::Code::conflict, "taken", "id")),
    };
    const auto read = read_answer(write_answer(entries));
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(read->size(), 2U);
    EXPECT_EQ(*read->at(0), (ports::Admitted{id, 7}));
    EXPECT_EQ(read->at(1).error().code, base::Code::conflict);
    EXPECT_EQ(read->at(1).error().field, "id");
}

TEST(Answers, that_are_damaged_are_rejected) {
    for (const char* const bytes :
         {"", "{}", "[{}]", R"([{"code":3}])", R"([{"code":3,"message":"m"}])",
          R"([{"id":"018f0000-0000-7000-8000-000000000001"}])", R"([{"id":"nobody","sequence":1}])"}) {
        const auto read = read_answer(bytes);
        ASSERT_FALSE(read.ok()) << bytes;
        EXPECT_EQ(read.error().code, base::Code::malformed) << bytes;
    }
}

}  // namespace
}  // namespace belfry::engine
