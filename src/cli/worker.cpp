#include "cli/worker.hpp"

#include <memory>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "cli/connection.hpp"
#include "cli/stop.hpp"
#include "cli/work_attempt.hpp"
#include "host/command.hpp"
#include "host/process.hpp"

namespace belfry::cli {
namespace {

constexpr base::Duration claim_wait = base::seconds(30);
constexpr base::Duration lease_min = base::seconds(1);
constexpr std::int64_t context_default = 20;

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

// A claim that is asked for is waited for by one thread; a stop ends its waiting from another.
struct Line {
    Line(const client::Options& options, const Stop& stop)
        : client(options), watch(stop, [this] { client.interrupt(); }) {}
    client::Client client;
    StopWatch watch;
};

class Worker {
public:
    Worker(Context& context, const Arguments& arguments, const client::Options& options, const WorkerWish& wish,
           const Stop& stop)
        : context_(context),
          arguments_(arguments),
          options_(options),
          wish_(wish),
          stop_(stop),
          line_(std::make_unique<Line>(options, stop)) {}

    Exit run() {
        client::ClaimRequest request;
        request.agents = wish_.agents;
        request.holder = host::login_name(context_.environment) + ":" + std::to_string(host::process_id());
        request.lease = wish_.lease;
        request.wait = claim_wait;
        request.context_messages = wish_.context;
        say("waits for wakes of " + joined(wish_.agents));
        while (!stop_.is_raised()) {
            const auto grant = line_->client.claim_wake(request);
            if (!grant.ok()) {
                if (stop_.is_raised()) break;
                if (!may_pass(grant.error().code)) return fail(context_, arguments_, grant.error());
                wait_out(grant.error());
                continue;
            }
            if (!told_.empty()) say("the daemon answers again");
            told_.clear();
            if (!*grant) continue;
            const bool is_done = WorkAttempt(context_, arguments_, options_, wish_, stop_, **grant).run();
            if (wish_.once) return is_done ? Exit::ok : Exit::failure;
        }
        return Exit::ok;
    }

private:
    static bool may_pass(base::Code code) {
        return exit_for(code) == Exit::unreachable || code == base::Code::rate_limited;
    }

    void say(const std::string& text) {
        if (!arguments_.has("quiet")) remark(context_, text);
    }

    // It may come back at another door.
    void wait_out(const base::Error& why) {
        if (told_ != why.message) say("(" + why.message + "; waiting)");
        told_ = why.message;
        if (stop_.wait(base::seconds(1))) return;
        auto found = find_daemon(context_, arguments_);
        if (!found.ok()) return;
        options_ = std::move(*found);
        line_ = std::make_unique<Line>(options_, stop_);
    }

    Context& context_;
    const Arguments& arguments_;
    client::Options options_;
    const WorkerWish& wish_;
    const Stop& stop_;
    std::unique_ptr<Line> line_;
    std::string told_;  // why there is no answer, as it was told
};

}  // namespace

std::vector<OptionSpec> worker_options() {
    return {{"lease", "TIME", "how long a job is ours without a word; 60s unless told, 1s to 600s"},
            {"context", "N", "how many messages of its thread it gets; 20 unless told"},
            {"once", "", "one job: its end is the exit code"},
            {"quiet", "", "only what the command writes"}};
}

base::Result<WorkerWish> read_worker_wish(const Context& context, const Arguments& arguments) {
    WorkerWish wish;
    wish.agents = arguments.values("agent");
    wish.command = arguments.after_dashes();
    wish.once = arguments.has("once");
    TRY_ASSIGN(const auto lease, arguments.duration("lease"));
    wish.lease = lease.value_or(base::limits::wake_lease_default);
    TRY_ASSIGN(const auto context_messages, arguments.integer("context", 0, base::limits::context_messages_max));
    wish.context = context_messages.value_or(context_default);
    if (wish.agents.empty()) return wrong("--agent is missing: whose work?");
    if (wish.lease < lease_min || wish.lease > base::limits::wake_lease_max) {
        return wrong("--lease must lie between 1s and 600s");
    }
    if (wish.lease.us % 1'000'000 != 0) return wrong("--lease must be whole seconds");
    if (!wish.command.empty() && host::find_program(wish.command.front(), context.environment).empty()) {
        return wrong("there is no program " + wish.command.front());
    }
    return wish;
}

Exit run_worker(Context& context, const Arguments& arguments, const client::Options& options, const WorkerWish& wish) {
    const auto stop = Stop::open();
    if (!stop.ok()) return fail(context, arguments, stop.error());
    return Worker(context, arguments, options, wish, *stop).run();
}

}  // namespace belfry::cli
