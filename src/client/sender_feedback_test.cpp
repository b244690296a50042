#include <algorithm>

#include "client/sending_test.hpp"

// What those hear who wait, and those who are called back.
namespace belfry::client {
namespace {

TEST_F(Sending, whoever_comes_while_the_line_is_lost_is_told_at_once) {
    Sender sender(options, clock);
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    ASSERT_EQ(clock.sleeps_until(), start + milliseconds(100));
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    EXPECT_TRUE(eventually([this] { return outcomes.said().size() == 2; }));
    EXPECT_EQ(clock.now(), start);
    ASSERT_TRUE(pass_until_done(2));
    EXPECT_EQ(std::ranges::count(outcomes.said(), "Connection lost, retrying..."), 2);
}

TEST_F(Sending, nobody_is_told_of_a_loss_that_is_over) {
    Sender sender(options, clock);
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    ASSERT_TRUE(pass_until_done(1));
    ASSERT_EQ(outcomes.said().size(), 2U);  // retrying, failed
    std::vector<std::string> bodies;
    const ScriptedServer server({answering(bodies, 1)}, path);
    EXPECT_TRUE(sender.send(message()).ok());
    EXPECT_EQ(outcomes.said().size(), 2U);
}

TEST_F(Sending, a_server_that_says_nothing_is_told_like_a_lost_one) {
    const ScriptedServer server({[this](ServedConnection& connection) {
                                    for (int i = 0; i < 2; ++i) {
                                        const std::string request = connection.request();
                                        EXPECT_TRUE(eventually([this] { return outcomes.said().size() == 2; }));
                                        give_receipt(connection, request);
                                    }
                                }},
                                path);
    options.silence_max = milliseconds(20);
    options.attempt_time_max = seconds(30);
    Sender sender(options, clock);
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    ASSERT_TRUE(pass_until_done(2));
    for (const auto& outcome : outcomes.all) EXPECT_TRUE(outcome.ok());
    EXPECT_EQ(outcomes.said(), std::vector<std::string>(2, "Connection lost, retrying..."));
}

TEST_F(Sending, a_message_is_dated_by_the_clock_on_the_wall) {
    std::vector<std::string> bodies;
    const ScriptedServer server({answering(bodies, 2)}, path);
    Sender sender(options, clock);
    EXPECT_TRUE(sender.send(message()).ok());
    clock.sleep(base::hours(30));
    EXPECT_TRUE(sender.send(message()).ok());
    ASSERT_EQ(bodies.size(), 2U);
    EXPECT_NE(bodies[0].find("2026-11-14T12:00:00Z"), std::string::npos);
    EXPECT_NE(bodies[1].find("2026-11-15T18:00:00Z"), std::string::npos);
}

TEST_F(Sending, nobody_has_to_care_what_became_of_it) {
    std::vector<std::string> bodies;
    const ScriptedServer server({answering(bodies, 2)}, path);
    Sender sender(options, clock);
    ASSERT_TRUE(sender.submit(message(), {}).ok());
    EXPECT_TRUE(sender.send(message()).ok());
    EXPECT_EQ(bodies.size(), 2U);
}

TEST_F(Sending, a_callback_may_submit_but_not_wait_for_itself) {
    std::vector<std::string> bodies;
    const ScriptedServer server({answering(bodies, 2)}, path);
    Sender sender(options, clock);
    base::Code waiting = base::Code::internal;
    ASSERT_TRUE(sender
                    .submit(message(),
                            [&](const auto&) {
                                waiting = sender.send(message()).error().code;
                                EXPECT_TRUE(sender.submit(message(), outcomes.taker()).ok());
                            })
                    .ok());
    ASSERT_TRUE(pass_until_done(1));
    EXPECT_EQ(waiting, base::Code::invalid);
    EXPECT_TRUE(outcomes.all[0].ok());
}

TEST_F(Sending, a_token_that_is_not_taken_is_the_servers_own_word) {
    const auto refusing = [](const std::string& error) {
        return [error](ServedConnection& connection) {
            connection.request();
            connection.send(framed(R"({"jsonrpc":"2.0","id":"authenticate","error":{)" + error + "}}"));
        };
    };
    std::vector<std::string> bodies;
    const ScriptedServer server({refusing(R"("code":-32003,"message":"an emitter may not")"),
                                 refusing(R"("code":-32000,"message":"slowly","data":{"retry_after_ms":700})"),
                                 refusing(R"("code":-32004,"message":"the store is down")"), answering(bodies, 2)});
    options.server.endpoint = server.endpoint();
    options.server.token = "bf_x";
    Sender sender(options, clock);
    EXPECT_EQ(sender.send(message()).error().code, base::Code::forbidden);
    EXPECT_EQ(sender.send(message()).error().code, base::Code::rate_limited);
    EXPECT_EQ(sender.retry_after(), milliseconds(700));
    ASSERT_TRUE(sender.submit(message(), outcomes.taker()).ok());
    ASSERT_TRUE(pass_until_done(1));  // tried again
    EXPECT_TRUE(outcomes.all[0].ok());
}

}  // namespace
}  // namespace belfry::client
