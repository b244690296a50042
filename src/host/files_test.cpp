#include "host/files.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

std::size_t count_files(const std::string& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

TEST(Files, an_atomic_write_replaces_the_whole_and_leaves_nothing_behind) {
    const TemporaryFolder folder;
    const std::string path = folder.file("a");
    ASSERT_TRUE(write_file_atomically(path, "a long first content", 0644).ok());
    ASSERT_TRUE(write_file_atomically(path, "second", 0600).ok());
    EXPECT_EQ(*read_file(path, 100), "second");
    EXPECT_EQ((*file_facts(path))->mode, 0600U);
    EXPECT_EQ(count_files(folder.path()), 1U);
}

TEST(Files, the_mode_is_set_whatever_the_umask_says) {
    const TemporaryFolder folder;
    const mode_t before = ::umask(0777);
    const auto written = write_file_atomically(folder.file("a"), "x", 0640);
    const auto made = make_folder(folder.file("private"), mode_private_folder);
    ::umask(before);
    ASSERT_TRUE(written.ok() && made.ok());
    EXPECT_EQ((*file_facts(folder.file("a")))->mode, 0640U);
    EXPECT_EQ((*file_facts(folder.file("private")))->mode, 0700U);
}

TEST(Files, a_write_that_fails_keeps_the_old_content) {
    const TemporaryFolder folder;
    const std::string target = folder.file("folder");
    ASSERT_TRUE(make_folder(target, 0700).ok());
    ASSERT_TRUE(write_file_atomically(target + "/inside", "kept", 0600).ok());
    // A folder cannot be replaced by a file.
    const auto written = write_file_atomically(target, "x", 0600);
    ASSERT_FALSE(written.ok());
    EXPECT_NE(written.error().message.find(target), std::string::npos);
    EXPECT_EQ(*read_file(target + "/inside", 10), "kept");
    EXPECT_EQ(count_files(folder.path()), 1U);
}

TEST(Files, reading_is_bounded_and_tells_absence_apart) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file_atomically(folder.file("a"), "12345", 0600).ok());
    EXPECT_EQ(*read_file(folder.file("a"), 5), "12345");
    EXPECT_EQ(read_file(folder.file("a"), 4).error().code, base::Code::too_large);
    EXPECT_EQ(read_file(folder.file("b"), 4).error().code, base::Code::not_found);
    EXPECT_FALSE(file_facts(folder.file("b"))->has_value());
}

TEST(Files, a_copy_never_overwrites) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file_atomically(folder.file("a"), "old", 0600).ok());
    ASSERT_TRUE(copy_file(folder.file("a"), folder.file("b"), 0600).ok());
    EXPECT_EQ(*read_file(folder.file("b"), 10), "old");
    ASSERT_TRUE(write_file_atomically(folder.file("a"), "new", 0600).ok());
    EXPECT_FALSE(copy_file(folder.file("a"), folder.file("b"), 0600).ok());
    EXPECT_EQ(*read_file(folder.file("b"), 10), "old");
}

TEST(Files, a_linked_file_keeps_its_content_when_the_first_name_is_taken_over) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file_atomically(folder.file("a"), "old", 0600).ok());
    ASSERT_TRUE(link_file(folder.file("a"), folder.file("aside")).ok());
    ASSERT_TRUE(write_file_atomically(folder.file("a"), "new", 0600).ok());
    EXPECT_EQ(*read_file(folder.file("aside"), 10), "old");
}

TEST(Files, folders_above_are_made_too) {
    const TemporaryFolder folder;
    ASSERT_TRUE(make_folder(folder.file("x/y/z"), mode_private_folder).ok());
    EXPECT_TRUE((*file_facts(folder.file("x/y/z")))->is_folder);
    ASSERT_TRUE(make_folder(folder.file("x/y/z"), mode_private_folder).ok());
    ASSERT_TRUE(write_file_atomically(folder.file("file"), "", 0600).ok());
    EXPECT_FALSE(make_folder(folder.file("file"), 0700).ok());
}

TEST(Files, tells_the_space_of_a_disk) {
    const auto space = disk_space("/");
    ASSERT_TRUE(space.ok());
    EXPECT_GT(space->total_bytes, space->free_bytes);
    EXPECT_GT(space->free_bytes, 0);
}

TEST(Files, knows_the_folder_of_a_path) {
    EXPECT_EQ(parent_folder("/a/b"), "/a");
    EXPECT_EQ(parent_folder("/a"), "/");
    EXPECT_EQ(parent_folder("a"), ".");
    EXPECT_EQ(join_path("/a/", "b"), "/a/b");
}

}  // namespace
}  // namespace belfry::host
