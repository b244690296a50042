#include "model/raw_json.hpp"

#include <gtest/gtest.h>

#include "model/event.hpp"

namespace belfry::model {
namespace {

TEST(RawJson, finds_members_without_a_tree) {
    const RawJson json =
        RawJson::trusted(R"({ "a" : [1,{"a":2}] , "b\u0063" : "x\n\u00e9\ud83d\ude00" , "a" : -3.5e2 })");
    EXPECT_EQ(json.member("a")->text, "-3.5e2") << "the last of two wins";
    EXPECT_EQ(json.member("bc")->as_text(), "x\n\xc3\xa9\xf0\x9f\x98\x80");
    EXPECT_FALSE(json.member("missing"));
    const auto quoted = RawJson::trusted(R"({"\\\"":1,"\"":2})");
    EXPECT_EQ(quoted.member(R"(\")")->text, "1") << "a name is what its escapes stand for";
    EXPECT_EQ(quoted.member("\"")->text, "2");
    EXPECT_EQ(RawJson().bytes(), "{}");
}

TEST(RawJson, walks_an_array) {
    JsonWalker walker(JsonView{R"([ "a,]" , [ ] , {} , null,true ])"});
    std::vector<std::string> seen;
    while (const auto element = walker.next()) seen.emplace_back(element->text);
    EXPECT_EQ(seen, (std::vector<std::string>{"\"a,]\"", "[ ]", "{}", "null", "true"}));
    JsonWalker empty(JsonView{"[ ]"});
    EXPECT_FALSE(empty.next());
}

TEST(JsonWriter, places_commas_and_escapes) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object().field("a\"", "b\\\n\x01").name("n").begin_array().number(-1).boolean(true).null().end_array();
    writer.name("r").real(0.1).name("o").begin_object().end_object().end_object();
    EXPECT_EQ(out, R"({"a\"":"b\\\n\u0001","n":[-1,true,null],"r":0.1,"o":{}})");
}

TEST(JsonWriter, escapes_what_it_must_wherever_it_stands) {
    for (std::size_t length = 1; length < 20; ++length) {
        for (std::size_t at = 0; at < length; ++at) {
            for (int c = 0; c < 256; ++c) {
                std::string text(length, '~');
                text[at] = static_cast<char>(c);
                std::string written;
                append_escaped(written, text);
                const bool must = c < 0x20 || c == '"' || c == '\\';
                ASSERT_EQ(written.size() > length, must) << c << " at " << at << " of " << length;
                if (must) {
                    const std::string quoted = '"' + written + '"';
                    ASSERT_EQ(JsonView{quoted}.as_text(), text);
                } else {
                    ASSERT_EQ(written, text);
                }
            }
        }
    }
}

TEST(EventJson, is_one_line_with_only_what_is_set) {
    Event event;
    event.type = "a.b";
    event.source = "s\"\n";
    event.severity = Severity::info;
    event.timestamp = base::Timestamp{0};
    event.payload = RawJson::trusted(R"({"x":1.0})");
    event.extensions = R"("later":[1])";
    event.tokens = {"TASK"};
    std::string out;
    append_event_json(out, event);
    EXPECT_EQ(out, R"({"id":"00000000-0000-0000-0000-000000000000","type":"a.b","source":"s\"\n","severity":"info",)"
                   R"("timestamp":"1970-01-01T00:00:00Z","tokens":["TASK"],"later":[1],"payload":{"x":1.0}})");
}

}  // namespace
}  // namespace belfry::model
