#include "cli/console.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace belfry::cli {

namespace {
constexpr std::size_t buffer_bytes_max = 64 << 10;
}

Output::~Output() {
    flush();
}

void Output::write(std::string_view text) {
    buffer_ += text;
    if (descriptor_ >= 0 && buffer_.size() >= buffer_bytes_max) flush();
}

void Output::line(std::string_view text) {
    write(text);
    write("\n");
}

bool Output::flush() {
    if (descriptor_ < 0) return true;
    std::string_view rest = buffer_;
    while (!rest.empty() && !closed_ && failure_.empty()) {
        const ssize_t wrote = ::write(descriptor_, rest.data(), rest.size());
        if (wrote >= 0) rest.remove_prefix(static_cast<std::size_t>(wrote));
        else if (errno == EPIPE) closed_ = true;
        else if (errno != EINTR) failure_ = std::strerror(errno);
    }
    buffer_.clear();
    return !closed_ && failure_.empty();
}

void write_foreign(Console& console, std::string_view text) {
    if (!console.out_is_terminal) return console.out.write(text);
    std::string shown;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        host::append_printable(shown, text.substr(0, end));
        if (end == std::string_view::npos) break;
        shown += '\n';
        text.remove_prefix(end + 1);
    }
    console.out.write(shown);
}

std::string paint(std::string_view text, Colour colour, bool colours) {
    constexpr std::array<std::string_view, 7> codes{"", "2", "1", "31", "32", "33", "36"};
    if (!colours || colour == Colour::plain) return std::string(text);
    std::string out = "\x1b[";
    out += codes[static_cast<std::size_t>(colour)];
    out += 'm';
    out += text;
    out += "\x1b[0m";
    return out;
}

bool wants_colours(int descriptor, const host::Environment& environment) {
    return ::isatty(descriptor) == 1 && !environment.get("NO_COLOR") && environment.get("TERM") != "dumb";
}

}  // namespace belfry::cli
