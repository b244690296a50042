#include <algorithm>
#include <array>
#include <map>

#include "base/date.hpp"
#include "model/journal_fields.hpp"
#include "rules/journal_terms.hpp"
#include "tools/catalogue.hpp"
#include "tools/ratings.hpp"

namespace belfry::tools {
namespace {

constexpr std::int64_t days_max = 366;
constexpr std::size_t sessions_looked_at_max = 1000;

using model::RatingTarget;
using Records = std::vector<model::JournalRecord>;

std::string text_of(std::int64_t day) {
    const base::Date date = base::date_from_days(day);
    const auto digits = [](std::int64_t number, std::size_t count) {
        const std::string text = std::to_string(number);
        return std::string(count - std::min(count, text.size()), '0') + text;
    };
    return digits(date.year, 4) + '-' + digits(date.month, 2) + '-' + digits(date.day, 2);
}

std::int64_t day_of(base::Timestamp time) {
    return base::floor_divide(time.us, base::seconds(base::seconds_per_day).us);
}

struct Sum {
    std::int64_t count = 0;
    std::int64_t score = 0;

    void add(std::int64_t one) {
        ++count;
        score += one;
    }
    [[nodiscard]] double average() const { return static_cast<double>(score) / static_cast<double>(count); }
    void append_to(model::JsonWriter& writer) const {
        writer.field("count", static_cast<long long>(count)).name("average");
        if (count > 0) writer.real(average());
        else writer.null();
    }
};

class Summary {
public:
    void add(const model::Rating& rating, std::int64_t day) {
        all_.add(rating.score);
        by_target_[static_cast<std::size_t>(rating.target)].add(rating.score);
        by_day_[day].add(rating.score);
    }
    void leave_incomplete() { is_complete_ = false; }

    [[nodiscard]] std::string says() const {
        std::string says;
        model::JsonWriter writer(says);
        writer.begin_object();
        all_.append_to(writer);
        writer.name("byTarget").begin_object();
        for (std::size_t i = 0; i < by_target_.size(); ++i) {
            writer.name(model::rating_target_names[i]).begin_object();
            by_target_[i].append_to(writer);
            writer.end_object();
        }
        writer.end_object().name("byDay").begin_array();
        for (const auto& [day, sum] : by_day_) {
            writer.begin_object().field("date", text_of(day)).name("average").real(sum.average());
            writer.field("count", static_cast<long long>(sum.count)).end_object();
        }
        writer.end_array().name("complete").boolean(is_complete_).end_object();
        return says;
    }

private:
    Sum all_;
    std::array<Sum, model::rating_target_names.size()> by_target_;
    std::map<std::int64_t, Sum> by_day_;
    bool is_complete_ = true;
};

struct Days {
    std::int64_t first = 0;
    std::int64_t last = 0;

    [[nodiscard]] bool has(std::int64_t day) const { return first <= day && day <= last; }
};

base::Result<Days> days_of(const Arguments& arguments) {
    const Days days{base::days_from_date(*base::parse_date(arguments.text("from"))),
                    base::days_from_date(*base::parse_date(arguments.text("to")))};
    if (days.last < days.first) return arguments.wrong("to", "must not lie before from");
    if (days.last - days.first >= days_max) {
        return arguments.wrong("to", "must not lie more than " + std::to_string(days_max) + " days after from");
    }
    return days;
}

// A day has one rating of a kind at the most: it is known what they are called.
base::Result<void> add_days(Bench& bench, const Days& days, RatingTarget target, Summary& summary) {
    std::vector<std::string> ids;
    for (std::int64_t day = days.first; day <= days.last; ++day) ids.push_back(model::rating_id(target, text_of(day)));
    TRY_ASSIGN(const Records found, bench.find_all(ids));
    for (const model::JournalRecord& record : found) {
        const auto* const rating = std::get_if<model::Rating>(&record.body);
        if (rating == nullptr) continue;
        summary.add(*rating, base::days_from_date(*base::parse_date(rating->target_id)));
    }
    return {};
}

// That of a session lies on the day on which it began, in UTC.
base::Result<void> add_sessions(Bench& bench, const Days& days, Summary& summary) {
    constexpr auto kind = model::JournalKind::rating;
    const std::string_view name = model::rating_target_names[static_cast<std::size_t>(RatingTarget::session)];
    TRY_ASSIGN(const Records found, bench.newest(kind, {rules::state_term(kind, name)}, sessions_looked_at_max));
    std::vector<std::string> ids;
    for (const model::JournalRecord& record : found) ids.push_back(std::get<model::Rating>(record.body).target_id);
    TRY_ASSIGN(const Records sessions, bench.find_all(ids));
    std::map<std::string, std::int64_t> began;
    for (const model::JournalRecord& session : sessions) {
        const auto* const time = std::get_if<model::TimeEntry>(&session.body);
        if (time != nullptr) began.emplace(session.id, day_of(time->started_at));
    }
    for (const model::JournalRecord& record : found) {
        const auto& rating = std::get<model::Rating>(record.body);
        const auto at = began.find(rating.target_id);
        if (at != began.end() && days.has(at->second)) summary.add(rating, at->second);
    }
    // A session is rated after it began: those that were rated before these days are not of them.
    const bool may_miss_some = found.size() == sessions_looked_at_max && day_of(found.back().created_at) >= days.first;
    if (may_miss_some) summary.leave_incomplete();
    return {};
}

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const Days days, days_of(arguments));
    const auto is_wanted = [&](RatingTarget target) {
        return !arguments.has("target") || rating_target(arguments) == target;
    };
    Summary summary;
    for (const RatingTarget target : {RatingTarget::day, RatingTarget::productivity}) {
        if (is_wanted(target)) TRY(add_days(bench, days, target, summary));
    }
    if (is_wanted(RatingTarget::session)) TRY(add_sessions(bench, days, summary));
    return summary.says();
}

}  // namespace

Tool get_ratings_summary() {
    model::ToolContract contract;
    contract.name = "get_ratings_summary";
    contract.description =
        "How good days and sessions of work were said to be, from one day to another (366 at the most): by what was "
        "rated, and by day. Days of sessions are those of UTC. Without complete there were too many to look at all.";
    contract.capabilities = {model::AgentCapability::rating_read};
    contract.idempotency = model::ToolIdempotency::read_only;
    contract.scope_rules = {model::ToolScopeRule::reads_in_scope};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
