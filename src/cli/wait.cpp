#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/limits.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/context_text.hpp"
#include "cli/inbox_follow.hpp"
#include "cli/reader_watch.hpp"

namespace belfry::cli {
namespace {

using Clock = std::chrono::steady_clock;
using model::InjectAt;

// Follows what agents of this user are asked for, on a thread of its own, and wakes whoever waits for this session.
// What it misses (a stream that is not there yet, a token that may not read it) is found by the looks.
class Announcements {
public:
    Announcements(const client::Options& options, const std::string& user_id, std::string session_id)
        : client_(options),
          stream_("agent:" + user_id),
          session_id_(std::move(session_id)),
          thread_([this] { work(); }) {}
    Announcements(const Announcements&) = delete;
    Announcements& operator=(const Announcements&) = delete;
    ~Announcements() {
        end();
        client_.interrupt();
        thread_.join();
    }

    // Waits for the next announcement, so long at the most. False: everything is to end.
    bool wait(Clock::time_point until) {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, until, [this] { return announced_ || ended_; });
        announced_ = false;
        return !ended_;
    }
    void end() {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

private:
    void work() {
        model::StreamFilter filter;
        filter.session_id = session_id_;
        client::FollowHandlers handlers;
        handlers.on_entry = [this](const client::Entry&) {
            const std::lock_guard lock(mutex_);
            announced_ = true;
            changed_.notify_all();
            return !ended_;
        };
        for (;;) {
            (void)client_.follow(stream_, filter, {}, handlers);
            std::unique_lock lock(mutex_);
            const auto pause = std::chrono::microseconds(base::limits::wait_look.us);
            if (changed_.wait_for(lock, pause, [this] { return ended_; })) return;
        }
    }

    client::Client client_;
    std::string stream_;
    std::string session_id_;
    std::mutex mutex_;  // of the two below
    std::condition_variable changed_;
    bool announced_ = false;
    bool ended_ = false;
    std::thread thread_;
};

class Waiter {
public:
    Waiter(Context& context, const Arguments& arguments, const client::Options& options, std::string session_id)
        : context_(context), arguments_(arguments), options_(options), client_(options), id_(std::move(session_id)) {}

    // True: something was due and is printed. False: the time is over.
    base::Result<bool> run(std::optional<base::Duration> timeout) {
        const Clock::time_point begun = Clock::now();
        const Clock::time_point never = Clock::time_point::max();  // also of a time that no clock reaches
        const auto left = std::chrono::duration_cast<std::chrono::microseconds>(never - begun);
        const bool has_end = timeout && timeout->us < left.count();
        const Clock::time_point end = has_end ? begun + std::chrono::microseconds(timeout->us) : never;
        TRY_ASSIGN(const client::SessionState session, client_.session(id_));
        // Follow first, look then: what comes in between is announced.
        Announcements announcements(options_, session.user_id, id_);
        const ReaderWatch watch(context_.console.out.descriptor(), [&announcements] { announcements.end(); });
        for (;;) {
            auto done = look();
            if (done.ok() && *done) return true;
            if (!done.ok() && !may_pass(done.error().code)) return done;
            if (!done.ok()) tell_lost(done.error());
            if (Clock::now() >= end) return false;
            const auto pause = std::chrono::microseconds(base::limits::wait_look.us);
            if (!announcements.wait(std::min(end, Clock::now() + pause))) return false;
        }
    }

private:
    static bool may_pass(base::Code code) {
        return exit_for(code) == Exit::unreachable || code == base::Code::rate_limited;
    }

    void tell_lost(const base::Error& why) {
        if (why.message != last_told_) remark(context_, "(" + why.message + "; still waiting)");
        last_told_ = why.message;
    }

    base::Result<bool> look() {
        TRY_ASSIGN(const client::SessionState session, client_.session(id_));
        const InjectAt point = session.progress.in_turn ? InjectAt::after_tool : InjectAt::turn_start;
        TRY_ASSIGN(const client::ContextState context, client_.context(id_, point));
        if (context.texts.empty() && context.counted == 0 && context.user_messages.empty()) return false;
        return arguments_.has("peek") ? show(context) : take(point);
    }

    base::Result<bool> show(const client::ContextState& context) {
        if (arguments_.has("json")) print_json(context_, context.json);
        else {
            for (const std::string& text : context.user_messages) context_.console.out.line(printable_lines(text));
            for (const std::string& text : context.texts) context_.console.out.line(printable_lines(text));
            if (context.counted > 0) remark(context_, "and " + std::to_string(context.counted) + " more");
        }
        return true;
    }

    // Somebody may have been faster since the look: then there is nothing, and the waiting goes on.
    base::Result<bool> take(InjectAt point) {
        client::PullRequest request;
        request.point = point;
        TRY_ASSIGN(const client::Pulled pulled, client_.pull(id_, request));
        if (pulled.items.empty() && pulled.user_messages.empty()) return false;
        if (arguments_.has("json")) print_json(context_, pulled.json);
        else context_.console.out.line(printable_lines(context_text(pulled), ""));
        if (context_.console.out.flush()) (void)client_.acknowledge(id_, pulled.pull_id);
        return true;
    }

    Context& context_;
    const Arguments& arguments_;
    client::Options options_;
    client::Client client_;
    std::string id_;
    std::string last_told_;
};

Exit run_wait(Context& context, const Arguments& arguments) {
    const auto timeout = arguments.duration("timeout");
    const auto options = find_daemon(context, arguments);
    const std::string session = arguments.value_or("session", "");
    base::Error problem;
    if (session.empty()) problem = base::error(base::Code::invalid, "--session is missing: whose?");
    else if (!timeout.ok()) problem = timeout.error();
    else if (!options.ok()) problem = options.error();
    // Not 2, which means that something is due.
    if (!problem.message.empty()) {
        fail(context, arguments, problem);
        return Exit::failure;
    }
    const auto done = Waiter(context, arguments, *options, session).run(*timeout);
    if (!done.ok()) return fail(context, arguments, done.error());
    return *done ? Exit::usage : Exit::ok;
}

}  // namespace

Command wait_command() {
    Command command;
    command.name = "wait";
    command.summary = "block until something is due for an agent's session, and print it";
    command.detail =
        "For an agent that has nothing to do: run in its background, it ends with 2 when there is something to know\n"
        "and has printed it, or with 0 when the time is over. What is printed is handed over: it counts as read, and\n"
        "what needs an answer is held for this session. What asks for a turn is announced and comes at once; quiet\n"
        "context is found by a look every two seconds.";
    command.options = {{"session", "ID", "the agent's session"},
                       {"timeout", "TIME", "seconds, or 90s, 15m, 2h; without it there is no end"},
                       {"peek", "", "only look: nothing is handed over"}};
    command.examples = {{"belfry wait --session chat-7 --timeout 600", "ten minutes at the most"},
                        {"belfry wait --session chat-7 --peek; test $? -eq 2 && play bell.wav", "for a person"}};
    command.reach = Reach::daemon;
    command.run = run_wait;
    command.exits = {{Exit::ok, "the time is over and nothing was due"},
                     {Exit::failure, "it failed, or the command line is wrong"},
                     {Exit::usage, "something was due and is printed"}};
    command.unknown_option = Exit::failure;
    return command;
}

}  // namespace belfry::cli
