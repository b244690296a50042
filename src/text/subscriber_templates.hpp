#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/subscriber.hpp"
#include "text/template.hpp"

namespace belfry::text {

// The templates of a catalogue, compiled: each file once, each text of a subscriber once. Immutable; rendering may
// happen from any thread.
class SubscriberTemplates final : public TemplateResolver {
public:
    SubscriberTemplates() = default;
    explicit SubscriberTemplates(const model::Catalogue& catalogue);

    // By the name that subscribers and includes use. Null: there is none, or it is broken.
    [[nodiscard]] const Template* find(std::string_view name) const override;
    [[nodiscard]] const Template* content_of(const model::Subscriber& subscriber) const;
    [[nodiscard]] const Template* text_of(const model::Subscriber& subscriber) const;

    // What did not compile, with file, line and column; not fatal, because the fallback takes its place.
    [[nodiscard]] const std::vector<model::SubscriberProblem>& problems() const { return problems_; }

private:
    std::map<std::string, Template, std::less<>> files_;
    std::map<std::string, Template, std::less<>> texts_;  // by source
    std::vector<model::SubscriberProblem> problems_;
};

}  // namespace belfry::text
