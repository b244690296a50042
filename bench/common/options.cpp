#include "common/options.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "common/fail.hpp"

namespace belfry::bench {

Options::Options(int count, char** words, std::initializer_list<std::string_view> known) {
    for (int i = 1; i < count; i += 2) {
        const std::string_view word = words[i];
        if (!word.starts_with("--") || std::ranges::find(known, word.substr(2)) == known.end())
            fail("unknown option " + std::string(word));
        if (i + 1 == count) fail("no value for " + std::string(word));
        values_.insert_or_assign(std::string(word.substr(2)), words[i + 1]);
    }
}

std::string Options::text(std::string_view name) const {
    const auto at = values_.find(name);
    if (at == values_.end()) fail("missing option --" + std::string(name));
    return at->second;
}

std::string Options::text(std::string_view name, std::string_view otherwise) const {
    return values_.contains(name) ? text(name) : std::string(otherwise);
}

std::int64_t Options::number(std::string_view name) const {
    const std::string word = text(name);
    char* end = nullptr;
    errno = 0;
    const std::int64_t value = std::strtoll(word.c_str(), &end, 10);
    if (errno != 0 || word.empty() || *end != '\0' || value < 0) fail("not a number: --" + std::string(name));
    return value;
}

std::int64_t Options::number(std::string_view name, std::int64_t otherwise) const {
    return values_.contains(name) ? number(name) : otherwise;
}

double Options::real(std::string_view name, double otherwise) const {
    if (!values_.contains(name)) return otherwise;
    const std::string word = text(name);
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0' || !(value >= 0)) fail("not a number: --" + std::string(name));
    return value;
}

}  // namespace belfry::bench
