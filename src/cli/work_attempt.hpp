#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/stop.hpp"
#include "cli/work_output.hpp"
#include "cli/worker.hpp"
#include "client/client.hpp"
#include "host/work.hpp"

namespace belfry::cli {

// One job at work: the command runs, its claim is renewed, what it writes goes to the terminal and into its run, and
// its end is the job's. A claim that is lost ends the command, and a stop does, too.
class WorkAttempt {
public:
    WorkAttempt(Context& context, const Arguments& arguments, const client::Options& options, const WorkerWish& wish,
                const Stop& stop, const client::Grant& grant);

    // Whether the job went well, and Belfry knows.
    bool run();

private:
    using Clock = std::chrono::steady_clock;
    enum class Ending : std::uint8_t { none, stopped, lost };
    enum class Asking : std::uint8_t { with_all_time, with_half_of_it };

    [[nodiscard]] host::WorkCall call() const;
    base::Result<int> watch(host::Work& work);
    void show(const host::Work::News& news);
    // When the command is asked to end so that it is gone before somebody else may have its wake.
    [[nodiscard]] Clock::time_point give_up_at() const { return lease_until_ - patience_; }
    // Whoever asks waits no longer than until then.
    client::Client& client_until_then(Asking how);
    void renew(host::Work& work);
    void send_output();
    void finish_command(host::Work& work, Ending why);
    [[nodiscard]] client::WakeOutcome outcome_of(const base::Result<int>& status);
    bool tell(const client::WakeOutcome& outcome);
    void say(const std::string& text);

    Context& context_;
    const Arguments& arguments_;
    const WorkerWish& wish_;
    const Stop& stop_;
    const client::Grant& grant_;
    client::Options options_;
    client::Client client_;
    std::optional<client::Client> hurried_;
    WorkOutput output_;
    Ending ending_ = Ending::none;
    bool output_is_wanted_ = true;
    std::chrono::microseconds patience_;  // with a command that is asked to end
    Clock::time_point lease_until_;
    Clock::time_point renew_at_;
    std::optional<Clock::time_point> send_at_;   // when what it wrote goes into its run; nothing: nothing waits
    std::optional<Clock::time_point> force_at_;  // when it is ended by force
};

}  // namespace belfry::cli
