#include "wire/resolve.hpp"

#include <future>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace belfry::wire {
namespace {

// A name server that does not answer until it is let go.
struct Silent {
    ~Silent() {
        let_go.set_value();
        left->get_future().wait();
    }
    Lookup lookup() {
        return [this, ended = left](const std::string& host, const std::string& port) {
            asked.set_value();
            let_go.get_future().wait();
            auto found = look_up(host, port);
            ended->set_value();
            return found;
        };
    }
    std::promise<void> asked;
    std::promise<void> let_go;
    std::shared_ptr<std::promise<void>> left = std::make_shared<std::promise<void>>();
};

TEST(Resolve, finds_numbers_without_asking_and_names_by_asking) {
    Silent silent;
    const auto number = resolve("127.0.0.1", "80", deadline_in(base::seconds(30)), nullptr, [](auto&, auto&) {
        ADD_FAILURE() << "a number needs no question";
        return base::Result<Addresses>(base::error(base::Code::internal, ""));
    });
    ASSERT_TRUE(number.ok());
    EXPECT_EQ((*number)->ai_family, AF_INET);
    EXPECT_TRUE(resolve("localhost", "80", deadline_in(base::seconds(30)), nullptr).ok());
    EXPECT_EQ(resolve("localhost", "80", deadline_in(base::milliseconds(1)), nullptr, silent.lookup()).error().code,
              base::Code::timeout);
}

TEST(Resolve, says_so_where_there_is_no_descriptor_left) {
    rlimit allowed{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &allowed), 0);
    rlimit none = allowed;
    none.rlim_cur = 0;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto found = resolve("localhost", "80", deadline_in(base::seconds(30)), nullptr);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &allowed), 0);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, base::Code::unavailable);
    EXPECT_TRUE(resolve("localhost", "80", deadline_in(base::seconds(30)), nullptr).ok()) << "and then there are some";
}

TEST(Resolve, ends_when_it_is_interrupted) {
    Silent silent;
    Interrupt interrupt;
    auto waiting = std::async(std::launch::async, [&] {
        return resolve("localhost", "80", deadline_in(base::hours(1)), &interrupt, silent.lookup()).error().message;
    });
    silent.asked.get_future().wait();
    interrupt.raise();
    EXPECT_EQ(waiting.get(), "interrupted");
}

}  // namespace
}  // namespace belfry::wire
