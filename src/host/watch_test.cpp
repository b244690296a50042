#include "host/watch.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "host/files.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

namespace fs = std::filesystem;

class Watch : public testing::Test {
protected:
    Watch() { EXPECT_TRUE(make_folder(folder_, 0700).ok()); }

    void write(const std::string& name) { ASSERT_TRUE(write_file_atomically(folder_ + '/' + name, "x", 0600).ok()); }
    static bool is_readable(const FolderWatch& watch) {
        pollfd waiting{watch.descriptor(), POLLIN, 0};
        return ::poll(&waiting, 1, 0) == 1;
    }

    TemporaryFolder home_;
    std::string folder_ = home_.file("a/subscribers");
};

TEST_F(Watch, a_file_that_comes_changes_or_goes_is_noticed_once) {
    auto watch = FolderWatch::open(folder_ + '/');
    ASSERT_TRUE(watch.ok()) << watch.error().message;
    EXPECT_FALSE(is_readable(*watch));
    EXPECT_FALSE(watch->take());
    write("a.toml");
    EXPECT_TRUE(is_readable(*watch));
    EXPECT_TRUE(watch->take());
    EXPECT_FALSE(watch->take());
    write("a.toml");
    EXPECT_TRUE(watch->take());
    fs::permissions(folder_ + "/a.toml", fs::perms::owner_read);
    EXPECT_TRUE(watch->take());
    fs::remove(folder_ + "/a.toml");
    EXPECT_TRUE(watch->take());
    EXPECT_FALSE(watch->take());
}

TEST_F(Watch, reading_and_hidden_files_change_nothing) {
    write("a.toml");
    auto watch = FolderWatch::open(folder_);
    ASSERT_TRUE(read_file(folder_ + "/a.toml", 10).ok());
    write(".a.toml.swp");
    fs::remove(folder_ + "/.a.toml.swp");
    // The name that a file is written under before it is renamed begins like it, so it is hidden too.
    EXPECT_FALSE(watch->take());
}

TEST_F(Watch, templates_are_watched_also_when_their_folder_comes_later) {
    auto watch = FolderWatch::open(folder_);
    ASSERT_TRUE(make_folder(folder_ + "/templates", 0700).ok());
    EXPECT_TRUE(watch->take());
    EXPECT_FALSE(watch->take());
    write("templates/a.j2");
    EXPECT_TRUE(watch->take());
    fs::remove_all(folder_ + "/templates");
    EXPECT_TRUE(watch->take());
    ASSERT_TRUE(make_folder(folder_ + "/templates", 0700).ok());
    EXPECT_TRUE(watch->take());
    write("templates/a.j2");
    EXPECT_TRUE(watch->take());
}

TEST_F(Watch, a_folder_that_does_not_exist_yet_is_noticed_when_it_comes) {
    const std::string later = home_.file("x/y/subscribers");
    auto watch = FolderWatch::open(later);
    ASSERT_TRUE(watch.ok());
    ASSERT_TRUE(make_folder(home_.file("other"), 0700).ok());
    EXPECT_FALSE(watch->take());
    ASSERT_TRUE(make_folder(home_.file("x"), 0700).ok());
    EXPECT_TRUE(watch->take());
    ASSERT_TRUE(make_folder(later, 0700).ok());
    EXPECT_TRUE(watch->take());
    ASSERT_TRUE(write_file_atomically(later + "/a.toml", "x", 0600).ok());
    EXPECT_TRUE(watch->take());
    EXPECT_FALSE(watch->take());
}

TEST_F(Watch, a_folder_that_is_replaced_is_watched_in_its_place) {
    auto watch = FolderWatch::open(folder_);
    fs::rename(folder_, home_.file("a/old"));
    EXPECT_TRUE(watch->take());
    ASSERT_TRUE(make_folder(folder_, 0700).ok());
    EXPECT_TRUE(watch->take());
    EXPECT_FALSE(watch->take());
    write("a.toml");
    EXPECT_TRUE(watch->take());
    ASSERT_TRUE(write_file_atomically(home_.file("a/old/b.toml"), "x", 0600).ok());
    EXPECT_FALSE(watch->take());
}

TEST_F(Watch, files_that_kubernetes_mounted_are_noticed_when_it_replaces_them) {
    const auto mount = [this](const std::string& version) {
        ASSERT_TRUE(make_folder(folder_ + "/.." + version, 0700).ok());
        write(".." + version + "/a.toml");
        fs::create_directory_symlink(".." + version, folder_ + "/..data_tmp");
        fs::rename(folder_ + "/..data_tmp", folder_ + "/..data");
    };
    mount("one");
    fs::create_symlink("..data/a.toml", folder_ + "/a.toml");
    auto watch = FolderWatch::open(folder_);
    EXPECT_FALSE(watch->take());
    mount("two");
    EXPECT_TRUE(watch->take());
    fs::remove_all(folder_ + "/..one");
    EXPECT_FALSE(watch->take());
}

TEST_F(Watch, what_cannot_be_watched_any_more_is_told_and_tried_again) {
    auto watch = FolderWatch::open(folder_);
    EXPECT_FALSE(watch->is_blind());
    fs::permissions(folder_, fs::perms::none);
    const bool is_root = ::geteuid() == 0;
    if (is_root) {
        ASSERT_EQ(::seteuid(65534), 0);  // whom permissions bind
    }
    EXPECT_TRUE(watch->take());
    EXPECT_TRUE(watch->is_blind());
    EXPECT_FALSE(watch->take());
    pollfd waiting{watch->descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&waiting, 1, 0), 0) << "whoever waits for changes would never sleep";
    if (is_root) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    fs::permissions(folder_, fs::perms::owner_all);
    EXPECT_TRUE(watch->take());
    EXPECT_FALSE(watch->is_blind());
    write("a.toml");
    EXPECT_TRUE(watch->take());
}

TEST_F(Watch, a_link_to_another_folder_is_followed_when_it_is_turned) {
    const std::string link = home_.file("a/link");
    ASSERT_TRUE(make_folder(home_.file("one"), 0700).ok());
    ASSERT_TRUE(make_folder(home_.file("two"), 0700).ok());
    fs::create_directory_symlink(home_.file("one"), link);
    auto watch = FolderWatch::open(link);
    fs::create_directory_symlink(home_.file("two"), link + ".new");
    fs::rename(link + ".new", link);
    EXPECT_TRUE(watch->take());
    ASSERT_TRUE(write_file_atomically(home_.file("two/a.toml"), "x", 0600).ok());
    EXPECT_TRUE(watch->take());
    ASSERT_TRUE(write_file_atomically(home_.file("one/a.toml"), "x", 0600).ok());
    EXPECT_FALSE(watch->take());
}

}  // namespace
}  // namespace belfry::host
