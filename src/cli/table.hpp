#pragma once

#include <string>
#include <vector>

namespace belfry::cli {

// Columns under each other for a person. Cells are made printable here.
class Table {
public:
    explicit Table(std::vector<std::string> titles);
    void add(const std::vector<std::string>& cells);
    [[nodiscard]] std::string text(bool colours) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace belfry::cli
