#include "rules/effect_id.hpp"

#include <gtest/gtest.h>
#include <set>

namespace belfry::rules {
namespace {

// Stored and exchanged between devices: a red line here is a change that breaks both.
TEST(EffectIds, are_what_they_always_were) {
    const auto text = [](const base::Uuid& id) { return base::format_uuid(id); };
    EXPECT_EQ(text(action_message_id("coach", "o1")), "b3b3b09b-44ec-851a-a974-92cc03424f5a");
    EXPECT_EQ(text(result_message_id("coach", "o1")), "e7ba26ca-aad4-848f-aaa3-6450fd2a154b");
    EXPECT_EQ(text(made_record_id("ada", "coach", "o1", 0)), "5fd0a0d8-abdf-86a6-ac61-327e9a8e27d9");
    EXPECT_EQ(text(told_notification_id("coach", "o1")), "650f360b-3a90-8242-9c53-513b06652002");
    EXPECT_EQ(text(outside_call_key("coach", "o1")), "03b407dd-b4d8-80d1-a9b6-1583ecf83adb");
    EXPECT_EQ(text(message_content_id(action_message_id("coach", "o1"))), "07664e9e-c53b-85e2-b218-7a347dfad2e8");
}

TEST(EffectIds, of_one_operation_and_of_two_are_all_different) {
    std::set<base::Uuid> ids;
    std::size_t made = 0;
    for (const char* const agent : {"a", "ab"}) {
        for (const char* const operation : {"bc", "c"}) {
            const base::Uuid action = action_message_id(agent, operation);
            for (const base::Uuid& id :
                 {action, result_message_id(agent, operation), made_record_id("ada", agent, operation, 0),
                  made_record_id("ada", agent, operation, 1), made_record_id("bob", agent, operation, 0),
                  told_notification_id(agent, operation), outside_call_key(agent, operation),
                  message_content_id(action)}) {
                ids.insert(id);
                ++made;
                EXPECT_EQ(base::format_uuid(id).at(14), '8');
                EXPECT_NE(std::string("89ab").find(base::format_uuid(id).at(19)), std::string::npos);
            }
        }
    }
    EXPECT_EQ(ids.size(), made) << "two parts that run together are two keys";
}

}  // namespace
}  // namespace belfry::rules
