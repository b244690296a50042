#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "host/environment.hpp"

namespace belfry::host {

struct WorkCall {
    std::vector<std::string> argv;  // the program, looked for in PATH where it has no slash, and its arguments
    std::string input;              // its standard input
    std::vector<std::pair<std::string, std::string>> variables;  // besides and before those of the environment
};

// A program at work for us, in a process group of its own: what it says is read as it comes, and it is ended with us,
// also where we are killed. For one thread.
class Work {
public:
    // Errors: not_found where there is no such program, io where it cannot be started.
    static base::Result<std::unique_ptr<Work>> start(WorkCall call, const Environment& environment);
    virtual ~Work() = default;  // ends it where it has not ended

    struct News {
        std::string out;            // what it has written since
        std::string err;            // likewise
        std::optional<int> status;  // it has ended: its exit code; 128 and the signal's number where one ended it
        bool is_called = false;     // `descriptor` became readable
    };
    // Waits for something to tell, so long at the most, or until this descriptor (-1: none) is readable.
    virtual base::Result<News> wait(base::Duration time, int descriptor) = 0;

    enum class Ending : std::uint8_t { ask, force };
    // Its whole group: SIGTERM or SIGKILL.
    virtual void end(Ending how) = 0;
};

}  // namespace belfry::host
