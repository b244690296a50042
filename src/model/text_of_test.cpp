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
    EXPECT_EQ(text(R"([{"type":"input_text","text":"Any"},{"text":"part","id":1},{"type":"text","text":7}])"),
              "Any\npart");
    EXPECT_EQ(text(R"([{"type":"text"},{"type":"text","text":7}])"), "");
}

// A list of records is data: its other members would be lost.
TEST(TextOf, is_empty_for_anything_else) {
    for (const char* const json :
         {R"({"text":"Hello"})", "[]", "7", "null", R"(["Hello"])", R"([{"type":"text","text":"a"},"b"])",
          R"([{"author":"Bob","text":"Hi"}])", R"([{"text":"Hi"},{"author":"Bob","text":"Hi"}])",
          R"([{"type":1,"text":"a"}])", R"([{"type":"text","text":"a"},{"id":1}])"}) {
        EXPECT_EQ(text(json), "") << json;
    }
}

}  // namespace
}  // namespace belfry::model
