#include "rules/match.hpp"

#include <algorithm>

namespace belfry::rules {
namespace {

std::string_view stem_of(std::string_view pattern) {
    return pattern.ends_with(".*") ? pattern.substr(0, pattern.size() - 1) : pattern;
}

std::size_t bucket_of(model::Severity severity) {
    return static_cast<std::size_t>(severity);
}

}  // namespace

SubscriberIndex::SubscriberIndex(std::span<const model::Subscriber> subscribers) {
    std::string key;
    for (std::uint32_t place = 0; place < subscribers.size(); ++place) {
        const model::Subscriber& subscriber = subscribers[place];
        const std::size_t bucket = bucket_of(subscriber.severity_min.value_or(model::Severity::debug));
        for (const std::string& pattern : subscriber.types) {
            const std::string_view stem = stem_of(pattern);
            if (subscriber.sources.empty()) any_source_[std::string(stem)][bucket].push_back(place);
            for (const std::string& source : subscriber.sources) {
                key.assign(source).append(1, '\0').append(stem);
                by_source_[key][bucket].push_back(place);
            }
        }
    }
}

void SubscriberIndex::match(std::string_view type, std::string_view source, model::Severity severity,
                            std::vector<std::uint32_t>& found) const {
    found.clear();
    const auto collect = [&](const Table& table, std::string_view key) {
        const auto at = table.find(key);
        if (at == table.end()) return;
        for (std::size_t bucket = 0; bucket <= bucket_of(severity); ++bucket) {
            const std::vector<std::uint32_t>& places = at->second[bucket];
            found.insert(found.end(), places.begin(), places.end());
        }
    };
    // The type itself, and what stands before each of its dots, with the dot.
    const auto collect_all = [&](const Table& table, std::string_view key, std::size_t type_at) {
        if (table.empty()) return;
        collect(table, key);
        for (std::size_t dot = key.find('.', type_at); dot != std::string_view::npos && dot + 1 < key.size();
             dot = key.find('.', dot + 1)) {
            collect(table, key.substr(0, dot + 1));
        }
    };
    collect_all(any_source_, type, 0);
    if (!by_source_.empty()) {
        std::string key;
        key.reserve(source.size() + 1 + type.size());
        key.append(source).append(1, '\0').append(type);
        collect_all(by_source_, key, source.size() + 1);
    }
    if (found.size() < 2) return;
    std::ranges::sort(found);
    const auto rest = std::ranges::unique(found);
    found.erase(rest.begin(), rest.end());
}

}  // namespace belfry::rules
