#include <algorithm>
#include <charconv>

#include "base/limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/entry_line.hpp"
#include "cli/event_arguments.hpp"
#include "cli/reader_watch.hpp"
#include "model/session_stream.hpp"

namespace belfry::cli {
namespace {

constexpr std::int64_t last_default = 10;

struct Wish {
    std::string stream;
    model::StreamFilter filter;
    std::optional<client::Start> from;  // nothing: the last ones
    std::size_t last = 0;
    bool follow = true;
    bool json = false;
};

base::Result<Wish> read_wish(const Arguments& arguments) {
    Wish wish;
    wish.stream = arguments.positionals().empty() ? "events" : arguments.positional(0);
    TRY_ASSIGN(wish.filter, read_filter(arguments));
    TRY_ASSIGN(const auto last, arguments.integer("last", 0, 100'000));
    wish.last = static_cast<std::size_t>(last.value_or(last_default));
    wish.follow = !arguments.has("no-follow");
    wish.json = arguments.has("json");
    const auto from = arguments.value("from");
    if (!from) return wish;
    if (last) return base::error(base::Code::invalid, "--from and --last exclude each other");
    client::Start start;
    if (*from == "start") start.at = client::Start::At::beginning;
    else if (*from != "live") {
        start.at = client::Start::At::after;
        const auto [end, failed] = std::from_chars(from->data(), from->data() + from->size(), start.after);
        if (failed != std::errc{} || end != from->data() + from->size()) {
            return base::error(base::Code::invalid, "--from must be start, live or a sequence, not \"" + *from + "\"");
        }
    }
    wish.from = start;
    return wish;
}

class Tail {
public:
    Tail(Context& context, client::Client& client, Wish wish)
        : context_(context), client_(client), wish_(std::move(wish)) {}

    base::Result<void> run() {
        client::Start start = wish_.from.value_or(client::Start{});
        if (!wish_.from) {
            TRY_ASSIGN(start.after, show_last());
            start.at = client::Start::At::after;
        }
        if (!wish_.follow) return wish_.from ? show_stored(start) : base::Result<void>();
        if (context_.console.out.is_closed()) return {};
        client::FollowHandlers handlers;
        handlers.on_entry = [this](const client::Entry& entry) {
            show(entry);
            return context_.console.out.flush();
        };
        handlers.on_gap = [this](model::Sequence from, model::Sequence to) { tell_gap(from, to); };
        handlers.on_lost = [this](const base::Error& why, base::Duration pause) {
            remark(context_, "(" + why.message + "; trying again in " + base::format_duration(pause) + ")");
        };
        const ReaderWatch watch(context_.console.out.descriptor(), [this] { client_.interrupt(); });
        return client_.follow(wish_.stream, wish_.filter, start, handlers);
    }

private:
    void tell_gap(model::Sequence from, model::Sequence to) {
        remark(context_, "(entries " + std::to_string(from) + " to " + std::to_string(to) +
                             " are gone: retention has removed them)");
    }

    void show(const client::Entry& entry) {
        context_.console.out.line(wish_.json ? entry_json(entry) : entry_line(entry, context_.console.colours_out));
    }

    // Everything that is stored now after `start`.
    base::Result<void> show_stored(client::Start start) {
        if (start.at == client::Start::At::live) return {};
        for (model::Sequence after = start.after;;) {
            TRY_ASSIGN(const client::Page page,
                       client_.page(wish_.stream, after, base::limits::page_entries_max, wish_.filter));
            // One who asks for the start asks for what there is; it is no loss to him.
            if (page.gap_to != 0 && start.at == client::Start::At::after) tell_gap(page.gap_from, page.gap_to);
            for (const client::Entry& entry : page.entries) show(entry);
            if (!page.has_more || !context_.console.out.flush()) return {};
            after = page.next;
        }
    }

    // The list of streams lacks a session's stream until its first follower; following makes the stream or reports that
    // there is no such session.
    base::Result<client::StreamState> stream_state() {
        auto state = client_.stream(wish_.stream);
        const bool may_follow_all_the_same =
            !state.ok() && state.error().code == base::Code::not_found && model::is_session_stream(wish_.stream);
        if (!may_follow_all_the_same) return state;
        client::StreamState empty;
        empty.name = wish_.stream;
        return empty;
    }

    // Pages can only be read forwards, so a filtered "last ones" looks at ever larger ends of the stream until enough
    // of them pass. Returns where it ended.
    base::Result<model::Sequence> show_last() {
        TRY_ASSIGN(const client::StreamState state, stream_state());
        if (wish_.last == 0) return state.head;
        std::vector<client::Entry> found;
        model::Sequence reached = 0;
        for (model::Sequence window = wish_.last;; window *= 8) {
            const model::Sequence after = std::max(state.floor, state.head - std::min(state.head, window));
            TRY_ASSIGN(reached, collect(after, state.head, found));
            if (found.size() >= wish_.last || after <= state.floor) break;
        }
        const std::size_t first = found.size() - std::min(found.size(), wish_.last);
        for (std::size_t i = first; i < found.size(); ++i) show(found[i]);
        context_.console.out.flush();
        return reached;
    }

    base::Result<model::Sequence> collect(model::Sequence after, model::Sequence head,
                                          std::vector<client::Entry>& found) {
        found.clear();
        while (after < head) {
            TRY_ASSIGN(client::Page page,
                       client_.page(wish_.stream, after, base::limits::page_entries_max, wish_.filter));
            for (client::Entry& entry : page.entries) {
                after = std::max(after, entry.sequence);
                found.push_back(std::move(entry));
                // Only the last ones are wanted, whatever the window holds.
                if (found.size() > 2 * wish_.last + base::limits::page_entries_max) {
                    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(wish_.last));
                }
            }
            after = std::max(after, page.next);
            if (!page.has_more) break;
        }
        return std::max(after, head);
    }

    Context& context_;
    client::Client& client_;
    Wish wish_;
};

Exit run_tail(Context& context, const Arguments& arguments) {
    base::Result<Wish> wish = read_wish(arguments);
    const base::Result<client::Options> options = find_daemon(context, arguments);
    if (!wish.ok() || !options.ok()) {
        return usage_error(context, arguments, wish.ok() ? options.error() : wish.error());
    }
    client::Client client(*options);
    const base::Result<void> done = Tail(context, client, std::move(wish).value()).run();
    return done.ok() ? Exit::ok : fail(context, arguments, done.error());
}

}  // namespace

Command tail_command() {
    Command command;
    command.name = "tail";
    command.summary = "follow a stream live, or look at its stored entries";
    command.detail =
        "Shows the last 10 entries and then every new one until it is interrupted. A lost connection is made again\n"
        "and goes on after the last entry that was shown: none is missed and none shown twice. Text that came from\n"
        "events is shown with control characters escaped, so that it cannot speak to your terminal.";
    command.options = {{"from", "WHERE", "start, live, or a sequence: what comes after it"},
                       {"last", "N", "begin with the last N entries (10 unless given)", 'n'},
                       {"no-follow", "", "end after what is stored now"}};
    for (OptionSpec& option : filter_options()) command.options.push_back(std::move(option));
    command.positionals = {{"STREAM", "events (unless given), audit, inbox:USER, agent:USER or changes:USER",
                            PositionalSpec::Count::optional}};
    command.examples = {{"belfry tail", "the last 10 events, and then live"},
                        {"belfry tail --type 'tool.*' --severity warning", "only trouble with tools"},
                        {"belfry tail --from start --no-follow --json > events.ndjson", "everything that is stored"},
                        {"belfry tail audit -n 50 --no-follow", "who did what"}};
    command.reach = Reach::daemon;
    command.run = run_tail;
    return command;
}

}  // namespace belfry::cli
