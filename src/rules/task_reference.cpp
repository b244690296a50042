#include "rules/task_reference.hpp"

#include <algorithm>
#include <cmath>

#include "rules/journal_terms.hpp"

namespace belfry::rules {
namespace {

constexpr double beginning_weight = 0.8;  // of a word that only begins one of the title
constexpr std::size_t beginning_bytes_min = 2;
constexpr double words_share = 0.75;  // of the reference's words that are there
constexpr double title_share = 0.15;  // of the title's words that are named
constexpr double order_share = 0.1;
constexpr double inexact_max = 0.95;
constexpr double closed_factor = 0.7;

using Words = std::vector<std::string>;

struct Found {
    std::size_t place = 0;
    double weight = 0;  // 0: it is not there
};

Found find_word(const std::string& word, const Words& title) {
    if (const auto at = std::ranges::find(title, word); at != title.end()) {
        return {static_cast<std::size_t>(at - title.begin()), 1};
    }
    const auto at = std::ranges::find_if(title, [&](const std::string& one) { return one.starts_with(word); });
    if (word.size() < beginning_bytes_min || at == title.end()) return {};
    return {static_cast<std::size_t>(at - title.begin()), beginning_weight};
}

double likeness(const Words& reference, const Words& title) {
    double weights = 0;
    std::vector<std::size_t> places;
    for (const std::string& word : reference) {
        const Found found = find_word(word, title);
        if (found.weight == 0) continue;
        weights += found.weight;
        places.push_back(found.place);
    }
    if (places.empty()) return 0;
    std::size_t in_order = 1;
    for (std::size_t i = 1; i < places.size(); ++i) in_order += places[i - 1] < places[i] ? 1 : 0;
    const double order = static_cast<double>(in_order) / static_cast<double>(places.size());
    std::ranges::sort(places);
    const auto repeated = std::ranges::unique(places);
    places.erase(repeated.begin(), repeated.end());
    const double words = weights / static_cast<double>(reference.size());
    const double named = static_cast<double>(places.size()) / static_cast<double>(title.size());
    // In another order it is less sure, and so are few words of many.
    return words * (words_share + title_share * named + order_share * order);
}

}  // namespace

double task_confidence(std::string_view reference, const model::JournalRecord& task) {
    if (reference == task.id) return 1;
    const auto& body = std::get<model::Task>(task.body);
    const Words wanted = words_of(reference);
    const Words title = words_of(body.title);
    const bool is_exact = wanted.empty() ? reference == body.title : wanted == title;
    const double sure = is_exact ? 1 : std::min(inexact_max, likeness(wanted, title));
    // Two digits are as much as it can be said to know, and equal ones are equal on every machine.
    return std::round(100 * sure * (is_closed(body) ? closed_factor : 1)) / 100;
}

std::vector<RankedTask> rank_tasks(std::string_view reference, const std::vector<model::JournalRecord>& tasks) {
    std::vector<RankedTask> ranked;
    for (const model::JournalRecord& task : tasks) {
        const double confidence = task_confidence(reference, task);
        if (confidence > 0) ranked.push_back({&task, confidence});
    }
    std::ranges::sort(ranked, [](const RankedTask& a, const RankedTask& b) {
        if (a.confidence != b.confidence) return a.confidence > b.confidence;
        return a.task->number > b.task->number;
    });
    return ranked;
}

const model::JournalRecord* resolved_task(const std::vector<RankedTask>& ranked) {
    constexpr double rounding = 1e-9;
    if (ranked.empty() || ranked[0].confidence < resolved_confidence) return nullptr;
    const bool is_ahead = ranked.size() == 1 || ranked[0].confidence - ranked[1].confidence >= resolved_lead - rounding;
    return is_ahead ? ranked[0].task : nullptr;
}

}  // namespace belfry::rules
