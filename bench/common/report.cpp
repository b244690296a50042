#include "common/report.hpp"

#include <cstdio>

namespace belfry::bench {

Report& Report::add(std::string_view name, std::string_view text) {
    return add_word(name, '"' + std::string(text) + '"');
}

Report& Report::add(std::string_view name, double value) {
    char word[64];
    const int size = std::snprintf(word, sizeof word, "%.3f", value);
    return add_word(name, std::string_view(word, static_cast<std::size_t>(size)));
}

void Report::print() const {
    std::printf("{%s}\n", line_.c_str());
    std::fflush(stdout);
}

Report& Report::add_word(std::string_view name, std::string_view word) {
    if (!line_.empty()) line_ += ',';
    line_.append("\"").append(name).append("\":").append(word);
    return *this;
}

}  // namespace belfry::bench
