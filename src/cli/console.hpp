#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/environment.hpp"
#include "host/printable.hpp"

namespace belfry::cli {

// Standard output or standard error; or a string, for tests.
class Output {
public:
    explicit Output(int descriptor) : descriptor_(descriptor) {}
    Output() = default;  // collects
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    // Buffered; `text` is ours, or has gone through host::printable.
    void write(std::string_view text);
    void line(std::string_view text);
    // False where whoever read is gone: there is nobody left to write for, and that is no failure.
    bool flush();
    [[nodiscard]] bool is_closed() const { return closed_; }
    // Something could not be written for another reason (a full disk); empty: none.
    [[nodiscard]] const std::string& failure() const { return failure_; }
    [[nodiscard]] int descriptor() const { return descriptor_; }  // -1: none
    [[nodiscard]] const std::string& collected() const { return buffer_; }

private:
    int descriptor_ = -1;
    std::string buffer_;
    bool closed_ = false;
    std::string failure_;
};

enum class Colour : std::uint8_t { plain, dim, bold, red, green, yellow, cyan };

// Data goes to `out`, everything else to `err`. Colours only on a terminal, and not with NO_COLOR or TERM=dumb.
struct Console {
    Output& out;
    Output& err;
    bool colours_out = false;
    bool colours_err = false;
    bool err_is_terminal = false;
    bool out_is_terminal = false;
};

// Text that strangers may have written, to standard output: to a terminal line by line through host::printable, to
// anything else byte for byte.
void write_foreign(Console& console, std::string_view text);

std::string paint(std::string_view text, Colour colour, bool colours);
bool wants_colours(int descriptor, const host::Environment& environment);

}  // namespace belfry::cli
