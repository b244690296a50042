#pragma once

#include <string>
#include <thread>

#include "cli/command.hpp"
#include "cli/local_clock.hpp"
#include "client/client.hpp"

namespace belfry::daemon {

// A little life for `serve --dev`: what `belfry demo` plays, again and again, through the same door as everybody's.
class Activity {
public:
    Activity(client::Options options, cli::LocalClock clock) : client_(std::move(options)), clock_(std::move(clock)) {}
    ~Activity() { stop(); }
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;

    // Tells the person where to look and what to try; `base` is the address as a URL.
    static void greet(cli::Context& context, const std::string& base, const std::string& link,
                      const std::string& token);
    void start();
    void stop();

private:
    void run();

    client::Client client_;
    cli::LocalClock clock_;
    std::thread thread_;
};

}  // namespace belfry::daemon
