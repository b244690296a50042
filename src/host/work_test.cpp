#include "host/work.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "host/descriptor.hpp"
#include "host/signals.hpp"

namespace belfry::host {
namespace {

class Works : public testing::Test {
protected:
    Works() { ignore_broken_pipes(); }

    static std::unique_ptr<Work> start(const std::string& script, std::string input = {},
                                       std::vector<std::pair<std::string, std::string>> variables = {}) {
        const Environment environment({{"PATH", "/usr/bin:/bin"}, {"HOME", "/"}, {"KEPT", "yes"}});
        auto work = Work::start({{"sh", "-c", script}, std::move(input), std::move(variables)}, environment);
        EXPECT_TRUE(work.ok());
        return work.ok() ? std::move(*work) : nullptr;
    }
    // Everything until its end.
    static Work::News all(Work& work) {
        Work::News all;
        while (!all.status) {
            auto news = work.wait(base::seconds(20), -1);
            EXPECT_TRUE(news.ok());
            if (!news.ok()) break;
            all.out += news->out;
            all.err += news->err;
            all.status = news->status;
        }
        return all;
    }
};

TEST_F(Works, have_two_streams_an_input_and_variables_of_their_own) {
    const auto work = start("cat; echo $KEPT $OWN; echo oh >&2; exit 3", "in\n", {{"OWN", "mine"}, {"KEPT", "no"}});
    const Work::News news = all(*work);
    EXPECT_EQ(news.out, "in\nno mine\n");
    EXPECT_EQ(news.err, "oh\n");
    EXPECT_EQ(news.status, 3);
}

TEST_F(Works, that_leave_somebody_behind_with_their_output_have_ended_all_the_same) {
    const auto work = start("sleep 100 & echo $!; exit 0");
    const Work::News news = all(*work);
    EXPECT_EQ(news.status, 0);
    ::kill(std::stoi(news.out), SIGKILL);
}

TEST_F(Works, take_in_more_than_a_pipe_holds_and_need_not_read_it) {
    EXPECT_EQ(all(*start("wc -c", std::string(1 << 20, 'x'))).out, "1048576\n");
    EXPECT_EQ(all(*start("exit 0", std::string(1 << 20, 'x'))).status, 0);
}

TEST_F(Works, are_asked_to_end_and_ended_by_force) {
    const auto polite = start("trap 'echo bye; exit 7' TERM; echo on; while :; do sleep 0.01; done");
    while (polite->wait(base::seconds(20), -1)->out.empty()) {
    }
    polite->end(Work::Ending::ask);
    const Work::News news = all(*polite);
    EXPECT_EQ(news.out, "bye\n");
    EXPECT_EQ(news.status, 7);
    const auto deaf = start("trap '' TERM; echo on; while :; do sleep 0.01; done");
    while (deaf->wait(base::seconds(20), -1)->out.empty()) {
    }
    deaf->end(Work::Ending::ask);
    deaf->end(Work::Ending::force);
    EXPECT_EQ(all(*deaf).status, 128 + SIGKILL);
}

TEST_F(Works, that_are_told_to_end_leave_nobody_behind) {
    const auto work = start(
        "trap 'exit 1' TERM; (trap '' TERM; echo on; while :; do sleep 0.01; done) & echo $!; while :; do sleep 0.01; "
        "done");
    std::string out;
    while (std::ranges::count(out, '\n') < 2) out += work->wait(base::seconds(20), -1)->out;  // both have their traps
    work->end(Work::Ending::ask);
    EXPECT_EQ(all(*work).status, 1);
    const std::size_t digits = out.find_first_of("0123456789");
    const pid_t child = std::stoi(out.substr(digits));
    // It is dead at once, and gone when whoever inherited it has looked.
    for (int i = 0; i < 2000 && ::kill(child, 0) == 0; ++i) ::usleep(10'000);
    EXPECT_NE(::kill(child, 0), 0);
}

TEST_F(Works, are_left_for_a_descriptor_that_calls) {
    const Descriptor bell(::eventfd(1, EFD_CLOEXEC));
    const auto work = start("sleep 100");
    EXPECT_TRUE(work->wait(base::seconds(20), bell.get())->is_called);
}

TEST_F(Works, that_there_are_not_are_refused) {
    EXPECT_EQ(Work::start({{"/none/such"}, {}, {}}, Environment()).error().code, base::Code::not_found);
}

}  // namespace
}  // namespace belfry::host
