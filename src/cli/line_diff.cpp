#include "cli/line_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace belfry::cli {
namespace {

constexpr std::size_t around = 3;
constexpr std::size_t cells_max = 4 << 20;
constexpr std::string_view no_line_end = "\\ no line end";

struct Line {
    char mark;  // ' ', '-', '+'
    std::string_view text;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

// By the longest common subsequence of the lines.
std::vector<Line> compare(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::vector<std::vector<std::uint32_t>> common(a.size() + 1, std::vector<std::uint32_t>(b.size() + 1));
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;) {
            common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::vector<Line> lines;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            lines.push_back({' ', a[i++]});
            ++j;
        } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
            lines.push_back({'-', a[i++]});
        } else {
            lines.push_back({'+', b[j++]});
        }
    }
    return lines;
}

// What both begin and end with costs nothing; what is too much to compare is shown whole.
std::vector<Line> compare_whole(std::vector<std::string_view> a, std::vector<std::string_view> b) {
    std::vector<Line> lines;
    std::vector<Line> last;
    const auto same = std::ranges::mismatch(a, b);
    for (auto at = a.begin(); at != same.in1; ++at) lines.push_back({' ', *at});
    b.erase(b.begin(), same.in2);
    a.erase(a.begin(), same.in1);
    for (; !a.empty() && !b.empty() && a.back() == b.back(); b.pop_back()) {
        last.push_back({' ', a.back()});
        a.pop_back();
    }
    if (a.size() * b.size() <= cells_max) {
        const std::vector<Line> middle = compare(a, b);
        lines.insert(lines.end(), middle.begin(), middle.end());
    } else {
        for (const std::string_view line : a) lines.push_back({'-', line});
        for (const std::string_view line : b) lines.push_back({'+', line});
    }
    lines.insert(lines.end(), last.rbegin(), last.rend());
    return lines;
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after) {
    if (before == after) return {};
    const std::vector<Line> lines = compare_whole(lines_of(before), lines_of(after));
    std::vector<bool> shown(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].mark == ' ') continue;
        const std::size_t last = std::min(i + around, lines.size() - 1);
        for (std::size_t k = i - std::min(i, around); k <= last; ++k) shown[k] = true;
    }
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!shown[i]) {
            if (i == 0 || shown[i - 1]) text += "  …\n";
            continue;
        }
        text += lines[i].mark;
        text += ' ';
        text += lines[i].text;
        if (text.ends_with('\n')) continue;
        text += '\n';
        text += no_line_end;
        text += '\n';
    }
    return text;
}

}  // namespace belfry::cli
