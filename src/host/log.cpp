#include "host/log.hpp"

#include <array>
#include <cerrno>
#include <unistd.h>

#include "codec/utf8.hpp"
#include "host/printable.hpp"
#include "model/raw_json.hpp"

namespace belfry::host {
namespace {

constexpr std::array<std::string_view, 4> level_names{"debug", "info", "warning", "error"};

bool needs_quotes(std::string_view value) {
    return value.empty() || value.find_first_of(" \"=\\") != std::string_view::npos;
}

void append_text_value(std::string& out, std::string_view value) {
    if (!needs_quotes(value)) {
        append_printable(out, value);
        return;
    }
    out += '"';
    std::string quoted;
    for (const char c : value) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    append_printable(out, quoted);
    out += '"';
}

void append_value(std::string& out, const LogField& field) {
    model::JsonWriter writer(out);
    if (const auto* text = std::get_if<std::string_view>(&field.value)) append_text_value(out, *text);
    else if (const auto* number = std::get_if<std::int64_t>(&field.value)) out += std::to_string(*number);
    else if (const auto* real = std::get_if<double>(&field.value)) writer.real(*real);
    else out += std::get<bool>(field.value) ? "true" : "false";
}

}  // namespace

std::string_view log_level_name(LogLevel level) {
    return level_names[static_cast<std::size_t>(level)];
}

std::string format_log_text(base::Timestamp now, LogLevel level, std::string_view message,
                            std::initializer_list<LogField> fields) {
    std::string line;
    line.reserve(160);
    // Always three digits, so that lines stand under each other.
    const base::Timestamp cut{now.us / 1000 * 1000};
    base::append_timestamp(line, cut);
    if (cut.us % 1'000'000 == 0) line.insert(line.size() - 1, ".000");
    line += ' ';
    line += log_level_name(level);
    line.append(9 - log_level_name(level).size(), ' ');
    append_printable(line, message);
    bool first = true;
    for (const LogField& field : fields) {
        line += first ? "  " : " ";
        first = false;
        append_printable(line, field.name);
        line += '=';
        append_value(line, field);
    }
    line += '\n';
    return line;
}

std::string format_log_json(base::Timestamp now, LogLevel level, std::string_view message,
                            std::initializer_list<LogField> fields) {
    std::string line;
    line.reserve(200);
    model::JsonWriter writer(line);
    writer.begin_object();
    writer.field("time", base::format_timestamp(now));
    writer.field("level", log_level_name(level));
    writer.field("message", codec::to_utf8(message));
    for (const LogField& field : fields) {
        writer.name(codec::to_utf8(field.name));
        if (const auto* text = std::get_if<std::string_view>(&field.value)) writer.text(codec::to_utf8(*text));
        else if (const auto* number = std::get_if<std::int64_t>(&field.value)) writer.number(*number);
        else if (const auto* real = std::get_if<double>(&field.value)) writer.real(*real);
        else writer.boolean(std::get<bool>(field.value));
    }
    writer.end_object();
    return escape_json_controls(line) + "\n";
}

Logger::Logger(const ports::Clock& clock, LogLevel least, LogFormat format, int descriptor)
    : clock_(clock), least_(least), format_(format), descriptor_(descriptor) {}

void Logger::log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
    if (!would_log(level)) return;
    const base::Timestamp now = clock_.now();
    const std::string line = format_ == LogFormat::json ? format_log_json(now, level, message, fields)
                                                        : format_log_text(now, level, message, fields);
    std::string_view rest = line;
    const std::lock_guard guard(one_line_at_a_time_);
    while (!rest.empty()) {
        const ssize_t wrote = ::write(descriptor_, rest.data(), rest.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

}  // namespace belfry::host
