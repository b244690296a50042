#include <memory>
#include <string>

#include "ports/commands/notifications.hpp"
#include "sim/delivery_world_test.hpp"

// Which subscribers are switched off for a user.
namespace belfry::sim {
namespace {

using Settings = DeliveryProtocol;

TEST_F(Settings, are_kept_for_users_with_a_name_that_fits) {
    open();
    const auto settings_of = [this](const std::string& user_id) {
        auto command = std::make_unique<ports::PutSettings>();
        command->user_id = user_id;
        return try_(std::move(command));
    };
    for (const std::string& user_id : {std::string(), std::string(base::limits::scope_id_bytes_max + 1, 'u')}) {
        const auto rejected = settings_of(user_id);
        ASSERT_FALSE(rejected.ok()) << user_id;
        EXPECT_EQ(rejected.error().field, "user_id");
        EXPECT_EQ(rejected.error().code, base::Code::invalid);
    }
    EXPECT_TRUE(settings_of(std::string(base::limits::scope_id_bytes_max, 'u')).ok());
}

}  // namespace
}  // namespace belfry::sim
