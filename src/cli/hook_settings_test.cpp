#include "cli/hook_settings.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "cli/line_diff.hpp"
#include "cli/world_test.hpp"
#include "codec/json.hpp"
#include "model/value_json.hpp"

namespace belfry::cli {
namespace {

const std::string command = "/opt/belfry hook claude-code";

std::string with(const std::string& settings) {
    auto made = with_hooks(settings, command);
    return made.ok() ? *made : "refused: " + made.error().message;
}

std::string without(const std::string& settings) {
    auto made = without_hooks(settings);
    return made.ok() ? *made : "refused: " + made.error().message;
}

model::Value tree(const std::string& text) {
    const auto json = codec::validate(text);
    EXPECT_TRUE(json.ok()) << text;
    return json.ok() ? model::value_from(json->view()) : model::Value();
}

TEST(HookSettings, an_empty_file_gets_every_event_written_as_a_person_would) {
    const std::string made = with("");
    EXPECT_TRUE(
        made.starts_with("{\n"
                         "  \"hooks\": {\n"
                         "    \"SessionStart\": [\n"
                         "      {\n"
                         "        \"hooks\": [\n"
                         "          {\n"
                         "            \"type\": \"command\",\n"
                         "            \"command\": \"/opt/belfry hook claude-code\",\n"
                         "            \"timeout\": 10\n"
                         "          }\n"
                         "        ]\n"
                         "      }\n"
                         "    ],\n"
                         "    \"UserPromptSubmit\": [\n"))
        << made;
    EXPECT_TRUE(made.ends_with("    ]\n  }\n}\n")) << made;
    const model::Value hooks = *tree(made).find("hooks");
    for (const char* const event : {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop",
                                    "StopFailure", "SessionEnd"}) {
        ASSERT_NE(hooks.find(event), nullptr) << event;
        EXPECT_EQ(hooks.find(event)->size(), 1U);
    }
    EXPECT_EQ(hooks.size(), 7U);
}

TEST(HookSettings, doing_it_twice_changes_nothing) {
    for (const std::string& settings : {std::string(), std::string("{}"), std::string(R"({"model":"opus"})"),
                                        std::string("{\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n")}) {
        const std::string once = with(settings);
        EXPECT_EQ(with(once), once);
        EXPECT_NE(once, settings);
    }
}

// Files as people have them: what was there comes back byte for byte.
TEST(HookSettings, taking_out_what_was_put_in_leaves_the_file_as_it_was) {
    for (const std::string& settings : {
             std::string(R"({"model":"opus","n":1.0e3})"),
             std::string("{}\n"),
             std::string("{\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"]},\n    \"model\" : \"opus\"\n}"),
             std::string("{\r\n\t\"env\": {\"A\": \"\\u00e9\"}\r\n}\r\n"),
             std::string("{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\"type\": "
                         "\"command\", \"command\": \"say done\"}\n        ]\n      }\n    ]\n  },\n  \"x\": 1\n}\n"),
             std::string(
                 R"({"hooks":{"PostToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}})"),
         }) {
        const std::string made = with(settings);
        EXPECT_EQ(without(made), settings);
        // All that was there is still there, in its place.
        const model::Value before = tree(settings);
        const model::Value after = tree(made);
        for (const model::Member& member : before.members()) {
            ASSERT_NE(after.find(member.key()), nullptr);
            if (member.key() != "hooks") {
                EXPECT_EQ(*after.find(member.key()), member.value);
            }
        }
    }
}

TEST(HookSettings, the_hooks_of_others_stay) {
    const std::string settings =
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},)"
        R"({"type":"command","command":"/old/belfry hook claude-code --agent x"},{"type":"command","command":"b"}]}]}})";
    const std::string made = with(settings);
    EXPECT_NE(
        made.find(R"({"type":"command","command":"/opt/belfry hook claude-code"},{"type":"command","command":"b"})"),
        std::string::npos)
        << made;
    EXPECT_EQ(made.find("/old/belfry"), std::string::npos);
    EXPECT_EQ(without(made),
              R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b"}]}]}})");
}

