#include "daemon/readers.hpp"

#include <atomic>
#include <future>
#include <gtest/gtest.h>

namespace belfry::daemon {
namespace {

class HeldClock final : public ports::Clock {
public:
    [[nodiscard]] base::Timestamp now() const override { return {}; }
    [[nodiscard]] base::Duration monotonic() const override { return base::Duration{us.load()}; }
    std::atomic<std::int64_t> us = 0;
};

// A store that cannot be reached: an attempt takes until it is let go.
class UnreachableStore : public ::testing::Test {
protected:
    base::Result<std::unique_ptr<ports::Reading>> connect() {
        ++attempts;
        std::unique_lock lock(mutex);
        changed.notify_all();
        changed.wait(lock, [this] { return !is_silent; });
        clock.us += takes.us;
        return base::error(base::Code::io, "no route to host");
    }
    std::future<std::string> ask() {
        auto answer = std::make_shared<std::promise<std::string>>();
        std::future<std::string> answered = answer->get_future();
        readers.read([answer](ports::Reading& reading) { answer->set_value(reading.figures().error().message); },
                     [] {});
        return answered;
    }
    void set_silent(bool silent) {
        const std::lock_guard lock(mutex);
        is_silent = silent;
        changed.notify_all();
    }
    void await_attempts(int count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return attempts >= count; });
    }
    ~UnreachableStore() override { set_silent(false); }

    std::mutex mutex;
    std::condition_variable changed;
    bool is_silent = false;
    base::Duration takes = base::seconds(10);
    std::atomic<int> attempts = 0;
    HeldClock clock;
    Readers readers{[this] { return connect(); }, [](const std::function<void()>&) {}, clock, 2};
};

TEST_F(UnreachableStore, is_not_tried_again_for_every_question) {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(ask().get(), "no route to host");
    EXPECT_EQ(attempts, 1);
    clock.us += base::seconds(2).us;
    EXPECT_EQ(ask().get(), "no route to host");
    EXPECT_EQ(attempts, 2);
}

TEST_F(UnreachableStore, that_refuses_at_once_is_tried_for_every_question) {
    takes = {};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ask().get(), "no route to host");
    EXPECT_EQ(attempts, 3);
}

TEST_F(UnreachableStore, that_says_nothing_keeps_nobody_waiting_but_the_one_who_tries) {
    EXPECT_EQ(ask().get(), "no route to host");
    set_silent(true);
    clock.us += base::seconds(2).us;
    std::future<std::string> trying = ask();
    await_attempts(2);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(ask().get(), "no route to host");
    EXPECT_EQ(attempts, 2);
    set_silent(false);
    EXPECT_EQ(trying.get(), "no route to host");
}

}  // namespace
}  // namespace belfry::daemon
