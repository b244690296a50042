#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "host/descriptor.hpp"

namespace belfry::cli {

// Lines of a file or of standard input, without their ends. A longer line than `bytes_max` is passed over and told.
class LineReader {
public:
    // "-" is standard input.
    static base::Result<LineReader> open(const std::string& path, std::size_t bytes_max);

    enum class Got : std::uint8_t { line, too_long, nothing_yet, end };
    // Waits no longer than `patience` for more bytes; without one, as long as it takes.
    base::Result<Got> next(std::string& line, std::optional<base::Duration> patience);
    [[nodiscard]] std::size_t line_number() const { return line_number_; }

private:
    LineReader(host::Descriptor file, std::string name, std::size_t bytes_max)
        : file_(std::move(file)), name_(std::move(name)), bytes_max_(bytes_max) {}
    std::optional<Got> take_line(std::string& line);

    host::Descriptor file_;
    std::string name_;
    std::size_t bytes_max_;
    std::string buffer_;
    std::size_t used_ = 0;  // of the buffer
    bool passing_over_ = false;
    bool ended_ = false;
    std::size_t line_number_ = 0;
};

}  // namespace belfry::cli
