#include "engine/subscriber_set.hpp"

#include <utility>

#include "text/notification_text.hpp"

namespace belfry::engine {

const text::Template* SubscriberSet::Includes::find(std::string_view name) const {
    const auto at = templates.find(name);
    return at == templates.end() ? nullptr : &at->second;
}

SubscriberSet::SubscriberSet(std::shared_ptr<const model::Catalogue> catalogue)
    : catalogue_(std::move(catalogue)), index_(catalogue_->subscribers) {
    for (const auto& [name, source] : catalogue_->templates) {
        auto compiled = text::Template::compile(name, source, text::notification_template_options);
        if (compiled.ok()) includes_.templates.emplace(name, std::move(*compiled));
    }
    listeners_.reserve(catalogue_->subscribers.size());
    for (const model::Subscriber& subscriber : catalogue_->subscribers) {
        Listener listener;
        listener.subscriber = &subscriber;
        if (auto key = rules::DedupeKey::parse(subscriber.dedupe_key); key.ok()) listener.dedupe_key = std::move(*key);
        listener.content = includes_.find(subscriber.template_name);
        if (!subscriber.text_template.empty()) {
            auto at = texts_.find(subscriber.text_template);
            if (at == texts_.end()) {
                auto compiled = text::Template::compile(subscriber.id + ".text", subscriber.text_template,
                                                        text::notification_template_options);
                if (compiled.ok()) at = texts_.emplace(subscriber.text_template, std::move(*compiled)).first;
            }
            if (at != texts_.end()) listener.text = &at->second;
        }
        listeners_.push_back(std::move(listener));
    }
}

const Listener* SubscriberSet::find(std::string_view id) const {
    const model::Subscriber* const subscriber = catalogue_->find(id);
    if (subscriber == nullptr) return nullptr;
    return &listeners_[static_cast<std::size_t>(subscriber - catalogue_->subscribers.data())];
}

}  // namespace belfry::engine
