#include <algorithm>
#include <span>

#include "base/hash.hpp"
#include "rules/monitor.hpp"

namespace belfry::rules {
namespace {

using Actions = std::span<const model::Action>;

constexpr std::size_t told_patterns_max = 8;
constexpr std::size_t hash_chars = 16;

// How many actions at the end go on repeating with this period.
std::size_t periodic_length(Actions actions, std::size_t period) {
    std::size_t length = std::min(period, actions.size());
    while (length < actions.size()) {
        const std::size_t at = actions.size() - 1 - length;
        if (actions[at].signature != actions[at + period].signature) break;
        ++length;
    }
    return length;
}

// The same for every rotation of a pattern, and short: patterns are remembered by it.
std::string circle_hash(Actions pattern) {
    std::string least;
    for (std::size_t start = 0; start < pattern.size(); ++start) {
        std::string turned;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            const std::string& signature = pattern[(start + i) % pattern.size()].signature;
            turned.append(std::to_string(signature.size())).append(1, ':').append(signature);
        }
        if (start == 0 || turned < least) least = std::move(turned);
    }
    const base::Sha256 hash = base::sha256(least);
    return base::hex({reinterpret_cast<const char*>(hash.data()), hash_chars / 2});
}

// True where this circle was not told of late; then it is remembered as told.
bool tell_once(model::Progress& progress, const std::string& circle, base::Timestamp now, base::Duration window) {
    if (!progress.loop_told_at || now - *progress.loop_told_at >= window) progress.loop_pattern.clear();
    // One circle may hold another (a, a, a, b), so that several are told in turn: remembering the last would tell both
    // without end.
    std::string& told = progress.loop_pattern;
    if (told.find(circle) != std::string::npos) return false;
    if (!told.empty()) told += ' ';
    told += circle;
    constexpr std::size_t chars_max = told_patterns_max * (hash_chars + 1) - 1;
    if (told.size() > chars_max) told.erase(0, hash_chars + 1);
    progress.loop_told_at = now;
    return true;
}

Finding loop_detected(Actions pattern, std::size_t repetitions, base::Duration window) {
    std::string names;
    for (const model::Action& action : pattern) {
        if (!names.empty()) names += " → ";
        names += action.name;
    }
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object()
        .field("pattern", names)
        .field("repetitions", static_cast<long long>(repetitions))
        .field("window_seconds", window.us / 1'000'000)
        .end_object();
    return {"agent.loop.detected", model::RawJson::trusted(std::move(json))};
}

}  // namespace

std::optional<Finding> note_action(model::Progress& progress, model::Action action, const MonitorOptions& options) {
    std::vector<model::Action>& actions = progress.actions;
    const base::Timestamp now = action.at;
    std::erase_if(actions, [&](const model::Action& old) { return old.at < now - options.loop_window; });
    const bool is_known = !action.call_id.empty() && std::ranges::any_of(actions, [&](const model::Action& old) {
        return old.call_id == action.call_id;
    });
    if (is_known) return {};
    if (actions.size() >= base::limits::loop_actions_max) actions.erase(actions.begin());
    actions.push_back(std::move(action));

    // Once is no repetition, whatever the configuration says.
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(options.loop_repetitions, 2));
    for (std::size_t period = 1; period <= base::limits::loop_pattern_actions_max; ++period) {
        const std::size_t repetitions = periodic_length(actions, period) / period;
        if (repetitions < wanted) continue;
        const Actions pattern = Actions(actions).last(period);
        if (!tell_once(progress, circle_hash(pattern), now, options.loop_window)) return {};
        return loop_detected(pattern, repetitions, options.loop_window);
    }
    return {};
}

}  // namespace belfry::rules
