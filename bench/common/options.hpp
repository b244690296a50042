#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace belfry::bench {

// The command line as pairs `--name value`. A name that the program does not know, a name without a value and a number
// that is none end the program.
class Options {
public:
    Options(int count, char** words, std::initializer_list<std::string_view> known);

    // Without `otherwise` the option must be there.
    std::string text(std::string_view name) const;
    std::string text(std::string_view name, std::string_view otherwise) const;
    std::int64_t number(std::string_view name) const;
    std::int64_t number(std::string_view name, std::int64_t otherwise) const;
    double real(std::string_view name, double otherwise) const;

private:
    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace belfry::bench
