#include <gtest/gtest.h>

#include "cli/template_folder.hpp"
#include "cli/world_test.hpp"
#include "host/files.hpp"

namespace belfry::cli {
namespace {

struct TextCommands : testing::Test {
    World world;

    std::string file(const std::string& name, std::string_view content) {
        const std::string path = world.folder.path() + "/" + name;
        EXPECT_TRUE(host::write_file_atomically(path, content, host::mode_private_file).ok());
        return path;
    }
};

TEST_F(TextCommands, toon_encodes_and_decodes) {
    const std::string json =
        file("a.json", R"({"calls":[{"id":1,"error":"a, b"},{"id":18446744073709551616,"error":null}]})");
    EXPECT_EQ(world.run({"toon", "encode", json}), Exit::ok);
    EXPECT_EQ(world.out, "calls[2]{id,error}:\n  1,\"a, b\"\n  18446744073709551616,null\n");
    const std::string toon = file("a.toon", world.out);
    EXPECT_EQ(world.run({"toon", "decode", toon}), Exit::ok);
    EXPECT_EQ(world.out, R"({"calls":[{"id":1,"error":"a, b"},{"id":18446744073709551616,"error":null}]})"
                         "\n");
    EXPECT_EQ(world.run({"toon", "encode", "--delimiter", "pipe", "--indent", "4", json}), Exit::ok);
    EXPECT_EQ(world.out, "calls[2|]{id|error}:\n    1|a, b\n    18446744073709551616|null\n");
}

TEST_F(TextCommands, toon_says_where_it_went_wrong) {
    const std::string toon = file("a.toon", "ok: 1\nt[2]{a}:\n  1,2\n  3");
    EXPECT_EQ(world.run({"toon", "decode", toon}), Exit::failure);
    EXPECT_EQ(world.out, "");
    EXPECT_NE(world.err.find(toon + ": line 3, column 5"), std::string::npos) << world.err;
    EXPECT_EQ(world.run({"toon", "decode", "--no-strict", toon}), Exit::ok);
    EXPECT_EQ(world.run({"toon", "encode", file("a.json", "{\"a\":}")}), Exit::failure);
    EXPECT_NE(world.err.find("line 1, column 6"), std::string::npos) << world.err;
    EXPECT_EQ(world.run({"toon", "translate"}), Exit::usage);
    EXPECT_EQ(world.run({"toon", "encode", "--delimiter", "dot"}), Exit::usage);
    EXPECT_EQ(world.run({"toon", "encode", "--indent", "0"}), Exit::usage);
}

TEST_F(TextCommands, render_sees_events_of_every_form) {
    const std::string source = file("t.j2",
                                    "{{ count }} {{ event.type }} {{ events|map(attribute='type')|join(',') }} {{ "
                                    "timestamp }} {{ notification.priority }}\n");
    const std::string said = "2 a.b a.b,c.d 2026-11-14T12:00:00Z normal";
    EXPECT_EQ(world.run({"render", source, "--events", file("list.json", R"([{"type":"a.b"},{"type":"c.d"}])")}),
              Exit::ok);
    EXPECT_EQ(world.out, said);
    EXPECT_EQ(
        world.run({"render", source, "--events", file("lines.json", "{\"type\":\"a.b\"}\n\n{\"type\":\"c.d\"}\n")}),
        Exit::ok);
    EXPECT_EQ(world.out, said);
    EXPECT_EQ(world.run({"render", source, "--events", file("one.json", R"({"type":"a.b"})"), "--data-file",
                         file("d.json", R"({"timestamp":"now"})")}),
              Exit::ok);
    EXPECT_EQ(world.out, "1 a.b a.b now normal");
}

TEST_F(TextCommands, render_names_the_place_of_an_error) {
    const std::string events = file("e.json", "[]");
    EXPECT_EQ(world.run({"render", file("t.j2", "a\n{{ nope.x }}"), "--events", events}), Exit::failure);
    EXPECT_NE(world.err.find("t.j2:2:9: 'nope' is undefined"), std::string::npos) << world.err;
    EXPECT_EQ(world.run({"render", file("u.j2", "{% if %}"), "--events", events}), Exit::failure);
    EXPECT_NE(world.err.find("u.j2:1:7"), std::string::npos) << world.err;
    EXPECT_EQ(world.run({"render", world.folder.path() + "/none.j2", "--events", events}), Exit::failure);
    EXPECT_EQ(world.run({"render", file("v.j2", "x"), "--events", file("bad.json", "{}\n{\n")}), Exit::failure);
    EXPECT_NE(world.err.find("bad.json:2"), std::string::npos) << world.err;
}

TEST_F(TextCommands, render_includes_from_its_own_folder_only) {
    const std::string events = file("e.json", "[]");
    file("part.j2", "part {{ count }}");
    EXPECT_EQ(world.run({"render", file("t.j2", "[{% include 'part.j2' %}]"), "--events", events}), Exit::ok);
    EXPECT_EQ(world.out, "[part 0]");
    for (const std::string name : {"/etc/hostname", "../part.j2", "a/../../part.j2", "..", "", "./../x"}) {
        EXPECT_EQ(world.run({"render", file("u.j2", "{% include '" + name + "' %}"), "--events", events}),
                  Exit::failure)
            << name;
    }
    file("broken.j2", "\n{{ 1 +");
    EXPECT_EQ(world.run({"render", file("w.j2", "{% include 'broken.j2' %}"), "--events", events}), Exit::failure);
    EXPECT_NE(world.err.find("broken.j2:2"), std::string::npos) << world.err;
}

TEST_F(TextCommands, render_drops_space_around_blocks_when_asked) {
    const std::string source = file("t.j2", "a\n  {% if true %}\nb\n  {% endif %}\nc\n");
    const std::string events = file("e.json", "[]");
    EXPECT_EQ(world.run({"render", source, "--events", events}), Exit::ok);
    EXPECT_EQ(world.out, "a\n  \nb\n  \nc");
    EXPECT_EQ(world.run({"render", source, "--events", events, "--trim-blocks", "--lstrip-blocks"}), Exit::ok);
    EXPECT_EQ(world.out, "a\nb\nc");
}

}  // namespace
}  // namespace belfry::cli
