#include "cli/tool_serve.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/message_limits.hpp"
#include "base/tool_limits.hpp"
#include "cli/connection.hpp"
#include "cli/stop.hpp"
#include "client/tools.hpp"
#include "codec/json.hpp"
#include "codec/utf8.hpp"
#include "host/command.hpp"
#include "host/process.hpp"
#include "host/work.hpp"

namespace belfry::cli {
namespace {

namespace limits = base::limits;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
constexpr base::Duration claim_wait = base::seconds(30);
constexpr base::Duration lease_min = base::seconds(1);
constexpr std::chrono::seconds patience(5);  // with a command that is asked to end
// Each byte may become three where it is no UTF-8.
constexpr std::size_t words_bytes_max = 1000;

bool may_pass(base::Code code) {
    return exit_for(code) == Exit::unreachable || code == base::Code::rate_limited;
}

// A claim that is asked for is waited for by one thread; a stop ends its waiting from another.
struct Line {
    Line(const client::Options& options, const Stop& stop)
        : client(options), tools(client), watch(stop, [this] { client.interrupt(); }) {}
    client::Client client;
    client::Tools tools;
    StopWatch watch;
};

struct ServeWish {
    std::vector<std::string> tools;
    std::vector<std::string> command;
    base::Duration lease;
    bool once = false;
};

base::Result<ServeWish> read_wish(const Context& context, const Arguments& arguments) {
    ServeWish wish;
    wish.command = arguments.after_dashes();
    const std::vector<std::string>& all = arguments.positionals();
    const auto command_at = all.end() - static_cast<std::ptrdiff_t>(wish.command.size());
    if (command_at != all.begin()) wish.tools.assign(all.begin() + 1, command_at);
    wish.once = arguments.has("once");
    TRY_ASSIGN(const auto lease, arguments.duration("lease"));
    wish.lease = lease.value_or(limits::tool_lease_default);
    if (wish.tools.empty()) return wrong("NAME is missing: belfry tool serve NAME -- COMMAND");
    if (wish.command.empty()) return wrong("COMMAND is missing: belfry tool serve NAME -- COMMAND");
    if (wish.lease < lease_min || wish.lease > limits::tool_lease_max || wish.lease.us % 1'000'000 != 0) {
        return wrong("--lease must be whole seconds between 1s and 600s");
    }
    if (host::find_program(wish.command.front(), context.environment).empty()) {
        return wrong("there is no program " + wish.command.front());
    }
    return wish;
}

class Server {
public:
    Server(Context& context, const Arguments& arguments, const client::Options& options, const ServeWish& wish,
           const Stop& stop)
        : context_(context),
          arguments_(arguments),
          options_(options),
          wish_(wish),
          stop_(stop),
          line_(std::make_unique<Line>(options, stop)) {}

    Exit run() {
        client::ToolCallClaim claim;
        claim.tools = wish_.tools;
        claim.holder = host::login_name(context_.environment) + ":" + std::to_string(host::process_id());
        claim.lease = wish_.lease;
        claim.wait = claim_wait;
        std::string names;
        for (const std::string& tool : wish_.tools) names += (names.empty() ? "" : ", ") + tool;
        say("waits for calls of " + names);
        while (!stop_.is_raised()) {
            const auto call = line_->tools.claim(claim);
            if (!call.ok()) {
                if (stop_.is_raised()) break;
                if (!may_pass(call.error().code)) return fail(context_, arguments_, call.error());
                wait_out(call.error());
                continue;
            }
            if (!told_.empty()) say("the daemon answers again");
            told_.clear();
            if (!*call) continue;
            const bool is_done = carry_out(**call);
            if (wish_.once) return is_done ? Exit::ok : Exit::failure;
        }
        return Exit::ok;
    }

private:
    enum class Ending : std::uint8_t { none, stopped, lost };
    struct Said {
        int status = 0;
        std::string out;
        std::string err;
        Ending ending = Ending::none;
    };

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

    [[nodiscard]] host::WorkCall work_of(const client::OutsideCallNow& call) const {
        host::WorkCall work;
        work.argv = wish_.command;
        work.input = call.arguments.bytes() + "\n";
        work.variables = {{"BELFRY_OPERATION_ID", call.operation_id},
                          {"BELFRY_TOOL", call.tool_name},
                          {"BELFRY_AGENT", call.agent_id}};
        return work;
    }

    // Whether it went well, and Belfry knows.
    bool carry_out(const client::OutsideCallNow& call) {
        say(call.tool_name + " for " + call.agent_id + ", operation " + call.operation_id +
            (call.attempts > 1 ? ", attempt " + std::to_string(call.attempts) : ""));
        auto work = host::Work::start(work_of(call), context_.environment);
        const base::Result<Said> said = work.ok() ? watch(call, **work) : base::Result<Said>(work.error());
        if (said.ok() && said->ending == Ending::lost) return false;
        return tell(call, outcome_of(said));
    }