TEST(HookSettings, a_group_that_is_ours_alone_goes_with_its_matcher) {
    EXPECT_EQ(without(R"({"hooks":{"PostToolUse":[{"matcher":"*","hooks":[{"command":"belfry hook claude-code"}]},)"
                      R"({"hooks":[]}]},"x":1})"),
              R"({"hooks":{"PostToolUse":[{"hooks":[]}]},"x":1})");
}

TEST(HookSettings, settings_that_are_not_as_expected_are_refused) {
    EXPECT_NE(with("{\n  // mine\n}").find("line 2"), std::string::npos) << with("{\n  // mine\n}");
    for (const char* const wrong : {"[]", R"({"hooks":[]})", R"({"hooks":{"Stop":{}}})", R"({"hooks":{"Stop":[1]}})",
                                    R"({"hooks":{"Stop":[{"hooks":1}]}})", R"({"hooks":{},"hooks":{}})", "{}x"}) {
        EXPECT_TRUE(with(wrong).starts_with("refused")) << wrong;
        EXPECT_TRUE(without(wrong).starts_with("refused")) << wrong;
    }
}

TEST(HookSettings, our_commands_are_known_by_their_program_and_words) {
    EXPECT_TRUE(is_hook_command("belfry hook claude-code"));
    EXPECT_TRUE(is_hook_command("/usr/local/bin/belfry hook claude-code --data '/x y'"));
    EXPECT_TRUE(is_hook_command("'/my tools/belfry-0.2' hook claude-code"));
    EXPECT_FALSE(is_hook_command("other hook claude-code"));
    EXPECT_FALSE(is_hook_command("belfry status"));
    EXPECT_FALSE(is_hook_command("/belfry/other hook claude-code"));
}

TEST(LineDiff, shows_what_goes_and_what_comes_with_some_lines_around) {
    EXPECT_EQ(line_diff("a\nb\n", "a\nb\n"), "");
    EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nx\n6\n"), "  …\n  2\n  3\n  4\n- 5\n+ x\n  6\n");
    EXPECT_EQ(line_diff("", "a\n"), "+ a\n");
    EXPECT_EQ(line_diff("a", "a\n"), "- a\n\\ no line end\n+ a\n");
    EXPECT_EQ(line_diff("a\nb\nc\n", "b\nc\nd\n"), "- a\n  b\n  c\n+ d\n");
}

class HookInstall : public testing::Test {
protected:
    std::string settings() const { return world.folder.file(".claude/settings.json"); }
    std::string content() const {
        std::ifstream file(settings());
        std::ostringstream out;
        out << file.rdbuf();
        return out.str();
    }
    void put(const std::string& text) const {
        std::filesystem::create_directories(world.folder.file(".claude"));
        std::ofstream(settings()) << text;
    }
    Exit install(std::vector<std::string> more = {"--yes"}) {
        more.insert(more.begin(), {"hook", "install", "claude-code", "--program", "/opt/belfry"});
        return world.run(more);
    }

    World world;
};

TEST_F(HookInstall, a_file_that_was_made_for_it_is_gone_after_it) {
    EXPECT_EQ(install(), Exit::ok) << world.err;
    EXPECT_NE(world.out.find("+             \"command\": \"/opt/belfry hook claude-code\","), std::string::npos)
        << world.out;
    EXPECT_EQ(content(), with(""));
    EXPECT_EQ(install(), Exit::ok);
    EXPECT_EQ(world.out, "");
    EXPECT_NE(world.err.find("nothing to do"), std::string::npos);
    EXPECT_EQ(world.run({"hook", "uninstall", "claude-code", "--yes"}), Exit::ok) << world.err;
    EXPECT_FALSE(std::filesystem::exists(settings()));
    EXPECT_EQ(world.run({"hook", "uninstall", "claude-code", "--yes"}), Exit::ok);
    EXPECT_NE(world.err.find("nothing to do"), std::string::npos);
}

