#include "sim/disk.hpp"

#include <gtest/gtest.h>
#include <set>

namespace belfry::sim {
namespace {

std::string read_all(Disk& disk, const std::string& name) {
    const Disk::FileRef file = disk.open(name, false);
    if (!file) return "no file";
    std::string content(Disk::size(*file), '?');
    std::size_t got = 0;
    EXPECT_EQ(disk.read(*file, 0, content, got), DiskResult::ok);
    return content;
}

Disk::FileRef make(Disk& disk, const std::string& name, const std::string& content) {
    Disk::FileRef file = disk.open(name, true);
    EXPECT_EQ(disk.write(*file, 0, content), DiskResult::ok);
    EXPECT_EQ(disk.sync(*file), DiskResult::ok);
    EXPECT_EQ(disk.sync_directory(), DiskResult::ok);
    return file;
}

TEST(Disk, keeps_what_was_synced_when_the_power_goes) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Disk disk{SeededRandom(seed)};
        make(disk, "a", "kept");
        disk.lose_power();
        EXPECT_EQ(read_all(disk, "a"), "kept");
    }
}

TEST(Disk, may_keep_or_lose_each_sector_that_was_not_synced) {
    const std::string old_content(2 * Disk::sector_bytes, 'o');
    const std::string new_content(2 * Disk::sector_bytes, 'n');
    std::set<std::string> seen;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Disk disk{SeededRandom(seed)};
        const Disk::FileRef file = make(disk, "a", old_content);
        EXPECT_EQ(disk.write(*file, 0, new_content), DiskResult::ok);
        EXPECT_EQ(read_all(disk, "a"), new_content);
        disk.lose_power();
        const std::string found = read_all(disk, "a");
        ASSERT_EQ(found.size(), old_content.size());
        seen.insert({found.front(), found[Disk::sector_bytes]});
        EXPECT_EQ(std::set<char>(found.begin(), found.begin() + Disk::sector_bytes).size(), 1U) << "inside a sector";
    }
    EXPECT_EQ(seen, (std::set<std::string>{"oo", "on", "no", "nn"}));
}

TEST(Disk, loses_nothing_when_only_the_process_dies) {
    Disk disk{SeededRandom(1)};
    const Disk::FileRef file = make(disk, "a", "old");
    EXPECT_EQ(disk.write(*file, 0, "new"), DiskResult::ok);
    disk.die();
    EXPECT_EQ(disk.write(*file, 0, "xxx"), DiskResult::dead);
    disk.lose_process();
    EXPECT_EQ(read_all(disk, "a"), "new");
}

TEST(Disk, does_not_try_again_what_a_failed_sync_lost) {
    bool was_lost = false;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Disk disk{SeededRandom(seed)};
        const Disk::FileRef file = make(disk, "a", "old");
        EXPECT_EQ(disk.write(*file, 0, "new"), DiskResult::ok);
        disk.fail_after(1, Fault::sync_error);
        EXPECT_EQ(disk.sync(*file), DiskResult::io);
        EXPECT_EQ(read_all(disk, "a"), "new") << "the page cache shows it";
        EXPECT_EQ(disk.sync(*file), DiskResult::ok);
        disk.lose_power();
        was_lost = was_lost || read_all(disk, "a") == "old";
    }
    EXPECT_TRUE(was_lost);
}

TEST(Disk, may_lose_a_name_until_the_directory_is_synced) {
    std::set<bool> seen;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Disk disk{SeededRandom(seed)};
        const Disk::FileRef file = disk.open("a", true);
        EXPECT_EQ(disk.sync(*file), DiskResult::ok);
        disk.lose_power();
        seen.insert(disk.exists("a"));
    }
    EXPECT_EQ(seen.size(), 2U);
}

TEST(Disk, refuses_to_grow_when_it_is_full_and_still_overwrites) {
    Disk disk{SeededRandom(1)};
    const Disk::FileRef file = make(disk, "a", "1234");
    disk.set_capacity(4);
    EXPECT_EQ(disk.write(*file, 4, "5"), DiskResult::no_space);
    EXPECT_EQ(disk.write(*file, 0, "abcd"), DiskResult::ok);
    EXPECT_EQ(read_all(disk, "a"), "abcd");
}

TEST(Disk, dies_in_the_chosen_operation_and_answers_nothing_afterwards) {
    Disk disk{SeededRandom(1)};
    const Disk::FileRef file = make(disk, "a", "old");
    disk.die_after(2);
    EXPECT_EQ(disk.write(*file, 0, "one"), DiskResult::ok);
    EXPECT_EQ(disk.sync(*file), DiskResult::dead);
    EXPECT_TRUE(disk.is_dead());
    EXPECT_EQ(disk.open("a", false), nullptr);
}

}  // namespace
}  // namespace belfry::sim
