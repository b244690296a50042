#include "codec/toml.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::codec {
namespace {

using base::Code;

TEST(Toml, becomes_flat_keys_with_their_places) {
    auto table = parse_toml(
        "top = 1\n[server]\nhost = \"127.0.0.1\"\nport = 7117\ntls.on = true\n  ratio = 0.5\n[server.more]\n"
        "hosts = [\"a\", 'b']\n[empty]\n",
        "belfry.toml");
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(std::get<std::int64_t>(table->find("top")->value), 1);
    EXPECT_EQ(std::get<std::string>(table->find("server.host")->value), "127.0.0.1");
    EXPECT_EQ(std::get<std::int64_t>(table->find("server.port")->value), 7117);
    EXPECT_TRUE(std::get<bool>(table->find("server.tls.on")->value));
    EXPECT_EQ(std::get<double>(table->find("server.ratio")->value), 0.5);
    EXPECT_EQ(std::get<std::vector<std::string>>(table->find("server.more.hosts")->value),
              (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(table->find("server"), nullptr);
    EXPECT_EQ(table->find("server.ratio")->line, 6U);
    EXPECT_EQ(table->find("server.ratio")->column, 11U);
    std::vector<std::string> tables;
    for (const TomlName& name : table->tables) tables.push_back(name.key + ':' + std::to_string(name.line));
    EXPECT_EQ(tables, (std::vector<std::string>{"empty:9", "server:2", "server.more:7", "server.tls:5"}));
}

TEST(Toml, keeps_keys_with_dots_inside_apart) {
    auto table = parse_toml("\"a.b\" = 1\na.b = 2\n\"\" = 3\n", "f");
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(std::get<std::int64_t>(table->find("\"a.b\"")->value), 1);
    EXPECT_EQ(std::get<std::int64_t>(table->find("a.b")->value), 2);
    EXPECT_EQ(std::get<std::int64_t>(table->find("\"\"")->value), 3);
}

TEST(Toml, says_where_a_file_is_broken) {
    auto table = parse_toml("[server]\nport = = 1\n", "dir/belfry.toml");
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().code, Code::malformed);
    EXPECT_EQ(table.error().message.substr(0, 20), "dir/belfry.toml:2:8:") << table.error().message;
    EXPECT_FALSE(parse_toml("a = 1\na = 2\n", "f").ok());
    EXPECT_EQ(parse_toml("[~a]\n", "f").error().message.substr(0, 6), "f:1:2:");
    EXPECT_FALSE(parse_toml("a = \"\xFF\"\n", "f").ok());
}

TEST(Toml, takes_letters_beyond_ascii_in_strings_and_comments_only) {
    auto table = parse_toml("a = \"\xC3\xA4\" # \xEF\xB2\xBF\nb = \"\"\"\\\n  \xC3\xA4\"\"\"\n", "f");
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(std::get<std::string>(table->find("b")->value), "\xC3\xA4");
    EXPECT_FALSE(parse_toml("a = \xC3\xA4", "f").ok());
    EXPECT_FALSE(parse_toml("a = 2.\xEF\xB2\xBF", "f").ok());
    EXPECT_FALSE(parse_toml("\xC3\xA4 = 2", "f").ok());
}

TEST(Toml, refuses_kinds_of_values_that_nobody_reads) {
    for (const char* text : {"a.b = 2026-01-01", "a.b = 10:00:00", "a.b = 2026-01-01T00:00:00Z", "a.b = [1]",
                             "a.b = [[\"x\"]]", "[[a.b]]\nx = 1"}) {
        auto table = parse_toml(text, "f");
        ASSERT_FALSE(table.ok()) << text;
        EXPECT_EQ(table.error().code, Code::invalid) << text;
        EXPECT_EQ(table.error().field, "a.b");
        EXPECT_EQ(table.error().message.substr(0, 4), "f:1:");
    }
}

TEST(Toml, allows_the_depth_of_the_limit_and_no_more) {
    std::string key = "a";
    for (std::size_t i = 0; i < base::limits::toml_depth_max; ++i) key += ".a";
    EXPECT_TRUE(parse_toml(key + " = 1", "f").ok());
    EXPECT_FALSE(parse_toml(key + ".a = 1", "f").ok());
}

TEST(Toml, survives_hostile_depth) {
    EXPECT_FALSE(parse_toml("a = " + std::string(60000, '['), "f").ok());
    std::string key = "a";
    for (int i = 0; i < 20000; ++i) key += ".a";
    EXPECT_EQ(parse_toml(key + " = 1", "f").error().code, Code::invalid);
    EXPECT_EQ(parse_toml("a = '" + std::string(base::limits::toml_bytes_max, 'x') + "'", "f").error().code,
              Code::too_large);
    std::string inline_tables;
    for (int i = 0; i < 20000; ++i) inline_tables += "a = { ";
    inline_tables.resize(60000);
    EXPECT_FALSE(parse_toml(inline_tables, "f").ok());
}

}  // namespace
}  // namespace belfry::codec
