#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/local_clock.hpp"
#include "client/journal.hpp"

// What the commands of the journal have in common: `belfry task done ID` is the action `done` of the command `task`.
namespace belfry::cli {

// The world of an action.
struct JournalCall {
    Context& context;
    const Arguments& arguments;
    client::Journal& journal;
    const LocalClock& clock;
    std::vector<std::string> words;  // what stands behind the action's name

    [[nodiscard]] std::string word(std::size_t i) const { return i < words.size() ? words[i] : std::string(); }
    [[nodiscard]] bool is_json() const { return arguments.has("json"); }
};

inline constexpr std::size_t any_number = static_cast<std::size_t>(-1);

struct JournalAction {
    std::string name;
    std::string usage;  // of its words: "ID CATEGORY"; empty: it takes none
    std::size_t words_min = 0;
    std::size_t words_max = 0;
    std::vector<std::string> options;  // of the command's own those that it takes, besides --user and --zone
    std::function<Exit(JournalCall&)> run;
};

// Does what the first of `words` names, or says what is wrong with them, before anybody is asked. Within `belfry work`
// (BELFRY_WAKE_ID and BELFRY_FENCE) it is done for that wake, in its agent's name.
Exit run_journal_action(Context& context, const Arguments& arguments, const std::string& command,
                        const std::vector<JournalAction>& actions, std::vector<std::string> words);
// The same with all that was typed behind the command.
Exit run_journal_action(Context& context, const Arguments& arguments, const std::string& command,
                        const std::vector<JournalAction>& actions);

OptionSpec user_option();
OptionSpec zone_option();

// How many a list shows: --limit, or 50.
base::Result<std::size_t> read_limit(const Arguments& arguments);

// A new record: its id on standard output, alone, and a line about it on standard error.
Exit tell_made(JournalCall& call, const base::Result<client::RecordNow>& made);
// One that was changed: a line about it.
Exit tell_changed(JournalCall& call, const base::Result<client::RecordNow>& changed);
// One that is to be seen, with all its fields.
Exit show_whole(JournalCall& call, const base::Result<client::RecordNow>& found);
// Rows of `table` for the records, or each as JSON; and whether there are more.
Exit show_list(JournalCall& call, const base::Result<client::RecordList>& found, std::vector<std::string> titles,
               const std::function<std::vector<std::string>(const client::RecordNow&)>& row);

// Does it with each; one that fails keeps none of the others from it.
Exit for_each_word(JournalCall& call, const std::function<base::Result<client::RecordNow>(const std::string&)>& act);
// Deletes each, with --revision where that is given.
Exit delete_each(JournalCall& call, model::JournalKind kind);

// Long text that may come from standard input, which is `-`.
base::Result<std::string> read_text(const std::string& typed);

// A record's fields as JSON, as they are put together from what was typed.
class Draft {
public:
    Draft() { writer_.begin_object(); }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    Draft& text(std::string_view name, const std::optional<std::string>& value);  // nothing: it is left out
    // The same, where `none` takes away what is there.
    Draft& text_or_none(std::string_view name, const std::optional<std::string>& value);
    Draft& number(std::string_view name, const std::optional<std::int64_t>& value);
    Draft& time(std::string_view name, const std::optional<base::Timestamp>& value);
    Draft& texts(std::string_view name, const std::vector<std::string>& values);
    Draft& flag(std::string_view name, bool value);
    Draft& raw(std::string_view name, std::string_view json);
    Draft& null(std::string_view name);
    [[nodiscard]] bool is_empty() const { return json_ == "{"; }
    [[nodiscard]] model::RawJson take();

private:
    std::string json_;
    model::JsonWriter writer_{json_};
};

}  // namespace belfry::cli
