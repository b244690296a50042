#include "cli/line_reader.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "host/files.hpp"

namespace belfry::cli {

base::Result<LineReader> LineReader::open(const std::string& path, std::size_t bytes_max) {
    const bool is_input = path == "-";
    host::Descriptor file(is_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                   : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const std::string name = is_input ? "standard input" : path;
    if (!file.is_open()) return host::system_error("cannot open", name);
    return LineReader(std::move(file), name, bytes_max);
}

std::optional<LineReader::Got> LineReader::take_line(std::string& line) {
    const std::size_t end = buffer_.find('\n', used_);
    if (end == std::string::npos && !(ended_ && used_ < buffer_.size())) {
        buffer_.erase(0, used_);
        used_ = 0;
        if (buffer_.size() <= bytes_max_) return std::nullopt;
        passing_over_ = true;
        buffer_.clear();
        return std::nullopt;
    }
    const std::size_t until = std::min(end, buffer_.size());
    line.assign(buffer_, used_, until - used_);
    used_ = std::min(until + 1, buffer_.size());
    ++line_number_;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool too_long = passing_over_ || line.size() > bytes_max_;
    passing_over_ = false;
    return too_long ? Got::too_long : Got::line;
}

base::Result<LineReader::Got> LineReader::next(std::string& line, std::optional<base::Duration> patience) {
    for (;;) {
        if (const auto got = take_line(line)) return *got;
        if (ended_) {
            if (!passing_over_) return Got::end;
            passing_over_ = false;
            ++line_number_;
            return Got::too_long;
        }
        if (patience) {
            pollfd entry{file_.get(), POLLIN, 0};
            if (::poll(&entry, 1, static_cast<int>(patience->us / 1000)) == 0) return Got::nothing_yet;
        }
        std::array<char, 65'536> bytes{};
        const ssize_t got = ::read(file_.get(), bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return host::system_error("cannot read", name_);
        if (got == 0) ended_ = true;
        else buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace belfry::cli
