#include "cli/journal_action.hpp"

#include <algorithm>

#include "base/journal_limits.hpp"
#include "cli/claim.hpp"
#include "cli/connection.hpp"
#include "cli/input.hpp"
#include "cli/journal_text.hpp"
#include "cli/table.hpp"

namespace belfry::cli {
namespace {

constexpr std::int64_t limit_max = 100'000;
constexpr std::int64_t limit_default = 50;

std::string names_of(const std::vector<JournalAction>& actions) {
    std::string names;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        if (i > 0) names += i + 1 == actions.size() ? " or " : ", ";
        names += actions[i].name;
    }
    return names;
}

// An option of another action would be passed over in silence.
base::Result<void> check_options(const Arguments& arguments, const std::vector<JournalAction>& actions,
                                 const JournalAction& chosen) {
    for (const JournalAction& other : actions) {
        for (const std::string& option : other.options) {
            if (arguments.has(option) && std::ranges::find(chosen.options, option) == chosen.options.end()) {
                return wrong("--" + option + " is not of " + chosen.name);
            }
        }
    }
    return {};
}

base::Result<const JournalAction*> choose(const Arguments& arguments, const std::string& command,
                                          const std::vector<JournalAction>& actions,
                                          const std::vector<std::string>& words) {
    const std::string name = words.empty() ? "" : words.front();
    const auto chosen = std::ranges::find(actions, name, &JournalAction::name);
    if (chosen == actions.end()) return wrong("ACTION must be " + names_of(actions) + ", not \"" + name + '"');
    const std::size_t count = words.size() - 1;
    if (count < chosen->words_min || count > chosen->words_max) {
        return wrong("usage: belfry " + command + ' ' + name + (chosen->usage.empty() ? "" : ' ' + chosen->usage));
    }
    TRY(check_options(arguments, actions, *chosen));
    return &*chosen;
}

client::JournalScope scope_of(const Context& context, const Arguments& arguments) {
    client::JournalScope scope;
    scope.user_id = arguments.value_or("user", "");
    scope.claim = claim_in(context.environment);
    return scope;
}

}  // namespace

OptionSpec user_option() {
    return {"user", "ID", "whose journal; your own unless given"};
}

OptionSpec zone_option() {
    return {"zone", "NAME", "IANA's name of the zone whose clocks are meant (the machine's unless given)"};
}

Exit run_journal_action(Context& context, const Arguments& arguments, const std::string& command,
                        const std::vector<JournalAction>& actions, std::vector<std::string> words) {
    const auto action = choose(arguments, command, actions, words);
    if (!action.ok()) return usage_error(context, arguments, action.error());
    const auto clock = LocalClock::of(context, arguments);
    if (!clock.ok()) return usage_error(context, arguments, clock.error());
    const auto options = find_daemon(context, arguments);
    if (!options.ok()) return usage_error(context, arguments, options.error());
    client::Client client(*options);
    client::Journal journal(client, scope_of(context, arguments));
    words.erase(words.begin());
    JournalCall call{context, arguments, journal, *clock, std::move(words)};
    return (*action)->run(call);
}

Exit run_journal_action(Context& context, const Arguments& arguments, const std::string& command,
                        const std::vector<JournalAction>& actions) {
    return run_journal_action(context, arguments, command, actions, arguments.positionals());
}

base::Result<std::size_t> read_limit(const Arguments& arguments) {
    TRY_ASSIGN(const auto limit, arguments.integer("limit", 1, limit_max));
    return static_cast<std::size_t>(limit.value_or(limit_default));
}

Exit tell_made(JournalCall& call, const base::Result<client::RecordNow>& made) {
    if (made.ok() && !call.is_json()) call.context.console.out.line(host::printable(made->record.id));
    return tell_changed(call, made);
}

Exit tell_changed(JournalCall& call, const base::Result<client::RecordNow>& changed) {
    if (!changed.ok()) return fail(call.context, call.arguments, changed.error());
    if (call.is_json()) print_json(call.context, changed->json);
    else remark(call.context, record_line(changed->record, call.clock));
    return Exit::ok;
}

Exit show_whole(JournalCall& call, const base::Result<client::RecordNow>& found) {
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    if (call.is_json()) print_json(call.context, found->json);
    else call.context.console.out.write(record_text(found->record, call.clock, call.context.console.colours_out));
    return Exit::ok;
}

Exit show_list(JournalCall& call, const base::Result<client::RecordList>& found, std::vector<std::string> titles,
               const std::function<std::vector<std::string>(const client::RecordNow&)>& row) {
    if (!found.ok()) return fail(call.context, call.arguments, found.error());
    Table table(std::move(titles));
    for (const client::RecordNow& one : found->records) {
        if (call.is_json()) print_json(call.context, one.json);
        else table.add(row(one));
    }
    if (call.is_json()) return Exit::ok;
    call.context.console.out.write(table.text(call.context.console.colours_out));
    if (found->more) remark(call.context, "(there are more; --limit shows them)");
    return Exit::ok;
}

Exit for_each_word(JournalCall& call, const std::function<base::Result<client::RecordNow>(const std::string&)>& act) {
    std::size_t done = 0;
    Exit exit = Exit::ok;
    for (const std::string& word : call.words) {
        const Exit told = tell_changed(call, act(word));
        if (told == Exit::ok) ++done;
        else exit = told;
        if (told == Exit::unreachable) break;
    }
    return exit != Exit::ok && done > 0 ? Exit::partial : exit;
}

Exit delete_each(JournalCall& call, model::JournalKind kind) {
    const auto revision = call.arguments.integer("revision", 1, std::numeric_limits<std::int64_t>::max());
    if (!revision.ok()) return usage_error(call.context, call.arguments, revision.error());
    return for_each_word(call, [&](const std::string& id) { return call.journal.remove(kind, id, *revision); });
}

base::Result<std::string> read_text(const std::string& typed) {
    if (typed != "-") return typed;
    return read_input(typed, base::limits::journal_text_bytes_max);
}

Draft& Draft::text(std::string_view name, const std::optional<std::string>& value) {
    if (value) writer_.field(name, *value);
    return *this;
}

Draft& Draft::text_or_none(std::string_view name, const std::optional<std::string>& value) {
    return value == "none" ? null(name) : text(name, value);
}

Draft& Draft::number(std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) writer_.field(name, static_cast<long long>(*value));
    return *this;
}

Draft& Draft::time(std::string_view name, const std::optional<base::Timestamp>& value) {
    if (value) writer_.field(name, base::format_timestamp(*value));
    return *this;
}

Draft& Draft::texts(std::string_view name, const std::vector<std::string>& values) {
    writer_.name(name).begin_array();
    for (const std::string& value : values) writer_.text(value);
    writer_.end_array();
    return *this;
}

Draft& Draft::flag(std::string_view name, bool value) {
    writer_.name(name).boolean(value);
    return *this;
}

Draft& Draft::raw(std::string_view name, std::string_view json) {
    writer_.name(name).raw(json);
    return *this;
}

Draft& Draft::null(std::string_view name) {
    writer_.name(name).null();
    return *this;
}

model::RawJson Draft::take() {
    writer_.end_object();
    return model::RawJson::trusted(std::move(json_));
}

}  // namespace belfry::cli
