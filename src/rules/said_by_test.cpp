#include "rules/said_by.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

std::string stamped(const std::string& metadata) {
    model::Principal who;
    who.id = "token:1";
    who.role = model::Role::agent;
    return said_by(who, model::RawJson::trusted(metadata)).bytes();
}

TEST(SaidBy, adds_who_spoke) {
    EXPECT_EQ(stamped("{}"), R"({"by":"token:1","role":"agent"})");
    EXPECT_EQ(stamped(R"({"a":[1,{"by":2}],"é\"":"x"})"),
              R"({"a":[1,{"by":2}],"é\"":"x","by":"token:1","role":"agent"})");
}

TEST(SaidBy, takes_nobodys_own_word_for_it_however_it_is_written) {
    EXPECT_EQ(stamped(R"({"by":"token:of-ada","role":"user"})"), stamped("{}"));
    EXPECT_EQ(stamped(R"({"by":1,"by":2,"\u0062y":3,"r\u006fle":{"x":"}"}})"), stamped("{}"));
}

}  // namespace
}  // namespace belfry::rules
