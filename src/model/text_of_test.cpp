#include "model/text_of.hpp"

#include <gtest/gtest.h>

namespace belfry::model {
namespace {

std::string text(const char* json) {
    return text_of(JsonView{json});
}

TEST(TextOf, is_a_text_or_the_text_parts_of_a_list) {
    EXPECT_EQ(text(R"("Hello\n")"), "Hello\n");
    EXPECT_EQ(text(R"([{"type":"text","text":"Two"},{"type":"text","text":"lines"}])"), "Two\nlines");
    EXPECT_EQ(text(R"([{"type":"binary","mimeType":"image/png","data":"AA=="},{"text":"Look!"}])"), "Look!");
    EXPECT_EQ(text(R"([{"type":"binary","text":"no text part"},{"type":"text","text":7},{"type":"text"}])"), "");
}

// A list of records is data: its other members would be lost.
TEST(TextOf, is_empty_for_anything_else) {
    for (const char* const json :
         {R"({"text":"Hello"})", "[]", "7", "null", R"(["Hello"])", R"([{"type":"text","text":"a"},"b"])",
          R"([{"author":"Bob","text":"Hi"}])", R"([{"type":1,"text":"a"}])"}) {
        EXPECT_EQ(text(json), "") << json;
    }
}

}  // namespace
}  // namespace belfry::model
