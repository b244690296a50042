#include "host/sink_folder.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

void write(const TemporaryFolder& folder, const std::string& name, const std::string& content) {
    std::ofstream(folder.file(name)) << content;
}

TEST(SinkFolder, a_folder_that_is_not_there_has_none) {
    const TemporaryFolder folder;
    EXPECT_EQ(read_sinks(folder.file("none")), model::SinkCatalogue{});
    EXPECT_EQ(read_sinks(""), model::SinkCatalogue{});
}

TEST(SinkFolder, every_file_is_a_sink_and_a_broken_one_harms_only_itself) {
    const TemporaryFolder folder;
    write(folder, "z.toml", "[sink]\nid = \"a\"\nkind = \"desktop\"\n");
    write(folder, "b.toml", "[sink]\nid = \"b\"\nkind = \"command\"\n[command]\nargv = [\"true\"]\n");
    write(folder, "c.toml", "[sink]\nid = \"c\"\nkind = \"pigeon\"\n");
    write(folder, ".draft.toml", "nothing");
    write(folder, "notes.txt", "nothing");
    const model::SinkCatalogue found = read_sinks(folder.path());
    ASSERT_EQ(found.sinks.size(), 2U);
    EXPECT_EQ(found.sinks[0].origin, folder.file("z.toml"));
    EXPECT_NE(found.find("b"), nullptr);
    EXPECT_EQ(found.find("c"), nullptr);
    ASSERT_EQ(found.problems.size(), 1U);
    EXPECT_EQ(found.problems[0].file, folder.file("c.toml"));
    EXPECT_EQ(found.problems[0].line, 3U);
}

TEST(SinkFolder, an_id_that_two_files_have_belongs_to_neither) {
    const TemporaryFolder folder;
    write(folder, "1.toml", "[sink]\nid = \"a\"\nkind = \"desktop\"\n");
    write(folder, "2.toml", "[sink]\nid = \"a\"\nkind = \"desktop\"\n");
    const model::SinkCatalogue found = read_sinks(folder.path());
    EXPECT_TRUE(found.sinks.empty());
    ASSERT_EQ(found.problems.size(), 2U);
    EXPECT_EQ(found.problems[0].field, "sink.id");
    EXPECT_NE(found.problems[0].message.find("1.toml and "), std::string::npos) << found.problems[0].message;
}

}  // namespace
}  // namespace belfry::host
