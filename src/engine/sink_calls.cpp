#include "engine/sink_calls.hpp"

#include <algorithm>
#include <charconv>

#include "engine/awareness.hpp"

namespace belfry::engine {
namespace {

constexpr std::size_t note_bytes_max = 300;

std::string cut(std::string_view text) {
    std::size_t end = std::min(text.size(), note_bytes_max);
    while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

}  // namespace

std::int64_t count_failure(ports::Obligation& call) {
    std::int64_t failures = 0;
    if (const auto before = call.progress.member("failures")) {
        std::from_chars(before->text.data(), before->text.data() + before->text.size(), failures);
    }
    ++failures;
    call.progress = model::RawJson::trusted("{\"failures\":" + std::to_string(failures) + '}');
    return failures;
}

base::Result<void> record_sink_step(const ports::Obligation& call, std::string_view what, std::string_view note,
                                    Unit& unit) {
    const auto sink = call.detail.member("sink");
    const auto which = call.detail.member("notification");
    const auto id = which ? base::parse_uuid(which->as_text()) : std::nullopt;
    if (!sink || !id) return {};
    TRY_ASSIGN(auto row, unit.store.notifications().find(model::NotificationId{*id}));
    if (!row) return {};
    if (what == sink_delivered) TRY(note_shown(*row, unit));
    model::Transition step;
    step.notification = row->id;
    step.at = unit.now;
    step.from = step.to = row->state;
    step.lease = row->lease;
    step.holder = "sink:" + sink->as_text();
    step.reason = what;
    if (!note.empty()) step.reason += ": " + cut(note);
    return unit.store.notifications().add_steps(std::span(&step, 1));
}

}  // namespace belfry::engine
