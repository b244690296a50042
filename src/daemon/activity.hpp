#pragma once

#include <string>
#include <thread>

#include "cli/command.hpp"
#include "client/client.hpp"

namespace belfry::daemon {

// A little life for `serve --dev`: what `belfry demo` plays, again and again, through the same door as everybody's.
class Activity {
public:
    explicit Activity(client::Options options) : client_(std::move(options)) {}
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
    std::thread thread_;
};

}  // namespace belfry::daemon
