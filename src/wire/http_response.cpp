#include "wire/http_response.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "codec/problem.hpp"

namespace belfry::wire {
namespace {

void append_number(std::string& out, std::size_t value) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

void append_status_line(std::string& out, int status) {
    out += "HTTP/1.1 ";
    append_number(out, static_cast<std::size_t>(status));
    out += ' ';
    out += reason_phrase(status);
    out += "\r\nDate: ";
}

}  // namespace

std::string_view reason_phrase(int status) {
    switch (status) {
        case 101: return "Switching Protocols";
        case 200: return "OK";
        case 201: return "Created";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 207: return "Multi-Status";
        default: return codec::title_of(static_cast<unsigned>(status));
    }
}

std::string http_date(base::Timestamp time) {
    static constexpr std::array<const char*, 7> week{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::array<const char*, 12> year{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::chrono::sys_seconds seconds{std::chrono::seconds(time.us / 1'000'000)};
    const auto day = std::chrono::floor<std::chrono::days>(seconds);
    const std::chrono::year_month_day date(day);
    const auto in_day = static_cast<int>((seconds - day).count());
    std::array<char, 64> text{};
    const int size = std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                                   week[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                                   year[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                                   in_day / 3600, in_day / 60 % 60, in_day % 60);
    return {text.data(), static_cast<std::size_t>(size)};
}

void append_response(std::string& out, const Response& response) {
    append_status_line(out, response.status);
    out += response.date;
    if (!response.content_type.empty()) {
        out += "\r\nContent-Type: ";
        out += response.content_type;
        // No page of another origin learns by an image or a script of ours that there is a Belfry here.
        out +=
            "\r\nX-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin"
            "\r\nCache-Control: no-store";
    }
    if (response.status >= 200 && response.status != 204) {
        out += "\r\nContent-Length: ";
        append_number(out, response.body.size());
    }
    out += response.keep_alive ? "\r\n" : "\r\nConnection: close\r\n";
    out += response.extra_fields;
    out += "\r\n";
    if (!response.omit_body) out += response.body;
}

void append_stream_head(std::string& out, std::string_view content_type, std::string_view date,
                        std::string_view extra_fields) {
    append_status_line(out, 200);
    out += date;
    out += "\r\nContent-Type: ";
    out += content_type;
    out +=
        "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Accel-Buffering: no"
        "\r\nConnection: close\r\n";
    out += extra_fields;
    out += "\r\n";
}

}  // namespace belfry::wire
