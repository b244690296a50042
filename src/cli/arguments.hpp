#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

// The command line as a declaration and what was typed.
namespace belfry::cli {

// What is wrong with the command line, in words.
base::Error wrong(std::string message);

struct OptionSpec {
    std::string name;         // severity, typed as --severity
    std::string placeholder;  // LEVEL; empty: a flag without a value
    std::string help;
    char letter = 0;       // n, typed as -n
    bool repeats = false;  // may stand more than once
};

struct PositionalSpec {
    enum class Count : std::uint8_t { one, optional, any };
    std::string name;  // TYPE
    std::string help;
    Count count = Count::one;
};

struct ArgumentSpec {
    std::vector<OptionSpec> options;
    std::vector<PositionalSpec> positionals;  // the one that takes any number stands last
};

// What was typed, already checked against its declaration.
class Arguments {
public:
    // Whether the command has this option at all.
    [[nodiscard]] bool knows(std::string_view option) const { return known_.contains(option); }
    [[nodiscard]] bool has(std::string_view option) const { return options_.contains(option); }
    [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
    [[nodiscard]] std::string value_or(std::string_view option, std::string_view otherwise) const;
    [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
    [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
    // Those of them that stood after `--`: a command that is to be run.
    [[nodiscard]] std::vector<std::string> after_dashes() const;
    // The i-th, or empty where there are fewer.
    [[nodiscard]] std::string positional(std::size_t i) const;

    // The value as a number in the range, nothing where it was not given, or why it is none.
    [[nodiscard]] base::Result<std::optional<std::int64_t>> integer(std::string_view option, std::int64_t min,
                                                                    std::int64_t max) const;
    [[nodiscard]] base::Result<std::optional<base::Duration>> duration(std::string_view option) const;

private:
    friend class ArgumentParser;
    std::map<std::string, std::vector<std::string>, std::less<>> options_;
    std::vector<std::string> positionals_;
    std::set<std::string, std::less<>> known_;
    std::size_t before_dashes_ = 0;  // positionals that stood before `--`; all of them where there is none
};

// `--name value`, `--name=value`, `-n 5`, `-n5`; options and positionals in any order; `--` ends the options; a lone
// `-` is a positional. Errors are of code invalid, in words for the person who typed: an unknown option names the
// nearest.
base::Result<Arguments> parse_arguments(const ArgumentSpec& spec, std::span<const std::string> typed);

// The options as lines for a help text.
std::string describe_options(const std::vector<OptionSpec>& options);

}  // namespace belfry::cli
