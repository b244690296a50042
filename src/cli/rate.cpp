#include <algorithm>
#include <charconv>

#include "base/journal_limits.hpp"
#include "cli/commands.hpp"
#include "cli/journal_action.hpp"
#include "cli/journal_text.hpp"
#include "model/journal_fields.hpp"

namespace belfry::cli {
namespace {

using model::JournalKind;
using model::RatingTarget;

std::string name_of(RatingTarget target) {
    return std::string(model::rating_target_names[static_cast<std::size_t>(target)]);
}

base::Result<std::int64_t> read_score(const std::string& text) {
    std::int64_t score = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), score);
    const bool is_number = failed == std::errc{} && end == text.data() + text.size();
    if (is_number && score >= 1 && score <= base::limits::rating_score_max) return score;
    return wrong("SCORE must be a whole number from 1 to " + std::to_string(base::limits::rating_score_max) +
                 ", not \"" + text + '"');
}

constexpr std::size_t sessions_seen_max = 50;

// The session of work that has ended last, among those that were written down last.
base::Result<std::string> last_session(JournalCall& call) {
    client::RecordQuestion question;
    question.kind = JournalKind::time_entry;
    question.limit = sessions_seen_max;
    TRY_ASSIGN(const client::RecordList found, call.journal.list(question));
    const client::RecordNow* last = nullptr;
    const auto end_of = [](const client::RecordNow& now) {
        return std::get<model::TimeEntry>(now.record.body).ended_at;
    };
    for (const client::RecordNow& now : found.records) {
        if (end_of(now) && (last == nullptr || end_of(*last) < end_of(now))) last = &now;
    }
    if (last != nullptr) return last->record.id;
    return base::error(base::Code::not_found, "there is no session that has ended; see belfry time list");
}

// There is one rating for each target: a second one takes its place.
base::Result<client::RecordNow> put(JournalCall& call, RatingTarget target, const std::string& target_id,
                                    std::int64_t score) {
    const auto note = call.arguments.value("note");
    Draft fresh;
    fresh.text("target", name_of(target)).text("target_id", target_id).number("score", score).text("note", note);
    auto made = call.journal.create(JournalKind::rating, fresh.take());
    if (made.ok() || made.error().reason != "taken") return made;
    Draft change;
    change.number("score", score).text_or_none("note", note);
    return call.journal.change(JournalKind::rating, model::rating_id(target, target_id), change.take());
}

// [WHICH] SCORE
Exit rate(JournalCall& call, RatingTarget target) {
    const auto score = read_score(call.words.back());
    if (!score.ok()) return usage_error(call.context, call.arguments, score.error());
    std::string which = call.words.size() == 2 ? call.word(0) : "";
    if (target != RatingTarget::session) {
        const auto date = which.empty() ? call.clock.today() : call.clock.read_date("DATE", which);
        if (!date.ok()) return usage_error(call.context, call.arguments, date.error());
        which = *date;
    } else if (which.empty()) {
        const auto last = last_session(call);
        if (!last.ok()) return fail(call.context, call.arguments, last.error());
        which = *last;
    }
    return tell_changed(call, put(call, target, which, *score));
}

Exit list(JournalCall& call) {
    const auto limit = read_limit(call.arguments);
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    client::RecordQuestion question;
    question.kind = JournalKind::rating;
    question.filters = {{"target", call.arguments.value_or("target", "")}};
    question.limit = *limit;
    return show_list(call, call.journal.list(question), {"TARGET", "OF", "SCORE", "CATEGORY", "NOTE"},
                     [](const client::RecordNow& now) -> std::vector<std::string> {
                         const auto& rating = std::get<model::Rating>(now.record.body);
                         return {name_of(rating.target), rating.target_id, std::to_string(rating.score),
                                 now.record.category_id, shortened(rating.note)};
                     });
}

Exit run_rate(Context& context, const Arguments& arguments) {
    const auto of = [](RatingTarget target) { return [target](JournalCall& call) { return rate(call, target); }; };
    const std::vector<JournalAction> actions{
        {"day", "[DATE] SCORE", 1, 2, {"note"}, of(RatingTarget::day)},
        {"session", "[ID] SCORE", 1, 2, {"note"}, of(RatingTarget::session)},
        {"productivity", "[DATE] SCORE", 1, 2, {"note"}, of(RatingTarget::productivity)},
        {"list", "", 0, 0, {"target", "limit"}, list}};
    return run_journal_action(context, arguments, "rate", actions);
}

}  // namespace

Command rate_command() {
    Command command;
    command.name = "rate";
    command.summary = "say how good a day, a session or its productivity was: day, session, productivity, list";
    command.detail =
        "A score is 1 to 5, the larger the better. A day is today unless DATE is given; a session of work is an entry\n"
        "of `belfry time`, the last one that has ended unless ID is given. There is one rating of each: another one\n"
        "takes its place.";
    command.options = {{"note", "TEXT", "why; of one that is there: none takes it away"},
                       {"target", "TARGET", "list: of day, session or productivity only"},
                       {"limit", "N", "list: so many at the most (50)"},
                       zone_option(),
                       user_option()};
    command.positionals = {{"ACTION", "day, session, productivity or list"},
                           {"WORD", "[DATE] SCORE; of session: [ID] SCORE", PositionalSpec::Count::any}};
    command.examples = {{"belfry rate day 4 --note 'Quiet, and the letter is gone'", "today"},
                        {"belfry rate productivity yesterday 2", "the day before"},
                        {"belfry time stop && belfry rate session 5", "what was just done"}};
    command.reach = Reach::daemon;
    command.run = run_rate;
    return command;
}

}  // namespace belfry::cli
