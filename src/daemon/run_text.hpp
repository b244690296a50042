#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/run.hpp"
#include "ports/commands/command.hpp"

namespace belfry::daemon {

// Words that go into a run while they are made up. What comes while a piece is on its way goes with the next one, so
// that a fast model does not wait for the disk and a slow one is seen at once.
class RunText {
public:
    // `on_refused` is called, by any thread, where the run takes nothing more.
    RunText(ports::Gateway& gateway, model::RunId run, std::function<void()> on_refused)
        : gateway_(gateway), run_(run), on_refused_(std::move(on_refused)) {}

    void begin(std::string message_id);
    void add(std::string_view piece);
    // Waits until all of it is there.
    base::Result<void> end();

private:
    // With the lock held.
    void send();
    void answered(const base::Result<void>& taken);
    void wait_until_sent(std::unique_lock<std::mutex>& lock);

    ports::Gateway& gateway_;
    model::RunId run_;
    std::function<void()> on_refused_;
    std::mutex mutex_;
    std::condition_variable sent_;
    std::string message_id_;
    std::string waiting_;
    bool is_begun_ = false;  // the run knows of the message
    bool is_on_its_way_ = false;
    base::Result<void> outcome_;
};

}  // namespace belfry::daemon
