#include "cli/commands.hpp"
#include "cli/journal_action.hpp"
#include "cli/journal_text.hpp"
#include "model/journal_fields.hpp"

namespace belfry::cli {
namespace {

using model::JournalKind;

constexpr std::int64_t number_max = std::numeric_limits<std::int32_t>::max();

// --type, or what the other options are of.
std::optional<std::string> type_of(const Arguments& arguments) {
    if (arguments.has("type")) return arguments.value("type");
    if (arguments.has("workout")) return "workout";
    if (arguments.has("audio")) return "audio";
    if (arguments.has("model") || arguments.has("prompt")) return "ai_response";
    return std::nullopt;
}

base::Result<std::optional<base::Timestamp>> read_moment(const JournalCall& call, const std::string& option) {
    const auto typed = call.arguments.value(option);
    if (!typed) return std::optional<base::Timestamp>{};
    TRY_ASSIGN(const base::Timestamp moment, call.clock.read_moment("--" + option, *typed, call.clock.today()));
    return std::optional(moment);
}

base::Result<void> fill(Draft& draft, const JournalCall& call) {
    const Arguments& arguments = call.arguments;
    draft.text("id", arguments.value("id")).text("type", type_of(arguments));
    draft.text("category_id", arguments.value("category"));
    if (!call.words.empty()) {
        TRY_ASSIGN(const std::string text, read_text(call.word(0)));
        draft.text("text", text);
    }
    TRY_ASSIGN(const auto from, read_moment(call, "from"));
    TRY_ASSIGN(const auto to, read_moment(call, "to"));
    draft.time("started_at", from).time("ended_at", to).text("audio_uri", arguments.value("audio"));
    TRY_ASSIGN(const auto duration, arguments.duration("duration"));
    if (duration) draft.number("duration_s", duration->us / base::seconds(1).us);
    draft.text("workout_type", arguments.value("workout"));
    TRY_ASSIGN(const auto energy, arguments.integer("energy", 0, number_max));
    TRY_ASSIGN(const auto distance, arguments.integer("distance", 0, number_max));
    draft.number("energy_kcal", energy).number("distance_m", distance);
    draft.text("model_id", arguments.value("model")).text("prompt", arguments.value("prompt"));
    return {};
}

Exit add(JournalCall& call) {
    if (call.words.empty() && !call.arguments.has("audio") && !call.arguments.has("workout")) {
        return usage_error(call.context, call.arguments, wrong("TEXT is missing: belfry entry add TEXT"));
    }
    Draft draft;
    if (auto filled = fill(draft, call); !filled.ok()) {
        return usage_error(call.context, call.arguments, filled.error());
    }
    return tell_made(call, call.journal.create(JournalKind::entry, draft.take()));
}

Exit list(JournalCall& call) {
    const auto limit = read_limit(call.arguments);
    if (!limit.ok()) return usage_error(call.context, call.arguments, limit.error());
    client::RecordQuestion question;
    question.kind = JournalKind::entry;
    question.filters = {{"type", call.arguments.value_or("type", "")},
                        {"category", call.arguments.value_or("category", "")},
                        {"q", call.arguments.value_or("search", "")}};
    question.limit = *limit;
    return show_list(call, call.journal.list(question), {"ID", "TIME", "TYPE", "CATEGORY", "TEXT"},
                     [&call](const client::RecordNow& now) -> std::vector<std::string> {
                         const auto& entry = std::get<model::Entry>(now.record.body);
                         std::string type(model::entry_type_names[static_cast<std::size_t>(entry.type)]);
                         if (!entry.workout_type.empty()) type += ' ' + entry.workout_type;
                         return {now.record.id, call.clock.shown(entry.started_at.value_or(now.record.created_at)),
                                 type, now.record.category_id, shortened(entry.text)};
                     });
}

Exit show(JournalCall& call) {
    return show_whole(call, call.journal.find(JournalKind::entry, call.word(0)));
}

Exit remove(JournalCall& call) {
    return delete_each(call, JournalKind::entry);
}

Exit run_entry(Context& context, const Arguments& arguments) {
    const std::vector<JournalAction> actions{{"add",
                                              "[TEXT]",
                                              0,
                                              1,
                                              {"id", "type", "category", "from", "to", "audio", "duration", "workout",
                                               "energy", "distance", "model", "prompt"},
                                              add},
                                             {"list", "", 0, 0, {"type", "category", "search", "limit"}, list},
                                             {"show", "ID", 1, 1, {}, show},
                                             {"delete", "ID ...", 1, any_number, {"revision"}, remove}};
    return run_journal_action(context, arguments, "entry", actions);
}

}  // namespace

Command entry_command() {
    Command command;
    command.name = "entry";
    command.summary = "entries of the journal: add, list, show, delete";
    command.detail =
        "Something that was written, heard, done or answered: a text, a recording, a workout, the answer of a model.\n"
        "`add` writes the id of the new entry to standard output, alone; --workout, --audio and --model say its type\n"
        "by themselves. A time is one of today, by the clock of the zone, or an instant such as 2026-11-16T09:00:00Z.";
    command.options = {{"id", "ID", "add: an id of your own"},
                       {"type", "TYPE", "text, audio, workout or ai_response; list: of this type only"},
                       {"category", "ID", "add: where it belongs (general unless given); list: of this category only"},
                       {"from", "TIME", "add: when it began, 18:30"},
                       {"to", "TIME", "add: when it ended"},
                       {"workout", "TYPE", "add: a workout, such as running"},
                       {"duration", "TIME", "add: of a workout or a recording, 45m"},
                       {"distance", "METRES", "add: of a workout"},
                       {"energy", "KCAL", "add: of a workout"},
                       {"audio", "URI", "add: where a recording lies"},
                       {"model", "ID", "add: of an answer: who gave it"},
                       {"prompt", "TEXT", "add: of an answer: to what"},
                       {"search", "WORDS", "list: those with all these words; the last may be a beginning"},
                       {"limit", "N", "list: so many at the most (50)"},
                       {"revision", "N", "delete: only if it has not changed since that one"},
                       zone_option(),
                       user_option()};
    command.positionals = {
        {"ACTION", "add, list, show or delete"},
        {"WORD", "of add: TEXT, or - for standard input; of show and delete: ID", PositionalSpec::Count::any}};
    command.examples = {
        {"belfry entry add 'Slept badly, but the morning was quiet'", "a line of the diary"},
        {"belfry entry add 'Along the river' --workout running --duration 45m --distance 8200 --category gym", "a run"},
        {"belfry entry list --type workout", "what was done"},
        {"belfry entry add - < letter.txt", "a longer text"}};
    command.exits = {{Exit::partial, "some of several were changed"}};
    command.reach = Reach::daemon;
    command.run = run_entry;
    return command;
}

}  // namespace belfry::cli
