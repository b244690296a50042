#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "cli/command.hpp"
#include "ports/commands/command.hpp"

namespace belfry::daemon {

// A little life for `serve --dev`: a made-up agent at work, whose events pass through the same gate as everybody's.
class Activity {
public:
    explicit Activity(ports::Gateway& gateway) : gateway_(gateway) {}
    ~Activity() { stop(); }
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;

    // Tells the person where to look and what to try; `base` is the address as a URL.
    void greet(cli::Context& context, const std::string& base, const std::string& link,
               const std::string& token);
    void start();
    void stop();

private:
    void run();
    void emit(std::size_t scene, std::uint64_t turn);

    ports::Gateway& gateway_;
    std::mutex mutex_;
    std::condition_variable stop_asked_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace belfry::daemon
