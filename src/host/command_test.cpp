#include "host/command.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "host/descriptor.hpp"
#include "host/files.hpp"
#include "host/signals.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::host {
namespace {

class Command : public testing::Test {
protected:
    Command() { ignore_broken_pipes(); }

    // A script in a file of its own, so that no shell of ours has a word in it.
    std::string script(const std::string& name, const std::string& body) {
        const std::string path = folder.file(name);
        std::ofstream(path) << "#!/bin/sh\n" << body;
        std::filesystem::permissions(path, std::filesystem::perms(0755));
        return path;
    }

    base::Result<CommandEnd> run(std::vector<std::string> argv, std::string input = {},
                                 base::Duration time = base::seconds(20)) {
        CommandCall call;
        call.argv = std::move(argv);
        call.input = std::move(input);
        call.time_max = time;
        call.output_bytes_max = 100;
        return run_command(call, environment);
    }

    TemporaryFolder folder;
    Environment environment{{{"PATH", "/usr/bin:/bin"}, {"HOME", "/h"}, {"BELFRY_TOKEN", "secret"}}};
};

TEST_F(Command, gets_its_arguments_as_they_are_and_its_input_whole) {
    const std::string echo = script("echo", "printf '%s|' \"$@\"; wc -c");
    const auto end = run({echo, "a b", "$(id)", "`id`;*"}, std::string(1 << 20, 'x'));
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_EQ(end->status, 0);
    EXPECT_EQ(end->output, "a b|$(id)|`id`;*|1048576\n");
}

TEST_F(Command, does_not_see_what_is_belfrys_own) {
    const auto end = run({"env"});
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_EQ(end->output.find("BELFRY"), std::string::npos);
    EXPECT_NE(end->output.find("HOME=/h"), std::string::npos);
    const std::string path = folder.file("open");
    std::ofstream file(path);
    const auto descriptors = run({"ls", "-l", "/proc/self/fd"});
    EXPECT_EQ(descriptors->output.find(path), std::string::npos);
}

TEST_F(Command, its_failure_and_the_beginning_of_its_words_are_told) {
    const auto end = run({script("fail", "echo no >&2; exit 3")});
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->status, 3);
    EXPECT_EQ(end->output, "no\n");
    const auto loud = run({script("loud", "head -c 1000000 /dev/zero | tr '\\0' x")});
    ASSERT_TRUE(loud.ok());
    EXPECT_EQ(loud->output, std::string(100, 'x'));
    const auto killed = run({script("killed", "kill -9 $$")});
    ASSERT_TRUE(killed.ok());
    EXPECT_EQ(killed->status, 128 + SIGKILL);
    EXPECT_EQ(run({"no-such-program-at-all"}).error().code, base::Code::not_found);
    std::ofstream(folder.file("text")) << "x";
    EXPECT_EQ(run({folder.file("text")}).error().code, base::Code::not_found);
}

TEST_F(Command, what_one_said_that_did_not_end_is_told_as_text) {
    const auto end = run({script("slow", "printf '\\342\\202'; sleep 600")}, {}, base::milliseconds(1500));
    ASSERT_FALSE(end.ok());
    EXPECT_TRUE(end.error().message.ends_with("it said: \xEF\xBF\xBD\xEF\xBF\xBD")) << end.error().message;
}

TEST_F(Command, one_that_does_not_end_is_ended_with_all_that_it_started) {
    const std::string pids = folder.file("pids");
    const auto end =
        run({script("slow", "sleep 600 & echo $! > " + pids + "; echo waiting; wait")}, {}, base::milliseconds(1500));
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().code, base::Code::timeout);
    EXPECT_NE(end.error().message.find("did not end within 1500ms; it said: waiting"), std::string::npos)
        << end.error().message;
    const auto pid = read_file(pids, 100);
    ASSERT_TRUE(pid.ok());
    // Gone, or about to go: a busy machine takes its time with what was killed.
    const Descriptor child(static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(*pid), 0)));
    if (child.get() < 0) return;
    pollfd ended{child.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&ended, 1, 30'000), 1) << "process " << *pid << " lives on";
}

TEST_F(Command, one_that_leaves_a_child_behind_has_ended_all_the_same) {
    const auto end = run({script("behind", "sleep 5 & echo done")});
    ASSERT_TRUE(end.ok()) << end.error().message;
    EXPECT_EQ(end->output, "done\n");
}

TEST_F(Command, one_that_is_only_started_lives_on) {
    const std::string fifo = folder.file("fifo");
    const std::string told = folder.file("told");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const std::string slow = script("slow", "cat " + fifo + " > " + told + ".new; mv " + told + ".new " + told);
    const auto started = start_command({slow}, base::milliseconds(50), environment);
    ASSERT_TRUE(started.ok()) << started.error().message;
    EXPECT_FALSE(started->has_value());
    std::ofstream(fifo) << "still here";
    for (int i = 0; i < 3000 && !(*file_facts(told)); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(*read_file(told, 100), "still here");
}

TEST_F(Command, one_that_is_started_and_ends_at_once_tells_how) {
    const auto failed = start_command({script("failing", "exit 3")}, base::seconds(20), environment);
    ASSERT_TRUE(failed.ok()) << failed.error().message;
    EXPECT_EQ(*failed, 3);
    EXPECT_EQ(start_command({"no-such-program"}, base::seconds(1), environment).error().code, base::Code::not_found);
}

TEST_F(Command, is_interrupted_by_a_descriptor) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ASSERT_EQ(::write(ends[1], "x", 1), 1);
    CommandCall call;
    call.argv = {"sleep", "600"};
    call.time_max = base::seconds(600);
    call.stop_descriptor = ends[0];
    EXPECT_EQ(run_command(call, environment).error().message, "interrupted");
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_F(Command, a_program_is_found_in_the_path_only) {
    EXPECT_EQ(find_program("sh", environment), "/usr/bin/sh");
    const std::string here = script("mine", "");
    EXPECT_EQ(find_program("mine", Environment({{"PATH", "/nope::" + folder.path()}})), here);
    EXPECT_EQ(find_program("mine", environment), "");
    EXPECT_EQ(find_program(here, environment), here);
}

}  // namespace
}  // namespace belfry::host
