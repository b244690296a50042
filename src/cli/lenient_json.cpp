#include "cli/lenient_json.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "codec/utf8.hpp"

namespace belfry::cli {
namespace {

// The code unit of an escape `\uXXXX` at the beginning.
std::optional<unsigned> escaped_unit(std::string_view text) {
    if (text.size() < 6 || !text.starts_with("\\u")) return std::nullopt;
    unsigned unit = 0;
    const auto [end, failed] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
    if (failed != std::errc{} || end != text.data() + 6) return std::nullopt;
    return unit;
}

bool is_high(unsigned unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(unsigned unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

class Mending {
public:
    Mending(std::string_view text, std::size_t depth_max) : left_(text), depth_max_(depth_max) {}

    std::string run() {
        out_.reserve(left_.size());
        while (!left_.empty()) {
            const char c = left_.front();
            if (is_inside_text_ && c == '\\') take_escape();
            else if (static_cast<unsigned char>(c) >= 0x80U) take_character();
            else {
                if (c == '"') is_inside_text_ = !is_inside_text_;
                if (!is_inside_text_ && (c == '{' || c == '[')) open();
                const bool is_closing = !is_inside_text_ && (c == '}' || c == ']');
                take(1);
                if (is_closing) close();
            }
        }
        return std::move(out_);
    }

private:
    void take(std::size_t bytes) {
        if (depth_ <= depth_max_) out_ += left_.substr(0, bytes);
        left_.remove_prefix(std::min(bytes, left_.size()));
    }
    void replace(std::size_t bytes, std::string_view by) {
        if (depth_ <= depth_max_) out_ += by;
        left_.remove_prefix(bytes);
    }

    void open() {
        if (depth_++ == depth_max_) out_ += "null";
    }
    void close() {
        if (depth_ > 0) --depth_;
    }

    void take_escape() {
        const auto unit = escaped_unit(left_);
        if (!unit) return take(2);
        const auto next = escaped_unit(left_.substr(6));
        if (is_high(*unit) && next && is_low(*next)) return take(12);
        if (is_high(*unit) || is_low(*unit)) return replace(6, "\\ufffd");
        take(6);
    }

    void take_character() {
        const std::size_t bytes = codec::utf8_sequence(left_.data(), left_.data() + left_.size());
        if (bytes == 0) return replace(1, "\xEF\xBF\xBD");
        take(bytes);
    }

    std::string_view left_;
    std::size_t depth_max_;
    std::size_t depth_ = 0;
    bool is_inside_text_ = false;
    std::string out_;
};

}  // namespace

std::string lenient_json(std::string_view text, std::size_t depth_max) {
    return Mending(text, depth_max).run();
}

}  // namespace belfry::cli
