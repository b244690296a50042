#pragma once

#include <functional>
#include <thread>

namespace belfry::cli {

// Notices that whoever read our output has gone (`belfry tail | head`) also while there is nothing to write.
class ReaderWatch {
public:
    // `on_gone` is called at most once, on a thread of its own. Without a descriptor (-1) there is nothing to watch.
    ReaderWatch(int descriptor, std::function<void()> on_gone);
    ~ReaderWatch();
    ReaderWatch(const ReaderWatch&) = delete;
    ReaderWatch& operator=(const ReaderWatch&) = delete;

private:
    int stop_[2] = {-1, -1};
    std::thread thread_;
};

}  // namespace belfry::cli
