#include "rules/counted_spans.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

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

// Adds a pair of microseconds; one that is none adds nothing.
void take_span(CountedSpans& spans, std::string_view pair) {
    const auto from = take_number(pair);
    const auto to = take_number(pair);
    if (from && to && *from <= *to) add_span(spans, {{*from}, {*to}});
}

void append_spans(model::JsonWriter& writer, const CountedSpans& spans) {
    for (const CountedSpan& one : spans) writer.begin_array().number(one.from.us).number(one.to.us).end_array();
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

CountedSpan begun_span(base::Timestamp now) {
    const base::Timestamp after = now + base::microseconds(1);
    return {after, after};
}

// A device that was told of the last firing by another one may count from an earlier time.
CountedSpans spans_of(const model::AgentTimer& timer) {
    if (!timer.last_scheduled_at || *timer.last_scheduled_at > timer.counted_from)
        return {begun_span(timer.counted_from)};
    return {{*timer.last_scheduled_at, timer.counted_from}};
}

void set_spans_aside(CountedTimes& counted, FormerSchedule before, const model::Schedule& now) {
    const auto find = [&](const model::Schedule& schedule) {
        return std::ranges::find(counted.former, schedule, &FormerSchedule::schedule);
    };
    before.spans = std::exchange(counted.spans, {});
    if (const auto known = find(before.schedule); known != counted.former.end()) {
        for (const CountedSpan& one : known->spans) add_span(before.spans, one);
        counted.former.erase(known);
    }
    if (const auto back = find(now); back != counted.former.end()) {
        counted.spans = std::move(back->spans);
        counted.former.erase(back);
    }
    if (counted.former.size() >= base::limits::timer_former_max) counted.former.erase(counted.former.begin());
    counted.former.push_back(std::move(before));
}

std::string format_counted(const CountedTimes& counted) {
    std::string text;
    model::JsonWriter writer(text);
    writer.begin_array();
    append_spans(writer, counted.spans);
    for (const FormerSchedule& former : counted.former) {
        writer.begin_object().name("schedule");
        model::append_kept_schedule(writer, former.schedule);
        writer.name("spans").begin_array();
        append_spans(writer, former.spans);
        writer.end_array().end_object();
    }
    writer.end_array();
    return text;
}

CountedTimes parse_counted(std::string_view text) {
    CountedTimes counted;
    if (!text.starts_with('[')) return counted;
    model::JsonWalker walker({text});
    while (const auto element = walker.next()) {
        if (element->kind() == model::JsonKind::array) {
            take_span(counted.spans, element->text);
            continue;
        }
        const auto schedule = element->member("schedule");
        const auto spans = element->member("spans");
        auto kept = schedule ? model::kept_schedule_of(*schedule) : std::nullopt;
        if (!kept || !spans) continue;
        FormerSchedule& former = counted.former.emplace_back(FormerSchedule{std::move(*kept), {}, {}});
        model::JsonWalker pairs(*spans);
        while (const auto pair = pairs.next()) take_span(former.spans, pair->text);
    }
    return counted;
}

}  // namespace belfry::rules
