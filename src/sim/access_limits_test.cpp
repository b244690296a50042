#include "ports/commands/access.hpp"
#include "ports/commands/erasure.hpp"
#include "sim/delivery_world_test.hpp"

// Rejections of access tokens and of erasures, through the real engine and the real store.
namespace belfry::sim {
namespace {

class AccessLimits : public DeliveryProtocol {
protected:
    static std::unique_ptr<ports::MintToken> one_more() {
        auto command = std::make_unique<ports::MintToken>();
        command->name = "one more";
        return command;
    }
    static std::unique_ptr<ports::EraseUser> erasure_of(std::string user) {
        auto command = std::make_unique<ports::EraseUser>();
        command->user_id = std::move(user);
        return command;
    }
};

TEST_F(AccessLimits, a_token_beyond_the_limit_is_rejected_until_one_is_revoked) {
    open();
    ASSERT_TRUE(store_->begin().ok());
    model::AccessToken token;
    for (std::size_t i = 0; i < base::limits::access_tokens_max; ++i) {
        token.id = "t" + std::to_string(i);
        ASSERT_TRUE(store_->tokens().put(token).ok());
    }
    ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    crash();
    const auto rejected = try_(one_more());
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::too_large);
    EXPECT_EQ(rejected.error().message, "there are 10000 access tokens already; revoke some first");
    auto revoke = std::make_unique<ports::RevokeToken>();
    revoke->token_id = "t7";
    ask(std::move(revoke));
    EXPECT_TRUE(try_(one_more()).ok());
}

TEST_F(AccessLimits, only_an_administrator_erases_a_user_that_has_a_name) {
    open();
    const std::string longest(base::limits::scope_id_bytes_max, 'a');
    for (const std::string& name : {std::string(), longest + 'a'}) {
        const auto rejected = try_(erasure_of(name));
        ASSERT_FALSE(rejected.ok());
        EXPECT_EQ(rejected.error().code, base::Code::invalid);
        EXPECT_EQ(rejected.error().field, "user_id");
    }
    EXPECT_EQ(try_(erasure_of("ada"), user("ada")).error().code, base::Code::forbidden);
    EXPECT_TRUE(engine_->tend(now_).owed.empty()) << "nothing is erased";
    EXPECT_TRUE(try_(erasure_of(longest)).ok());
    EXPECT_EQ(engine_->tend(now_).owed.size(), 1U);
}

}  // namespace
}  // namespace belfry::sim
