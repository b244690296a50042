#include "cli/work_attempt.hpp"

#include <algorithm>
#include <thread>

#include "client/fields.hpp"

namespace belfry::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr milliseconds output_pause(100);  // what is written together goes together
constexpr seconds retry_pause(1);
constexpr seconds patience_max(5);
constexpr seconds connect_time_max(5);
constexpr seconds answer_time_max(10);
constexpr int stopped_tries_max = 5;

bool may_pass(base::Code code) {
    return exit_for(code) == Exit::unreachable || code == base::Code::rate_limited;
}

// The claim is somebody else's, or there is nothing any more to claim.
bool is_lost(base::Code code) {
    return code == base::Code::conflict || code == base::Code::not_found || code == base::Code::gone;
}

client::Options with_times(client::Options options, microseconds connect, microseconds answer) {
    options.connect_time_max = base::microseconds(connect.count());
    options.answer_time_max = base::microseconds(answer.count());
    return options;
}

std::string first_event_type(const client::Grant& grant) {
    for (const client::WakeSignalNow& signal : grant.signals) {
        if (signal.kind == "event") return client::Fields(signal.body.view()).text("type");
    }
    return {};
}

std::string to_lines(std::string_view text, bool is_for_terminal) {
    if (!is_for_terminal) return std::string(text);
    std::string shown;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        host::append_printable(shown, text.substr(0, end));
        if (end == std::string_view::npos) break;
        shown += '\n';
        text.remove_prefix(end + 1);
    }
    return shown;
}

}  // namespace

WorkAttempt::WorkAttempt(Context& context, const Arguments& arguments, const client::Options& options,
                         const WorkerWish& wish, const Stop& stop, const client::Grant& grant)
    : context_(context),
      arguments_(arguments),
      wish_(wish),
      stop_(stop),
      grant_(grant),
      options_(options),
      client_(with_times(options, connect_time_max, answer_time_max)),
      patience_(std::min<microseconds>(patience_max, microseconds(wish.lease.us / 4))),
      lease_until_(Clock::now() + microseconds(wish.lease.us)),
      renew_at_(Clock::now() + microseconds(wish.lease.us / 3)) {}

host::WorkCall WorkAttempt::call() const {
    host::WorkCall call;
    call.argv = wish_.command;
    call.input = grant_.json.bytes() + "\n";
    const client::WakeNow& wake = grant_.wake;
    call.variables = {{"BELFRY_WAKE_ID", std::to_string(wake.id)},
                      {"BELFRY_RUN_ID", std::to_string(wake.run_id)},
                      {"BELFRY_RUN_KEY", wake.run_key},
                      {"BELFRY_AGENT", wake.agent_id},
                      {"BELFRY_FENCE", std::to_string(wake.fence)},
                      {"BELFRY_REASON", wake.reason},
                      {"BELFRY_EVENT_TYPE", first_event_type(grant_)},
                      {"BELFRY_URL", client_.endpoint().text()}};
    // What was told to us on the command line; the rest stands in the environment that it gets.
    if (const auto token = arguments_.value("token")) call.variables.emplace_back("BELFRY_TOKEN", *token);
    if (const auto config = arguments_.value("config")) call.variables.emplace_back("BELFRY_CONFIG", *config);
    if (const auto data = arguments_.value("data")) call.variables.emplace_back("BELFRY_STORE_DATA_DIR", *data);
    return call;
}

bool WorkAttempt::run() {
    const client::WakeNow& wake = grant_.wake;
    say("wake " + std::to_string(wake.id) + " of " + wake.agent_id + " (" + wake.reason + "), run " +
        std::to_string(wake.run_id) + (wake.attempts > 1 ? ", attempt " + std::to_string(wake.attempts) : ""));
    auto work = host::Work::start(call(), context_.environment);
    const base::Result<int> status = work.ok() ? watch(**work) : base::Result<int>(work.error());
    output_.finish();
    send_output();
    if (ending_ == Ending::lost) return false;
    return tell(outcome_of(status));
}

base::Result<int> WorkAttempt::watch(host::Work& work) {
    for (;;) {
        Clock::time_point until =
            ending_ == Ending::lost ? Clock::time_point::max() : std::min(renew_at_, give_up_at());
        for (const auto& due : {send_at_, force_at_}) until = due ? std::min(until, *due) : until;
        const auto left = std::chrono::duration_cast<microseconds>(until - Clock::now());
        TRY_ASSIGN(const host::Work::News news, work.wait(base::microseconds(std::max<std::int64_t>(left.count(), 0)),
                                                          ending_ == Ending::none ? stop_.descriptor() : -1));
        show(news);
        if (news.status) return *news.status;
        if (news.is_called) finish_command(work, Ending::stopped);
        const auto now = Clock::now();
        if (ending_ != Ending::lost && now >= std::min(renew_at_, give_up_at())) renew(work);
        if (send_at_ && now >= *send_at_) send_output();
        if (force_at_ && now >= *force_at_) {
            work.end(host::Work::Ending::force);
            force_at_.reset();
        }
    }
}

