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

    [[nodiscard]] host::WorkCall call() const;
    base::Result<int> watch(host::Work& work);
    void show(const host::Work::News& news);
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
    client::Client client_;
    WorkOutput output_;
    Ending ending_ = Ending::none;
    bool output_is_wanted_ = true;
    Clock::time_point lease_until_;
    Clock::time_point renew_at_;
    std::optional<Clock::time_point> send_at_;   // when what it wrote goes into its run; nothing: nothing waits
    std::optional<Clock::time_point> force_at_;  // when it is ended by force
};

}  // namespace belfry::cli
