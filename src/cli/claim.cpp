#include "cli/claim.hpp"

#include <charconv>
#include <string_view>

namespace belfry::cli {
namespace {

std::optional<std::int64_t> number_in(const host::Environment& environment, std::string_view name) {
    const auto text = environment.get(name);
    std::int64_t number = 0;
    if (!text) return std::nullopt;
    const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (failed != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return number;
}

}  // namespace

std::optional<client::JournalScope::Claim> claim_in(const host::Environment& environment) {
    const auto wake = number_in(environment, "BELFRY_WAKE_ID");
    const auto fence = number_in(environment, "BELFRY_FENCE");
    if (!wake || !fence) return std::nullopt;
    return client::JournalScope::Claim{*wake, *fence};
}

}  // namespace belfry::cli