void WorkAttempt::finish_command(host::Work& work, Ending why) {
    ending_ = why;
    work.end(host::Work::Ending::ask);
    const auto patience = why == Ending::lost ? patience_ : patience_max;
    const auto force_at = Clock::now() + patience;
    force_at_ = force_at_ ? std::min(*force_at_, force_at) : force_at;
}

client::Client& WorkAttempt::client_until_then(Asking how) {
    const auto left = std::chrono::duration_cast<microseconds>(give_up_at() - Clock::now());
    const auto time = std::max<microseconds>(how == Asking::with_all_time ? left : left / 2, milliseconds(1));
    if (time >= connect_time_max + answer_time_max) return client_;
    return hurried_.emplace(with_times(options_, time / 3, time * 2 / 3));
}

void WorkAttempt::show(const host::Work::News& news) {
    if (!news.out.empty()) {
        output_.add(WorkStream::out, news.out);
        write_foreign(context_.console, news.out);
        context_.console.out.flush();
    }
    if (!news.err.empty()) {
        output_.add(WorkStream::err, news.err);
        context_.console.err.write(to_lines(news.err, context_.console.err_is_terminal));
        context_.console.err.flush();
    }
    if (!send_at_ && !output_.events().empty()) send_at_ = Clock::now() + output_pause;
}

// While the daemon is away the work goes on for as long as the claim holds by our own clock, less the time that the
// command is given to end; then somebody else may have it.
void WorkAttempt::renew(host::Work& work) {
    const auto asked_at = Clock::now();
    client::Client& client = client_until_then(Asking::with_all_time);
    const auto renewed = client.renew_wake(grant_.wake.id, grant_.wake.fence, wish_.lease);
    if (renewed.ok()) {
        lease_until_ = asked_at + microseconds(wish_.lease.us);
        renew_at_ = asked_at + microseconds(wish_.lease.us / 3);
        return;
    }
    renew_at_ = Clock::now() + retry_pause;
    if (!is_lost(renewed.error().code) && Clock::now() < give_up_at()) return;
    say("the claim is lost: " + renewed.error().message);
    finish_command(work, Ending::lost);
}

// What its run hears is for those who watch: it is sent once, and what cannot be is left out.
void WorkAttempt::send_output() {
    send_at_.reset();
    if (output_.events().empty()) return;
    // Under a claim that is lost it is somebody else's run, and nothing may hold up the end of the command.
    if (!output_is_wanted_ || ending_ == Ending::lost) return output_.clear_events();
    client::Client& client = client_until_then(Asking::with_half_of_it);
    const auto sent = client.emit_to_run(grant_.wake.run_id, output_.events());
    if (!sent.ok() && sent.error().code == base::Code::unavailable) {
        send_at_ = Clock::now() + retry_pause;  // it was never sent
        return;
    }
    output_.clear_events();
    output_is_wanted_ = sent.ok() || may_pass(sent.error().code);
}

client::WakeOutcome WorkAttempt::outcome_of(const base::Result<int>& status) {
    client::WakeOutcome outcome;
    if (ending_ == Ending::stopped) {
        outcome.release = true;  // nobody has failed
    } else if (!status.ok()) {
        outcome.error = model::RunError{"worker_failed", status.error().message};
    } else if (*status != 0) {
        const std::string words = output_.last_words();
        outcome.error = model::RunError{"exit_" + std::to_string(*status),
                                        words.empty() ? "it ended with " + std::to_string(*status) : words};
    } else {
        outcome.result = output_.result();
    }
    return outcome;
}

bool WorkAttempt::tell(const client::WakeOutcome& outcome) {
    const bool is_done = !outcome.error && !outcome.release;
    bool may_be_known = false;
    for (int tries = 1;; ++tries) {
        const auto ended = client_.end_wake(grant_.wake.id, grant_.wake.fence, outcome);
        if (ended.ok()) {
            const std::string more = ended->is_ended() ? "" : ", again at " + ended->due_at;
            say("wake " + std::to_string(ended->id) + ": " +
                (outcome.release ? "given back"
                 : outcome.error ? "failed (" + outcome.error->type + ")" + more
                                 : ended->state));
            return is_done;
        }
        const base::Code code = ended.error().code;
        // An earlier try has told it, and its answer was lost.
        if (may_be_known && code == base::Code::conflict) return is_done;
        if (!may_pass(code)) {
            say("the end was refused: " + ended.error().message);
            return false;
        }
        may_be_known = may_be_known || code == base::Code::outcome_unknown || code == base::Code::timeout;
        if (tries == 1) say("(" + ended.error().message + "; still telling it)");
        if (!stop_.wait(base::seconds(1))) continue;
        if (tries >= stopped_tries_max) return false;
        std::this_thread::sleep_for(retry_pause);  // it stays raised, so that it cannot be waited on
    }
}

void WorkAttempt::say(const std::string& text) {
    if (!arguments_.has("quiet")) remark(context_, text);
}

}  // namespace belfry::cli
