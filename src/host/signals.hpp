#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "host/descriptor.hpp"

namespace belfry::host {

enum class Signal : std::uint8_t {
    stop,    // SIGTERM, SIGINT: drain and end
    reload,  // SIGHUP: read subscribers, sinks and the certificate again
};

// The signals of a daemon as something to read, in place of handlers. Must be made in the first thread before any other
// is started: they inherit that the signals are blocked. Those blocked stay so until the end of the process.
class Signals {
public:
    static base::Result<Signals> open();

    // Readable while a signal waits; for an event loop.
    [[nodiscard]] int descriptor() const { return file_.get(); }
    // The next one that waits, or nothing. Never blocks.
    std::optional<Signal> take();

private:
    explicit Signals(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;
};

// A write to a closed pipe or socket becomes an error where it happens, in place of the end of the process.
void ignore_broken_pipes();

}  // namespace belfry::host
