#include "cli/work_attempt.hpp"

#include <algorithm>

#include "client/fields.hpp"

namespace belfry::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr milliseconds output_pause(100);  // what is written together goes together
constexpr seconds retry_pause(1);
constexpr seconds patience(5);  // of a command that is asked to end
constexpr int stopped_tries_max = 5;

bool may_pass(base::Code code) {
    return exit_for(code) == Exit::unreachable || code == base::Code::rate_limited;
}

// The claim is somebody else's, or there is nothing any more to claim.
bool is_lost(base::Code code) {
    return code == base::Code::conflict || code == base::Code::not_found || code == base::Code::gone;
}

client::Options patient(client::Options options) {
    options.answer_time_max = base::seconds(10);
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
      client_(patient(options)),
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
        Clock::time_point until = ending_ == Ending::none ? renew_at_ : Clock::time_point::max();
        for (const auto& due : {send_at_, force_at_}) until = due ? std::min(until, *due) : until;
        const auto left = std::chrono::duration_cast<microseconds>(until - Clock::now());
        TRY_ASSIGN(const host::Work::News news, work.wait(base::microseconds(std::max<std::int64_t>(left.count(), 0)),
                                                          ending_ == Ending::none ? stop_.descriptor() : -1));
        show(news);
        if (news.status) return *news.status;
        if (news.is_called) finish_command(work, Ending::stopped);
        const auto now = Clock::now();
        if (ending_ == Ending::none && now >= renew_at_) renew(work);
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
    force_at_ = Clock::now() + patience;
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

// While the daemon is away the work goes on for as long as the claim holds by our own clock; then somebody else may
// have it.
void WorkAttempt::renew(host::Work& work) {
    const auto asked_at = Clock::now();
    const auto renewed = client_.renew_wake(grant_.wake.id, grant_.wake.fence, wish_.lease);
    if (renewed.ok()) {
        lease_until_ = asked_at + microseconds(wish_.lease.us);
        renew_at_ = asked_at + microseconds(wish_.lease.us / 3);
        return;
    }
    renew_at_ = Clock::now() + retry_pause;
    if (!is_lost(renewed.error().code) && Clock::now() < lease_until_) return;
    say("the claim is lost: " + renewed.error().message);
    finish_command(work, Ending::lost);
}

// What its run hears is for those who watch: it is sent once, and what cannot be is left out.
void WorkAttempt::send_output() {
    send_at_.reset();
    if (output_.events().empty()) return;
    if (!output_is_wanted_) return output_.clear_events();
    const auto sent = client_.emit_to_run(grant_.wake.run_id, output_.events());
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
        outcome.error = model::RunError{"worker_stopped", "the worker was told to stop"};
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
    bool may_be_known = false;
    for (int tries = 1;; ++tries) {
        const auto ended = client_.end_wake(grant_.wake.id, grant_.wake.fence, outcome);
        if (ended.ok()) {
            const std::string more = ended->is_ended() ? "" : ", again at " + ended->due_at;
            say("wake " + std::to_string(ended->id) + ": " +
                (outcome.error ? "failed (" + outcome.error->type + ")" + more : ended->state));
            return !outcome.error;
        }
        const base::Code code = ended.error().code;
        // An earlier try has told it, and its answer was lost.
        if (may_be_known && code == base::Code::conflict) return !outcome.error;
        if (!may_pass(code)) {
            say("the end was refused: " + ended.error().message);
            return false;
        }
        may_be_known = may_be_known || code == base::Code::outcome_unknown || code == base::Code::timeout;
        if (tries == 1) say("(" + ended.error().message + "; still telling it)");
        if (stop_.wait(base::seconds(1)) && tries >= stopped_tries_max) return false;
    }
}

void WorkAttempt::say(const std::string& text) {
    if (!arguments_.has("quiet")) remark(context_, text);
}

}  // namespace belfry::cli
