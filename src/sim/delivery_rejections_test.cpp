#include "sim/delivery_world_test.hpp"

// Commands of delivery that are rejected before they change anything.
namespace belfry::sim {
namespace {

class DeliveryRejections : public DeliveryProtocol {};

TEST_F(DeliveryRejections, a_notification_says_something_and_no_more_than_fits) {
    open();
    const auto rejected = [&](auto spoil) {
        auto command = draft(Target::agent, Handler::agent);
        spoil(command->draft);
        const auto answer = try_(std::move(command));
        if (answer.ok()) return std::string("ok");
        return std::string(base::code_name(answer.error().code)) + ' ' + answer.error().field;
    };
    EXPECT_EQ(rejected([](Row& row) { row.text.clear(); }), "invalid content");
    const std::size_t most = base::limits::notification_content_bytes_max;
    EXPECT_EQ(rejected([&](Row& row) { row.text = std::string(most + 1, 'x'); }), "too_large text");
    EXPECT_EQ(rejected([&](Row& row) { row.content = std::string(most + 1, 'x'); }), "too_large content");
    EXPECT_TRUE(pull().items.empty());
    EXPECT_EQ(rejected([&](Row& row) { row.content = std::string(most, 'x'); }), "ok");
}

TEST_F(DeliveryRejections, the_end_of_a_turn_acknowledges_no_content_that_has_changed) {
    open();
    ask(put("ada"));
    start();
    const Row one = emit_keyed("k", Target::agent, Handler::agent);
    const ports::PullReply pulled = pull();
    const std::string handle = pulled.items.at(0).handle;
    auto update = draft(Target::agent, Handler::agent);
    update->draft.deduplication_key = "k";
    update->draft.text = "the matter has changed";
    update->lease = 1;
    ASSERT_EQ(ask(std::move(update)).notification.version, 2);
    const auto rejected = try_(end_of(pulled, {{handle, 1, 1}}));
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::conflict);
    EXPECT_EQ(rejected.error().reason, "stale_version");
    EXPECT_EQ(row(one).state, DeliveryState::locked);
    ask(end_of(pulled, {{handle, 1, 2}}));
    EXPECT_EQ(row(one).state, DeliveryState::delivered);
}

TEST_F(DeliveryRejections, the_rest_of_an_inbox_is_for_its_user_only) {
    open();
    const auto go_on = [&](const model::Principal& who) {
        auto command = std::make_unique<ports::ContinueInbox>();
        command->user_id = "ada";
        return try_(std::move(command), who);
    };
    const auto rejected = go_on(user("bob"));
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::forbidden);
    EXPECT_EQ(rejected.error().field, "user_id");
    EXPECT_TRUE(go_on(user("ada")).ok());
}

TEST_F(DeliveryRejections, a_session_has_an_id_of_a_bounded_length) {
    open();
    const auto begin = [&](const std::string& session) {
        auto command = turn(ports::TurnEdge::start);
        command->session_id = session;
        return try_(std::move(command));
    };
    const std::string longest(base::limits::scope_id_bytes_max, 's');
    for (const std::string& session : {std::string(), longest + 's'}) {
        const auto rejected = begin(session);
        ASSERT_FALSE(rejected.ok());
        EXPECT_EQ(rejected.error().code, base::Code::invalid);
        EXPECT_EQ(rejected.error().field, "id");
        EXPECT_EQ(rejected.error().message, "a session's id has 1 to 200 bytes");
    }
    EXPECT_TRUE(begin(longest).ok());
}

}  // namespace
}  // namespace belfry::sim
