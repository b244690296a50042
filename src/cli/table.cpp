#include "cli/table.hpp"

#include <algorithm>

#include "cli/console.hpp"

namespace belfry::cli {
namespace {

// Characters, not bytes; wide ones count as one, which only bends a line.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

Table::Table(std::vector<std::string> titles) {
    rows_.push_back(std::move(titles));
}

void Table::add(const std::vector<std::string>& cells) {
    std::vector<std::string> row;
    for (const std::string& cell : cells) row.push_back(host::printable(cell));
    row.resize(rows_.front().size());
    rows_.push_back(std::move(row));
}

std::string Table::text(bool colours) const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    }
    std::string out;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        std::string line;
        for (std::size_t i = 0; i < rows_[r].size(); ++i) {
            line += rows_[r][i];
            line.append(widths[i] - width(rows_[r][i]) + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += paint(line, r == 0 ? Colour::bold : Colour::plain, colours) + "\n";
    }
    return out;
}

}  // namespace belfry::cli
