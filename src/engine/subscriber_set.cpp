#include "engine/subscriber_set.hpp"

#include <utility>

namespace belfry::engine {

SubscriberSet::SubscriberSet(std::shared_ptr<const model::Catalogue> catalogue)
    : catalogue_(std::move(catalogue)), index_(catalogue_->subscribers), templates_(*catalogue_) {
    listeners_.reserve(catalogue_->subscribers.size());
    for (const model::Subscriber& subscriber : catalogue_->subscribers) {
        Listener listener;
        listener.subscriber = &subscriber;
        if (auto key = rules::DedupeKey::parse(subscriber.dedupe_key); key.ok()) listener.dedupe_key = std::move(*key);
        listener.content = templates_.content_of(subscriber);
        listener.text = templates_.text_of(subscriber);
        if (subscriber.unmatched) unmatched_.push_back(static_cast<std::uint32_t>(listeners_.size()));
        listeners_.push_back(std::move(listener));
    }
}

const Listener* SubscriberSet::find(std::string_view id) const {
    const model::Subscriber* const subscriber = catalogue_->find(id);
    if (subscriber == nullptr) return nullptr;
    return &listeners_[static_cast<std::size_t>(subscriber - catalogue_->subscribers.data())];
}

}  // namespace belfry::engine
