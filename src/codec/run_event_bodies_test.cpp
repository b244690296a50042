#include "codec/run_event_bodies.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::codec {
namespace {

base::Result<model::RunEvents> read(std::string_view body, std::string_view type = "application/json",
                                    std::size_t* line = nullptr) {
    std::size_t at = 0;
    auto events = read_run_events(type, body, at);
    if (line != nullptr) *line = at;
    return events;
}

TEST(RunEventBodies, of_one_event_have_all_its_members) {
    const auto events =
        read(R"({"event":"llm.stream","data":{ "delta" : " \n" },"source":{"agent_id":"w","agent_type":"worker",)"
             R"("agent_name":"W","team_name":"t"},"id":"018f0000-0000-7000-8000-000000000001",)"
             R"("timestamp":"1970-01-01T00:00:01Z"})");
    ASSERT_TRUE(events.ok()) << events.error().message;
    ASSERT_EQ(events->drafts.size(), 1U);
    const model::RunEventDraft& draft = events->drafts[0];
    EXPECT_EQ(draft.event.in(events->text), "llm.stream");
    EXPECT_EQ(draft.data.in(events->text), R"({"delta":" \n"})");
    EXPECT_EQ(draft.source.in(events->text),
              R"({"agent_id":"w","agent_type":"worker","agent_name":"W","team_name":"t"})");
    EXPECT_TRUE(draft.id);
    EXPECT_EQ(draft.timestamp->us, 1'000'000);
}

TEST(RunEventBodies, need_only_a_name_and_take_any_data) {
    for (const auto& [body, data] : {std::pair{R"({"event":"a.b"})", "{}"},
                                     {R"({"event":"a.b","data":null})", "null"},
                                     {R"({"data":"x","event":"a.b"})", R"("x")"},
                                     {R"({"event":"a.b","data":[1]})", "[1]"}}) {
        const auto events = read(body);
        ASSERT_TRUE(events.ok()) << body << events.error().message;
        EXPECT_EQ(events->drafts[0].data.in(events->text), data);
        EXPECT_EQ(events->drafts[0].source.size, 0U);
    }
}

TEST(RunEventBodies, are_refused_as_a_whole_with_the_place_of_what_is_wrong) {
    const struct {
        const char* body;
        const char* field;
    } table[] = {{R"({"data":1})", "event"},
                 {R"({"event":"x"})", "event"},
                 {R"({"event":7})", "event"},
                 {R"([{"event":"a.b"},{"event":"a.b","id":"x"}])", "[1].id"},
                 {R"([{"event":"a.b","source":{"agent_type":"worker"}}])", "[0].source"},
                 {R"({"event":"a.b","source":{"agent_type":"boss"}})", "source.agent_type"},
                 {R"({"event":"a.b","timestamp":"yesterday"})", "timestamp"},
                 {R"({"event":"a.b","extra":1})", "extra"}};
    for (const auto& [body, field] : table) {
        const auto events = read(body);
        ASSERT_FALSE(events.ok()) << body;
        EXPECT_EQ(events.error().code, base::Code::invalid) << body;
        EXPECT_EQ(events.error().field.substr(0, std::string_view(field).size()), field) << body;
    }
    EXPECT_EQ(read("[]").error().code, base::Code::invalid);
    EXPECT_EQ(read("7").error().code, base::Code::invalid);
    EXPECT_EQ(read("{").error().code, base::Code::malformed);
    EXPECT_EQ(read("{}", "text/plain").error().code, base::Code::unsupported);
}

TEST(RunEventBodies, of_lines_tell_the_line) {
    std::size_t line = 9;
    const auto good = read("{\"event\":\"a.b\"}\n\r\n{\"event\":\"c.d\",\"data\":1}", "application/x-ndjson", &line);
    ASSERT_TRUE(good.ok());
    EXPECT_EQ(line, 0U);
    EXPECT_EQ(good->drafts.size(), 2U);
    EXPECT_EQ(good->drafts[1].event.in(good->text), "c.d");
    const auto bad = read("{\"event\":\"a.b\"}\n\n{\"event\":\"bad\"}\n", "application/x-ndjson; charset=utf-8", &line);
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(line, 3U);
}

TEST(RunEventBodies, have_limits_that_they_name) {
    const std::string long_event =
        R"({"event":"a.b","data":")" + std::string(base::limits::run_event_bytes_max, 'x') + "\"}";
    const auto too_long = read(long_event);
    ASSERT_FALSE(too_long.ok());
    EXPECT_EQ(too_long.error().code, base::Code::too_large);
    EXPECT_NE(too_long.error().message.find("1048576"), std::string::npos);
    std::string many = "[";
    for (std::size_t i = 0; i <= base::limits::run_event_batch_max; ++i) many += R"({"event":"a.b"},)";
    many.back() = ']';
    EXPECT_EQ(read(many).error().code, base::Code::too_large);
}

}  // namespace
}  // namespace belfry::codec
