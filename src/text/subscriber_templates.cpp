#include "text/subscriber_templates.hpp"

#include <charconv>

#include "text/notification_text.hpp"

namespace belfry::text {
namespace {

// Takes `12:` from the front of the text; nothing where it does not begin so.
std::uint32_t take_number(std::string_view& text) {
    std::uint32_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end == text.data() + text.size() || *end != ':') return 0;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    return number;
}

// Takes `name:line:column: message` apart.
model::SubscriberProblem located(const std::string& name, std::string_view message) {
    model::SubscriberProblem problem;
    problem.fatal = false;
    if (message.starts_with(name + ':')) message.remove_prefix(name.size() + 1);
    problem.line = take_number(message);
    if (problem.line != 0) problem.column = take_number(message);
    while (message.starts_with(' ')) message.remove_prefix(1);
    problem.message = std::string(message) + "; the fallback text is used";
    return problem;
}

}  // namespace

SubscriberTemplates::SubscriberTemplates(const model::Catalogue& catalogue) {
    for (const auto& [name, source] : catalogue.templates) {
        auto compiled = Template::compile(name, source, notification_template_options);
        if (compiled.ok()) {
            files_.emplace(name, std::move(compiled).value());
            continue;
        }
        model::SubscriberProblem problem = located(name, compiled.error().message);
        const auto origin = catalogue.template_origins.find(name);
        problem.file = origin == catalogue.template_origins.end() ? name : origin->second;
        problems_.push_back(std::move(problem));
    }
    for (const model::Subscriber& subscriber : catalogue.subscribers) {
        const std::string& source = subscriber.text_template;
        if (source.empty() || texts_.contains(source)) continue;
        auto compiled = Template::compile(subscriber.id + ".text", source, notification_template_options);
        if (compiled.ok()) {
            texts_.emplace(source, std::move(compiled).value());
            continue;
        }
        // Line and column are the text's own, not the file's.
        model::SubscriberProblem problem = located(subscriber.id + ".text", compiled.error().message);
        problem.file = subscriber.origin;
        problem.field = "output.text";
        problem.message = "line " + std::to_string(problem.line) + ", column " + std::to_string(problem.column) +
                          " of the text: " + problem.message;
        problem.line = problem.column = 0;
        problems_.push_back(std::move(problem));
    }
}

const Template* SubscriberTemplates::find(std::string_view name) const {
    const auto found = files_.find(name);
    return found == files_.end() ? nullptr : &found->second;
}

const Template* SubscriberTemplates::content_of(const model::Subscriber& subscriber) const {
    return subscriber.template_name.empty() ? nullptr : find(subscriber.template_name);
}

const Template* SubscriberTemplates::text_of(const model::Subscriber& subscriber) const {
    const auto found = texts_.find(subscriber.text_template);
    return found == texts_.end() ? nullptr : &found->second;
}

}  // namespace belfry::text
