#include "tools/arguments.hpp"

#include <gtest/gtest.h>

namespace belfry::tools {
namespace {

Arguments of(std::string_view json) {
    return Arguments(model::JsonView{json});
}

TEST(Arguments, what_is_not_given_is_nothing) {
    const Arguments none = of("{}");
    EXPECT_FALSE(none.has("x"));
    EXPECT_FALSE(none.is_null("x"));
    EXPECT_EQ(none.text("x"), "");
    EXPECT_FALSE(none.flag("x"));
    EXPECT_TRUE(none.flag("x", true));
    EXPECT_FALSE(none.integer("x"));
    EXPECT_FALSE(none.real("x"));
    EXPECT_TRUE(none.texts("x").empty());
    EXPECT_TRUE(none.objects("x").empty());
    EXPECT_EQ(none.time("x").value(), std::nullopt);
}

TEST(Arguments, null_is_not_given_but_can_be_told) {
    const Arguments null = of(R"({"x":null})");
    EXPECT_FALSE(null.has("x"));
    EXPECT_TRUE(null.is_null("x"));
    EXPECT_EQ(null.text("x"), "");
    EXPECT_TRUE(null.flag("x", true));
}

TEST(Arguments, values_are_read_as_their_kind) {
    const Arguments all = of(R"({"t":"a\u00e4\n","f":false,"g":true,"i":90,"j":1e3,"r":0.5,"l":["a","b"]})");
    EXPECT_EQ(all.text("t"), "aä\n");
    EXPECT_FALSE(all.flag("f", true));
    EXPECT_TRUE(all.flag("g"));
    EXPECT_EQ(all.integer("i"), 90);
    EXPECT_EQ(all.integer("j"), 1000);
    EXPECT_EQ(all.real("r"), 0.5);
    EXPECT_EQ(all.texts("l"), (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(all.has("f"));
}

TEST(Arguments, objects_know_where_they_stand) {
    const Arguments all = of(R"({"upserts":[{"a":"x"},{"a":"y","inner":[{}]}]})");
    const auto upserts = all.objects("upserts");
    ASSERT_EQ(upserts.size(), 2U);
    EXPECT_EQ(upserts[1].text("a"), "y");
    EXPECT_EQ(all.place_of("upserts"), "upserts");
    EXPECT_EQ(upserts[1].place_of("a"), "upserts[1].a");
    EXPECT_EQ(upserts[1].objects("inner")[0].place_of("b"), "upserts[1].inner[0].b");
    const base::Error why = upserts[0].wrong("a", "must be a y");
    EXPECT_EQ(why.field, "upserts[0].a");
    EXPECT_EQ(why.message, "must be a y");
    EXPECT_EQ(why.reason, "invalid_arguments");
    EXPECT_EQ(why.code, base::Code::invalid);
}

TEST(Arguments, a_time_has_its_zone) {
    const Arguments all = of(R"({"good":"2026-02-17T16:00:00-05:00","bad":"2026-02-17T16:00:00","none":null})");
    EXPECT_EQ(all.required_time("good").value(), *base::parse_timestamp("2026-02-17T21:00:00Z"));
    EXPECT_EQ(all.time("good").value(), *base::parse_timestamp("2026-02-17T21:00:00Z"));
    EXPECT_EQ(all.time("bad").error().field, "bad");
    EXPECT_EQ(all.time("none").value(), std::nullopt);
    EXPECT_EQ(all.required_time("none").error().message, "must be given");
}

}  // namespace
}  // namespace belfry::tools
