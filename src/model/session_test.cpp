#include "model/session.hpp"

#include <gtest/gtest.h>

namespace belfry::model {
namespace {

std::string record(std::uint8_t id, std::int64_t ordinal, const std::string& text) {
    SystemMessage message;
    message.ordinal = ordinal;
    message.source = "Belfry";
    message.content = "content of " + text;
    message.text = text;
    message.severity = "info";
    message.notification_id.bytes[15] = id;
    std::string out;
    append_system_message_json(out, message);
    return out;
}

base::Uuid id_of(std::uint8_t id) {
    base::Uuid made;
    made.bytes[15] = id;
    return made;
}

TEST(SystemMessages, get_new_words_where_they_stand) {
    const auto array =
        RawJson::trusted("[" + record(1, 4, "a") + "," + record(2, 5, "b \"quoted\"") + "," + record(3, 6, "c") + "]");
    EXPECT_EQ(with_words(array, id_of(2), NewWords{"content of new", "new", "info"}).bytes(),
              "[" + record(1, 4, "a") + "," + record(2, 5, "new") + "," + record(3, 6, "c") + "]");
    EXPECT_EQ(with_words(array, id_of(2), std::nullopt).bytes(),
              "[" + record(1, 4, "a") + "," + record(3, 6, "c") + "]");
    EXPECT_EQ(with_words(array, id_of(9), std::nullopt), array);
    EXPECT_EQ(with_words(RawJson::trusted("[" + record(1, 4, "a") + "]"), id_of(1), std::nullopt).bytes(), "[]");
}

}  // namespace
}  // namespace belfry::model