    base::Result<Said> watch(const client::OutsideCallNow& call, host::Work& work) {
        Said said;
        auto renew_at = Clock::now() + microseconds(wish_.lease.us / 3);
        std::optional<Clock::time_point> force_at;
        const auto finish = [&](Ending why) {
            said.ending = why;
            work.end(host::Work::Ending::ask);
            force_at = Clock::now() + patience;
        };
        while (true) {
            const auto until = force_at ? std::min(*force_at, renew_at) : renew_at;
            const auto left = std::chrono::duration_cast<microseconds>(until - Clock::now()).count();
            TRY_ASSIGN(const host::Work::News news, work.wait(base::microseconds(std::max<std::int64_t>(left, 0)),
                                                              said.ending == Ending::none ? stop_.descriptor() : -1));
            if (said.out.size() <= limits::agent_message_bytes_max) said.out += news.out;
            said.err += news.err;
            if (said.err.size() > words_bytes_max) said.err.erase(0, said.err.size() - words_bytes_max);
            if (!news.err.empty()) context_.console.err.write(codec::to_utf8(news.err));
            if (news.status) {
                said.status = *news.status;
                return said;
            }
            if (news.is_called) finish(Ending::stopped);
            if (force_at && Clock::now() >= *force_at) {
                work.end(host::Work::Ending::force);
                force_at = Clock::now() + patience;
            }
            if (Clock::now() < renew_at) continue;
            renew_at = Clock::now() + microseconds(wish_.lease.us / 3);
            const auto renewed = renew(call);
            if (renewed.ok() || may_pass(renewed.error().code) || said.ending != Ending::none) continue;
            say("the claim is lost: " + renewed.error().message);
            finish(Ending::lost);
        }
    }

    base::Result<client::OutsideCallNow> renew(const client::OutsideCallNow& call) {
        client::Client client(options_);
        return client::Tools(client).renew(call, wish_.lease);
    }

    [[nodiscard]] static client::ToolCallOutcome outcome_of(const base::Result<Said>& said) {
        client::ToolCallOutcome outcome;
        if (!said.ok()) {
            outcome.error_code = "tool_failed";
            outcome.error_message = said.error().message;
        } else if (said->ending == Ending::stopped) {
            outcome.release = true;  // nobody has failed
        } else if (said->status != 0) {
            std::string words = codec::to_utf8(said->err);
            while (words.ends_with('\n')) words.pop_back();
            outcome.error_code = "exit_" + std::to_string(said->status);
            outcome.error_message = words.empty() ? "it ended with " + std::to_string(said->status) : words;
        } else {
            auto result = codec::validate(said->out);
            const bool is_object = result.ok() && result->view().kind() == model::JsonKind::object &&
                                   result->bytes().size() <= limits::agent_message_bytes_max;
            if (is_object) {
                outcome.result = std::move(*result);
            } else {
                outcome.error_code = "invalid_result";
                outcome.error_message = "what it wrote is no JSON object of at most " +
                                        std::to_string(limits::agent_message_bytes_max) + " bytes";
            }
        }
        return outcome;
    }

    bool tell(const client::OutsideCallNow& call, const client::ToolCallOutcome& outcome) {
        const bool is_done = outcome.result.has_value();
        bool may_be_known = false;
        while (true) {
            client::Client client(options_);
            const auto ended = client::Tools(client).end(call, outcome);
            if (ended.ok()) {
                say(call.tool_name + ": " +
                    (outcome.release              ? "given back"
                     : outcome.error_code.empty() ? "done"
                                                  : "failed (" + outcome.error_code + ")"));
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
            if (stop_.wait(base::seconds(1))) return false;
            if (auto found = find_daemon(context_, arguments_); found.ok()) options_ = std::move(*found);
        }
    }

    Context& context_;
    const Arguments& arguments_;
    client::Options options_;
    const ServeWish& wish_;
    const Stop& stop_;
    std::unique_ptr<Line> line_;
    std::string told_;  // why there is no answer, as it was told
};

}  // namespace

Exit serve_tools(Context& context, const Arguments& arguments, const client::Options& options) {
    const auto wish = read_wish(context, arguments);
    if (!wish.ok()) return usage_error(context, arguments, wish.error());
    const auto stop = Stop::open();
    if (!stop.ok()) return fail(context, arguments, stop.error());
    return Server(context, arguments, options, *wish, *stop).run();
}

}  // namespace belfry::cli
