#include "cli/arguments.hpp"

#include <charconv>

#include "base/nearest.hpp"

namespace belfry::cli {

base::Error wrong(std::string message) {
    return base::error(base::Code::invalid, std::move(message));
}
class ArgumentParser {
public:
    ArgumentParser(const ArgumentSpec& spec, std::span<const std::string> typed) : spec_(spec), typed_(typed) {}

    base::Result<Arguments> run() {
        for (const OptionSpec& option : spec_.options) result_.known_.insert(option.name);
        while (at_ < typed_.size()) {
            const std::string& word = typed_[at_++];
            if (only_positionals_ || word == "-" || !word.starts_with('-')) TRY(take_positional(word));
            else if (word == "--") end_options();
            else if (word.starts_with("--")) TRY(take_long(std::string_view(word).substr(2)));
            else TRY(take_letters(std::string_view(word).substr(1)));
        }
        const std::size_t given = result_.positionals_.size();
        if (!only_positionals_) result_.before_dashes_ = given;
        for (std::size_t i = given; i < spec_.positionals.size(); ++i) {
            const PositionalSpec& missing = spec_.positionals[i];
            if (missing.count == PositionalSpec::Count::one) return wrong(missing.name + " is missing");
        }
        return std::move(result_);
    }

private:
    void end_options() {
        only_positionals_ = true;
        result_.before_dashes_ = result_.positionals_.size();
    }

    base::Result<void> take_positional(const std::string& word) {
        const bool endless = !spec_.positionals.empty() && spec_.positionals.back().count == PositionalSpec::Count::any;
        if (!endless && result_.positionals_.size() >= spec_.positionals.size()) {
            return wrong("\"" + word + "\" is one argument too many");
        }
        result_.positionals_.push_back(word);
        return {};
    }

    base::Result<void> take_long(std::string_view word) {
        const std::size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        for (const OptionSpec& option : spec_.options) {
            if (option.name != name) continue;
            if (equals != std::string_view::npos) {
                if (option.placeholder.empty()) return wrong("--" + option.name + " takes no value");
                return store(option, std::string(word.substr(equals + 1)));
            }
            return take_value(option, "--" + option.name);
        }
        std::vector<std::string_view> names;
        for (const OptionSpec& option : spec_.options) names.push_back(option.name);
        const std::string near = base::nearest(name, names);
        std::string message = "there is no option --" + std::string(name);
        if (!near.empty()) message += "; did you mean --" + near + "?";
        return wrong(std::move(message));
    }

    base::Result<void> take_letters(std::string_view letters) {
        const OptionSpec* found = nullptr;
        for (const OptionSpec& option : spec_.options) {
            if (option.letter == letters.front()) found = &option;
        }
        if (found == nullptr) return wrong("there is no option -" + std::string(1, letters.front()));
        letters.remove_prefix(1);
        if (!found->placeholder.empty() && !letters.empty()) return store(*found, std::string(letters));
        TRY(take_value(*found, "-" + std::string(1, found->letter)));
        return letters.empty() ? base::Result<void>() : take_letters(letters);
    }

    base::Result<void> take_value(const OptionSpec& option, const std::string& typed_as) {
        if (option.placeholder.empty()) return store(option, {});
        if (at_ == typed_.size()) return wrong(typed_as + " needs a value: " + option.placeholder);
        return store(option, typed_[at_++]);
    }

    base::Result<void> store(const OptionSpec& option, std::string value) {
        std::vector<std::string>& values = result_.options_[option.name];
        if (!values.empty() && !option.repeats && !option.placeholder.empty()) {
            return wrong("--" + option.name + " stands there twice");
        }
        values.push_back(std::move(value));
        return {};
    }

    const ArgumentSpec& spec_;
    std::span<const std::string> typed_;
    std::size_t at_ = 0;
    bool only_positionals_ = false;
    Arguments result_;
};

base::Result<Arguments> parse_arguments(const ArgumentSpec& spec, std::span<const std::string> typed) {
    return ArgumentParser(spec, typed).run();
}

std::optional<std::string> Arguments::value(std::string_view option) const {
    const auto found = options_.find(option);
    if (found == options_.end()) return std::nullopt;
    return found->second.back();
}

std::string Arguments::value_or(std::string_view option, std::string_view otherwise) const {
    return value(option).value_or(std::string(otherwise));
}

std::vector<std::string> Arguments::values(std::string_view option) const {
    const auto found = options_.find(option);
    return found == options_.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> Arguments::after_dashes() const {
    return {positionals_.begin() + static_cast<std::ptrdiff_t>(before_dashes_), positionals_.end()};
}

std::string Arguments::positional(std::size_t i) const {
    return i < positionals_.size() ? positionals_[i] : std::string();
}

base::Result<std::optional<std::int64_t>> Arguments::integer(std::string_view option, std::int64_t min,
                                                             std::int64_t max) const {
    const std::optional<std::string> text = value(option);
    if (!text) return std::optional<std::int64_t>{};
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (failed != std::errc{} || end != text->data() + text->size() || number < min || number > max) {
        return wrong("--" + std::string(option) + " must be a whole number from " + std::to_string(min) + " to " +
                     std::to_string(max) + ", not \"" + *text + "\"");
    }
    return std::optional<std::int64_t>(number);
}

base::Result<std::optional<base::Duration>> Arguments::duration(std::string_view option) const {
    const std::optional<std::string> text = value(option);
    if (!text) return std::optional<base::Duration>{};
    const std::optional<base::Duration> parsed = base::parse_duration(*text);
    if (!parsed || parsed->us == 0) {
        return wrong("--" + std::string(option) + " must be a time like 90s, 15m, 24h or 30d, not \"" + *text + "\"");
    }
    return parsed;
}

std::string describe_options(const std::vector<OptionSpec>& options) {
    std::string text;
    for (const OptionSpec& option : options) {
        std::string left = "  ";
        left += option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";
        left += "--" + option.name;
        if (!option.placeholder.empty()) left += " " + option.placeholder;
        constexpr std::size_t column = 32;
        if (left.size() + 2 > column) left += "\n" + std::string(column, ' ');
        else left.append(column - left.size(), ' ');
        text += left + option.help + (option.repeats ? " (may repeat)" : "") + "\n";
    }
    return text;
}

}  // namespace belfry::cli