TEST_F(HookInstall, whatever_the_file_was_it_is_again_byte_for_byte) {
    for (const char* const before : {"", " \n", "{ }", "{\n}", "{}", "{\"hooks\": {}}", "{\"hooks\":{\"Stop\":[ ]}}\n",
                                     "{\n   \"a\": [1,\n 2]   }\n\n"}) {
        put(before);
        std::filesystem::permissions(settings(), std::filesystem::perms(0640));
        EXPECT_EQ(install(), Exit::ok) << world.err;
        // A second version, at another place, comes over the first.
        EXPECT_EQ(world.run({"hook", "install", "claude-code", "--program", "/new/belfry", "--yes"}), Exit::ok);
        EXPECT_NE(content().find("/new/belfry"), std::string::npos);
        EXPECT_EQ(content().find("/opt/belfry"), std::string::npos);
        EXPECT_EQ(world.run({"hook", "uninstall", "claude-code", "--yes"}), Exit::ok) << world.err;
        EXPECT_EQ(content(), before);
        EXPECT_EQ(std::filesystem::status(settings()).permissions(), std::filesystem::perms(0640));
    }
}

TEST_F(HookInstall, what_somebody_wrote_since_stays) {
    put("{\n  \"model\": \"opus\"\n}\n");
    EXPECT_EQ(install(), Exit::ok);
    std::string changed = content();
    changed.replace(changed.find("opus"), 4, "fable");
    put(changed);
    EXPECT_EQ(world.run({"hook", "uninstall", "claude-code", "--yes"}), Exit::ok) << world.err;
    EXPECT_EQ(content(), "{\n  \"model\": \"fable\"\n}\n");
}

TEST_F(HookInstall, without_a_yes_the_difference_is_only_shown) {
    EXPECT_EQ(install({"--json"}), Exit::failure);
    EXPECT_EQ(world.out, R"({"settings":")" + settings() + R"(","changed":true,"written":false})" + "\n");
    EXPECT_FALSE(std::filesystem::exists(settings()));
}

TEST_F(HookInstall, a_link_stays_a_link) {
    const std::string real = world.folder.file("dotfiles.json");
    std::ofstream(real) << "{}\n";
    std::filesystem::create_directories(world.folder.file(".claude"));
    std::filesystem::create_symlink(real, settings());
    EXPECT_EQ(install(), Exit::ok) << world.err;
    EXPECT_TRUE(std::filesystem::is_symlink(settings()));
    EXPECT_NE(content(), "{}\n");
}

TEST_F(HookInstall, how_the_daemon_is_found_goes_into_the_command) {
    const std::string file = world.folder.file("s.json");
    EXPECT_EQ(world.run({"hook", "install", "claude-code", "--settings", file, "--program", "/my tools/belfry",
                         "--socket", "/run/b.sock", "--for-user", "it's", "--token", "secret", "--yes"}),
              Exit::ok)
        << world.err;
    std::ifstream made(file);
    std::ostringstream text;
    text << made.rdbuf();
    EXPECT_NE(text.str().find(R"("'/my tools/belfry' hook claude-code --for-user 'it'\\''s' --socket /run/b.sock")"),
              std::string::npos)
        << text.str();
    EXPECT_EQ(text.str().find("secret"), std::string::npos);
}

TEST_F(HookInstall, wrong_usage_is_told) {
    EXPECT_EQ(world.run({"hook", "install"}), Exit::usage);
    EXPECT_EQ(world.run({"hook", "install", "emacs"}), Exit::usage);
    EXPECT_EQ(world.run({"hook", "frobnicate"}), Exit::failure);
    EXPECT_EQ(install({"--project", "--user"}), Exit::usage);
    EXPECT_EQ(world.run({"hook", "install", "claude-code", "--program", "/x/other"}), Exit::usage);
    put("{ broken");
    EXPECT_EQ(install(), Exit::failure);
    EXPECT_NE(world.err.find("settings.json: line 1"), std::string::npos) << world.err;
    EXPECT_EQ(content(), "{ broken");
}

}  // namespace
}  // namespace belfry::cli
