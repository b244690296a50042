#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "model/subscriber.hpp"
#include "rules/dedupe_key.hpp"
#include "rules/match.hpp"
#include "text/subscriber_templates.hpp"
#include "text/template.hpp"

namespace belfry::engine {

// A subscriber, ready for work. Null templates: the fallback.
struct Listener {
    const model::Subscriber* subscriber = nullptr;
    rules::DedupeKey dedupe_key;
    const text::Template* content = nullptr;
    const text::Template* text = nullptr;
};

// A catalogue made ready: indexed, its templates compiled once each. A template that does not compile harms only those
// who use it. Immutable once built.
class SubscriberSet {
public:
    explicit SubscriberSet(std::shared_ptr<const model::Catalogue> catalogue);
    SubscriberSet(const SubscriberSet&) = delete;
    SubscriberSet& operator=(const SubscriberSet&) = delete;

    void match(std::string_view type, std::string_view source, model::Severity severity,
               std::vector<std::uint32_t>& found) const {
        index_.match(type, source, severity, found);
    }
    [[nodiscard]] const Listener& at(std::uint32_t place) const { return listeners_[place]; }
    [[nodiscard]] const Listener* find(std::string_view id) const;
    [[nodiscard]] const std::shared_ptr<const model::Catalogue>& catalogue() const { return catalogue_; }
    // Those who take errors that nobody else wants.
    [[nodiscard]] const std::vector<std::uint32_t>& unmatched() const { return unmatched_; }
    // For `{% include %}`.
    [[nodiscard]] const text::TemplateResolver& includes() const { return templates_; }

private:
    std::shared_ptr<const model::Catalogue> catalogue_;
    rules::SubscriberIndex index_;
    text::SubscriberTemplates templates_;
    std::vector<Listener> listeners_;  // beside catalogue_->subscribers
    std::vector<std::uint32_t> unmatched_;
};

}  // namespace belfry::engine
