#include "host/lock.hpp"

#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/time.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

constexpr base::Timestamp noon{1'794'657'600'000'000};  // 2026-11-14T12:00:00Z

// Another process that holds the lock until it is told to go.
class Holder {
public:
    explicit Holder(const std::string& folder) {
        int ready[2];
        int go[2];
        EXPECT_EQ(::pipe(ready), 0);
        EXPECT_EQ(::pipe(go), 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::close(go[1]);
            const auto lock = FolderLock::take(folder, noon);
            char byte = lock.ok() ? 'y' : 'n';
            (void)!::write(ready[1], &byte, 1);
            (void)!::read(go[0], &byte, 1);  // returns when the parent closes its end
            ::_exit(0);
        }
        ::close(ready[1]);
        ::close(go[0]);
        go_ = go[1];
        char byte = 0;
        EXPECT_EQ(::read(ready[0], &byte, 1), 1);
        EXPECT_EQ(byte, 'y');
        ::close(ready[0]);
    }
    ~Holder() { finish(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    void finish() {
        if (pid_ <= 0) return;
        ::close(go_);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    pid_t pid_ = 0;
    int go_ = -1;
};

TEST(FolderLock, a_second_process_is_refused_and_told_who_holds_the_folder) {
    const TemporaryFolder folder;
    Holder other(folder.path());
    const auto lock = FolderLock::take(folder.path(), noon);
    ASSERT_FALSE(lock.ok());
    EXPECT_EQ(lock.error().code, base::Code::conflict);
    EXPECT_EQ(lock.error().message, "the data folder " + folder.path() + " is in use by another Belfry (process " +
                                        std::to_string(other.pid()) +
                                        ", since 2026-11-14T12:00:00Z); stop it, or choose another folder with --data");
    const auto holder = FolderLock::holder(folder.path());
    ASSERT_TRUE(holder.ok() && *holder);
    EXPECT_EQ((*holder)->pid, other.pid());
}

TEST(FolderLock, ends_with_the_process_that_held_it) {
    const TemporaryFolder folder;
    Holder other(folder.path());
    other.finish();
    EXPECT_FALSE(FolderLock::holder(folder.path())->has_value());
    EXPECT_TRUE(FolderLock::take(folder.path(), noon).ok());
}

TEST(FolderLock, holds_until_it_is_destroyed_and_not_longer) {
    const TemporaryFolder folder;
    {
        const auto lock = FolderLock::take(folder.path(), noon);
        ASSERT_TRUE(lock.ok());
        EXPECT_FALSE(FolderLock::take(folder.path(), noon).ok());
    }
    EXPECT_TRUE(FolderLock::take(folder.path(), noon).ok());
}

TEST(FolderLock, says_nothing_wrong_about_a_folder_that_was_never_used) {
    const TemporaryFolder folder;
    EXPECT_FALSE(FolderLock::holder(folder.path())->has_value());
    EXPECT_EQ(FolderLock::take(folder.file("none"), noon).error().code, base::Code::not_found);
}

TEST(FolderLock, tells_where_its_holder_listens) {
    const TemporaryFolder folder;
    auto lock = FolderLock::take(folder.path(), noon);
    ASSERT_TRUE(lock.ok());
    EXPECT_EQ((**FolderLock::holder(folder.path())).doors.address, "");
    ASSERT_TRUE(lock->tell({"http://127.0.0.1:7117", "/run/a socket"}).ok());
    const auto holder = FolderLock::holder(folder.path());
    ASSERT_TRUE(holder.ok() && *holder);
    EXPECT_EQ((*holder)->pid, ::getpid());
    EXPECT_EQ((*holder)->doors.address, "http://127.0.0.1:7117");
    EXPECT_EQ((*holder)->doors.socket, "/run/a socket");
    ASSERT_TRUE(lock->tell({"http://127.0.0.1:7117", "/run/a\nsocket /tmp/another"}).ok());
    EXPECT_EQ((**FolderLock::holder(folder.path())).doors.socket, "");
    ASSERT_TRUE(lock->tell({}).ok());
    EXPECT_EQ((**FolderLock::holder(folder.path())).doors.address, "");
}

TEST(FolderLock, a_line_that_is_still_being_written_does_not_count) {
    const TemporaryFolder folder;
    const auto lock = FolderLock::take(folder.path(), noon);
    ASSERT_TRUE(lock.ok());
    std::ofstream(lock_file(folder.path())) << "pid 1\naddress http://127.0.0.1:71";
    EXPECT_EQ((**FolderLock::holder(folder.path())).doors.address, "");
}

// Whoever only looks must not keep out a daemon that starts in the same moment.
TEST(FolderLock, looking_takes_no_lock) {
    const TemporaryFolder folder;
    std::atomic<bool> stop = false;
    {
        ASSERT_TRUE(FolderLock::take(folder.path(), noon).ok());
    }
    std::thread looks([&] {
        while (!stop) (void)FolderLock::holder(folder.path());
    });
    int refused = 0;
    for (int i = 0; i < 2000; ++i) refused += FolderLock::take(folder.path(), noon).ok() ? 0 : 1;
    stop = true;
    looks.join();
    EXPECT_EQ(refused, 0);
}

TEST(FolderLock, refuses_a_link_in_place_of_its_file) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file_atomically(folder.file("victim"), "precious", 0600).ok());
    ASSERT_EQ(::symlink(folder.file("victim").c_str(), lock_file(folder.path()).c_str()), 0);
    EXPECT_FALSE(FolderLock::take(folder.path(), noon).ok());
    EXPECT_EQ(*read_file(folder.file("victim"), 100), "precious");
}

}  // namespace
}  // namespace belfry::host
