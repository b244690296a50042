#include "codec/schedule_json.hpp"

#include <gtest/gtest.h>

namespace belfry::codec {
namespace {

std::string written(const model::Schedule& schedule) {
    std::string json;
    model::JsonWriter writer(json);
    write_schedule(writer, schedule);
    return json;
}

TEST(ScheduleJson, has_the_kind_and_what_it_has) {
    EXPECT_EQ(written({model::AtInstant{{0}}, ""}), R"({"kind":"at","at":"1970-01-01T00:00:00Z"})");
    EXPECT_EQ(written({model::EveryInterval{base::minutes(90), {0}}, ""}),
              R"({"kind":"every","interval":"90m","anchor":"1970-01-01T00:00:00Z"})");
    EXPECT_EQ(written({model::Daily{{7, 5}}, "UTC"}), R"({"kind":"daily","time":"07:05"})");
    EXPECT_EQ(written({model::Weekly{0b1000011, {18, 30}}, "UTC"}),
              R"({"kind":"weekly","days":["mon","sat","sun"],"time":"18:30"})");
    EXPECT_EQ(written({model::Cron{"0 7 * * \"", {}}, "UTC"}), R"({"kind":"cron","cron":"0 7 * * \""})");
}

}  // namespace
}  // namespace belfry::codec
