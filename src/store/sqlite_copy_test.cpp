#include "store/sqlite_copy.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "store/schema.hpp"
#include "store/sqlite_check.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

// From now on a link is refused as vfat refuses it.
bool forbid_links() {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_linkat, 1, 0),
#ifdef SYS_link
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_link, 0, 1),
#else
        BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(rules), rules};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class SqliteCopy : public ::testing::Test {
protected:
    std::string source() { return world.location().sqlite_path; }
    std::string target() { return folder.file("copy.sqlite"); }
    std::vector<Seen> read_copy() {
        const auto reading = open_reading({Backend::sqlite, target(), ""});
        EXPECT_OK(reading);
        return reading.ok() ? read_all(**reading, 1, 0, 64 << 20) : std::vector<Seen>{};
    }
    StoreWorld world{Backend::sqlite};
    TemporaryFolder folder;
};

TEST_F(SqliteCopy, holds_what_was_committed_also_what_is_only_in_the_log_yet) {
    Scribe scribe(world);
    scribe.open_with_streams();
    for (int i = 0; i < 30; ++i) scribe.write(1, std::string(100'000, 'x'));
    scribe.begin();
    scribe.append(1, "under way");
    scribe.seal(at_second(1));
    ASSERT_OK(copy_database(source(), target()));
    scribe.rollback();
    EXPECT_EQ(read_copy().size(), 30U);
    EXPECT_EQ(check_database(target(), Integrity::quick)->schema_version, newest_schema_version());
    struct stat info{};
    ASSERT_EQ(stat(target().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    EXPECT_FALSE(std::filesystem::exists(target() + ".partial"));
    EXPECT_FALSE(std::filesystem::exists(target() + "-wal"));
}

TEST_F(SqliteCopy, is_the_state_of_one_commit_while_the_writer_goes_on) {
    Scribe scribe(world);
    scribe.open_with_streams();
    for (int i = 0; i < 100; ++i) scribe.write(1, std::string(200'000, 'x'));
    std::atomic<bool> stop = false;
    std::thread writing([&] {
        while (!stop) scribe.write(1, "more");
    });
    const auto copied = copy_database(source(), target());
    stop = true;
    writing.join();
    ASSERT_OK(copied);
    const auto seen = read_copy();
    EXPECT_GE(seen.size(), 100U);
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].sequence, i + 1);
}

TEST_F(SqliteCopy, can_be_opened_by_a_writer) {
    {
        Scribe scribe(world);
        scribe.open_with_streams();
        scribe.write(1, "one");
    }
    ASSERT_OK(copy_database(source(), target()));
    SeededRandom random(3);
    SqlStore store(writer_options({Backend::sqlite, target(), ""}, {}), random);
    ASSERT_OK(store.open());
    EXPECT_EQ(store.epoch(), 2);
}

TEST_F(SqliteCopy, replaces_nothing_and_leaves_nothing_behind) {
    Scribe scribe(world);
    scribe.open_with_streams();
    std::ofstream(target()) << "precious";
    EXPECT_EQ(copy_database(source(), target()).error().code, base::Code::conflict);
    EXPECT_EQ(std::filesystem::file_size(target()), 8U);
    EXPECT_OK(copy_database(source(), target(), Existing::replaced));
    EXPECT_EQ(copy_database(folder.file("none"), folder.file("other")).error().code, base::Code::not_found);
    EXPECT_FALSE(copy_database(source(), folder.file("no/such/folder")).ok());
    std::ofstream(folder.file("noise")) << std::string(8192, 'n');
    EXPECT_FALSE(copy_database(folder.file("noise"), folder.file("other")).ok());
    EXPECT_FALSE(std::filesystem::exists(folder.file("other")));
    EXPECT_FALSE(std::filesystem::exists(folder.file("other.partial")));
}

// In a child, because what is forbidden stays forbidden.
TEST_F(SqliteCopy, gets_its_name_also_where_the_file_system_knows_no_links) {
    {
        Scribe scribe(world);
        scribe.open_with_streams();
        scribe.write(1, "one");
    }
    std::ofstream(folder.file("precious")) << "precious";
    const pid_t child = ::fork();
    if (child == 0) {
        if (!forbid_links()) ::_exit(1);
        if (!copy_database(source(), target()).ok()) ::_exit(2);
        const auto refused = copy_database(source(), folder.file("precious"));
        ::_exit(!refused.ok() && refused.error().code == base::Code::conflict ? 0 : 3);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(read_copy().size(), 1U);
    EXPECT_FALSE(std::filesystem::exists(target() + ".partial"));
    EXPECT_EQ(std::filesystem::file_size(folder.file("precious")), 8U);
}

bool is_sound(const std::string& path) {
    const auto facts = check_database(path, Integrity::quick);
    return facts.ok() && facts->damage.empty();
}

TEST_F(SqliteCopy, tells_a_damaged_file_and_a_foreign_one_from_a_good_one) {
    EXPECT_FALSE(is_sound(folder.file("none")));
    std::ofstream(folder.file("noise")) << std::string(8192, 'n');
    EXPECT_FALSE(is_sound(folder.file("noise")));
    {
        SqliteOptions options;
        options.path = folder.file("foreign");
        ASSERT_OK((*open_sqlite(std::move(options)))->script("CREATE TABLE other (a INTEGER)"));
    }
    EXPECT_FALSE(is_sound(folder.file("foreign")));
    {
        Scribe scribe(world);
        scribe.open_with_streams();
        for (int i = 0; i < 50; ++i) scribe.write(1, std::string(5'000, 'x'));
    }
    EXPECT_TRUE(is_sound(source()));
    {
        // Pages from the second on, without their headers.
        std::fstream file(source(), std::ios::in | std::ios::out | std::ios::binary);
        for (int page = 1; page < 20; ++page) {
            file.seekp(page * 4096);
            file << std::string(64, '\x7f');
        }
    }
    EXPECT_FALSE(is_sound(source()));
    EXPECT_FALSE(copy_database(source(), target()).ok());
    EXPECT_FALSE(std::filesystem::exists(target()));
}

}  // namespace
}  // namespace belfry::store::testing
