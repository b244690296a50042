#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace belfry::bench {

// What a program found, as one line of JSON on stdout. Names and texts are the programs' own words and need no
// escaping.
class Report {
public:
    Report& add(std::string_view name, std::string_view text);
    Report& add(std::string_view name, double value);
    template <std::integral T>
    Report& add(std::string_view name, T value) {
        return add_word(name, std::to_string(value));
    }
    void print() const;

private:
    Report& add_word(std::string_view name, std::string_view word);

    std::string line_;
};

}  // namespace belfry::bench
