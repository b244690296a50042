#include "model/sink.hpp"

#include <algorithm>
#include <array>

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 4> kinds{"desktop", "command", "ntfy", "webhook"};

}  // namespace

std::string_view sink_kind_name(SinkKind kind) {
    return kinds[static_cast<std::size_t>(kind)];
}

std::optional<SinkKind> parse_sink_kind(std::string_view name) {
    const auto at = std::ranges::find(kinds, name);
    if (at == kinds.end()) return std::nullopt;
    return static_cast<SinkKind>(at - kinds.begin());
}

const Sink* SinkCatalogue::find(std::string_view id) const {
    const auto at = std::ranges::lower_bound(sinks, id, {}, &Sink::id);
    return at != sinks.end() && at->id == id ? &*at : nullptr;
}

}  // namespace belfry::model
