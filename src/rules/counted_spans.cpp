#include "rules/counted_spans.hpp"

#include <algorithm>
#include <charconv>

#include "base/timer_limits.hpp"

namespace belfry::rules {
namespace {

// Reads the next number behind `text`'s first digit or sign, and takes it off.
std::optional<std::int64_t> take_number(std::string_view& text) {
    const std::size_t begin = text.find_first_of("-0123456789");
    if (begin == std::string_view::npos) return std::nullopt;
    text.remove_prefix(begin);
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return value;
}

// Instants between the two count as fired from then on: as few as can be.
void unite_nearest(CountedSpans& spans) {
    std::size_t nearest = 1;
    const auto gap = [&](std::size_t at) { return spans[at].from - spans[at - 1].to; };
    for (std::size_t i = 2; i < spans.size(); ++i) {
        if (gap(i) < gap(nearest)) nearest = i;
    }
    spans[nearest - 1].to = spans[nearest].to;
    spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(nearest));
}

}  // namespace

void add_span(CountedSpans& spans, CountedSpan span) {
    for (const CountedSpan& one : spans) {
        if (one.to < span.from || one.from > span.to) continue;
        span.from = std::min(span.from, one.from);
        span.to = std::max(span.to, one.to);
    }
    std::erase_if(spans, [&](const CountedSpan& one) { return one.from >= span.from && one.to <= span.to; });
    spans.insert(std::ranges::upper_bound(spans, span.from, {}, &CountedSpan::from), span);
    while (spans.size() > base::limits::timer_spans_max) unite_nearest(spans);
}

const CountedSpan* span_at(const CountedSpans& spans, base::Timestamp time) {
    const auto at =
        std::ranges::find_if(spans, [&](const CountedSpan& one) { return one.from <= time && time <= one.to; });
    return at == spans.end() ? nullptr : &*at;
}

std::optional<base::Timestamp> counted_until(const CountedSpans& spans, base::Timestamp now) {
    std::optional<base::Timestamp> until;
    for (const CountedSpan& one : spans) {
        if (one.to <= now) until = one.to;
    }
    return until;
}

// A device that was told of the last firing by another one may count from an earlier time.
CountedSpans spans_of(const model::AgentTimer& timer) {
    const base::Timestamp fired = timer.last_scheduled_at.value_or(timer.counted_from);
    return {{std::min(fired, timer.counted_from), timer.counted_from}};
}

std::string format_spans(const CountedSpans& spans) {
    std::string text = "[";
    for (const CountedSpan& one : spans) {
        if (text.size() > 1) text += ',';
        text += '[' + std::to_string(one.from.us) + ',' + std::to_string(one.to.us) + ']';
    }
    return text + ']';
}

CountedSpans parse_spans(std::string_view text) {
    CountedSpans spans;
    while (const auto from = take_number(text)) {
        const auto to = take_number(text);
        if (!to || *to < *from) return {};
        add_span(spans, {{*from}, {*to}});
    }
    return spans;
}

}  // namespace belfry::rules
