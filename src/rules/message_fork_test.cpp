#include "rules/message_fork.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

base::Uuid id_of(std::uint8_t last) {
    base::Uuid id;
    id.bytes[15] = last;
    return id;
}

model::AgentMessage said(std::uint8_t id, std::int64_t at, std::optional<std::uint8_t> after = {}) {
    model::AgentMessage message;
    message.id = id_of(id);
    message.created_at = {at};
    if (after) message.prev_message_id = id_of(*after);
    return message;
}

TEST(MessageFork, a_message_after_two_ends_comes_after_the_newest_and_names_the_other_in_any_order) {
    model::AgentMessage one = said(9, 30);
    one.metadata.extension = model::RawJson::trusted(R"({"acme.x":1})");
    model::AgentMessage same = one;
    put_after(one, {said(1, 10), said(2, 20)});
    put_after(same, {said(2, 20), said(1, 10)});
    EXPECT_EQ(one, same);
    EXPECT_EQ(one.prev_message_id, id_of(2));
    EXPECT_EQ(also_after(one), std::vector<base::Uuid>{id_of(1)});
    EXPECT_EQ(given_extension(one).bytes(), R"({"acme.x":1})");
}

TEST(MessageFork, one_end_leaves_no_trace) {
    model::AgentMessage message = said(9, 30);
    put_after(message, {said(2, 20)});
    EXPECT_EQ(message.prev_message_id, id_of(2));
    EXPECT_EQ(message.metadata.extension, model::RawJson());
    EXPECT_TRUE(also_after(message).empty());
}

TEST(MessageFork, ends_are_the_same_in_whatever_order_messages_come) {
    model::AgentMessage healed = said(5, 50);
    put_after(healed, {said(3, 20, 1), said(4, 30, 1)});
    std::vector<model::AgentMessage> all{said(1, 10), said(3, 20, 1), said(4, 30, 1), healed, said(6, 60, 4)};
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    do {
        ThreadEnds ends;
        std::vector<base::Uuid> here;
        for (const model::AgentMessage& message : all) {
            ends.add(message, [&](const base::Uuid& id) { return std::ranges::find(here, id) != here.end(); });
            here.push_back(message.id);
        }
        std::ranges::sort(ends.ends);
        EXPECT_EQ(ends.ends, (std::vector<base::Uuid>{id_of(5), id_of(6)}));
        EXPECT_TRUE(ends.awaited.empty());
    } while (std::next_permutation(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; }));
}

}  // namespace
}  // namespace belfry::rules
