#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "ports/clock.hpp"

namespace belfry::host {

enum class LogLevel : std::uint8_t { debug, info, warning, error };
enum class LogFormat : std::uint8_t { text, json };

std::string_view log_level_name(LogLevel level);

// A named value of a log line. Its texts are views, alive while the line is written.
struct LogField {
    std::string_view name;
    std::variant<std::string_view, std::int64_t, double, bool> value;

    LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
    LogField(std::string_view field, const std::string& text) : name(field), value(std::string_view(text)) {}
    LogField(std::string_view field, const char* text) : name(field), value(std::string_view(text)) {}
    LogField(std::string_view field, bool flag) : name(field), value(flag) {}
    LogField(std::string_view field, double number) : name(field), value(number) {}
    template <std::integral T>
    LogField(std::string_view field, T number) : name(field), value(static_cast<std::int64_t>(number)) {}
};

// One line of text: `2026-11-15T05:00:00.123Z warning  the store is down  attempt=3 error="no \"such\" disk"`. Control
// characters, line breaks and terminal escapes inside any value are written as escapes: whoever can make Belfry log
// something cannot forge a line or speak to the reader's terminal. Ends with a line feed.
std::string format_log_text(base::Timestamp now, LogLevel level, std::string_view message,
                            std::initializer_list<LogField> fields);
// One JSON object: {"time":…,"level":…,"message":…,<fields>}. Bytes that are no UTF-8 become U+FFFD.
std::string format_log_json(base::Timestamp now, LogLevel level, std::string_view message,
                            std::initializer_list<LogField> fields);

// Lines about what happens, one write each, to standard error. Safe from any thread. A line that cannot be written is
// lost silently: there is nobody left to tell.
class Logger {
public:
    Logger(const ports::Clock& clock, LogLevel least, LogFormat format, int descriptor = 2);

    void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});
    void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
        log(LogLevel::debug, message, fields);
    }
    void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
        log(LogLevel::info, message, fields);
    }
    void warning(std::string_view message, std::initializer_list<LogField> fields = {}) {
        log(LogLevel::warning, message, fields);
    }
    void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
        log(LogLevel::error, message, fields);
    }

    [[nodiscard]] bool would_log(LogLevel level) const { return level >= least_; }

private:
    const ports::Clock& clock_;
    LogLevel least_;
    LogFormat format_;
    int descriptor_;
    std::mutex one_line_at_a_time_;
};

}  // namespace belfry::host
