#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/command.hpp"
#include "model/zone.hpp"

namespace belfry::cli {

struct Span {
    base::Timestamp from;
    base::Timestamp to;
};

// The clock on a person's wall: what he types is meant by it, and what he sees is shown by it. Dates are written
// 2026-11-16, times 09:00. What is wrong is said with the name of what was typed (`--due`, `TIME`) before it.
class LocalClock {
public:
    // Of --zone, else of the machine's own zone, else UTC.
    static base::Result<LocalClock> of(Context& context, const Arguments& arguments);

    [[nodiscard]] base::Timestamp now() const { return now_; }
    [[nodiscard]] const std::string& zone_name() const { return zone_->name; }
    [[nodiscard]] std::string today() const { return date_of(now_); }
    [[nodiscard]] std::string date_of(base::Timestamp time) const;
    [[nodiscard]] std::string time_of(base::Timestamp time) const;
    // 2026-11-16 09:00
    [[nodiscard]] std::string shown(base::Timestamp time) const;

    // A date, or yesterday, today, tomorrow.
    [[nodiscard]] base::Result<std::string> read_date(std::string_view name, const std::string& text) const;
    // A time of that date, or an instant in RFC 3339.
    [[nodiscard]] base::Result<base::Timestamp> read_moment(std::string_view name, const std::string& text,
                                                            const std::string& date) const;
    // 09:00-11:00; an end before the begin is one on the day after.
    [[nodiscard]] base::Result<Span> read_span(std::string_view name, const std::string& text,
                                               const std::string& date) const;

private:
    LocalClock(std::shared_ptr<const model::Zone> zone, base::Timestamp now) : zone_(std::move(zone)), now_(now) {}
    [[nodiscard]] std::string wall_text(base::Timestamp time) const;
    // The instant at which the wall shows so many seconds after the midnight that begins the date.
    [[nodiscard]] base::Timestamp instant(const std::string& date, std::int64_t seconds) const;

    std::shared_ptr<const model::Zone> zone_;
    base::Timestamp now_;
};

// Whether there is such a day, written as 2026-11-16.
bool is_date(std::string_view text);

}  // namespace belfry::cli
