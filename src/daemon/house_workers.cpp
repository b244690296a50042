#include "daemon/house_workers.hpp"

#include <array>
#include <chrono>
#include <string>

#include "base/memory_limits.hpp"
#include "base/message_limits.hpp"
#include "ports/commands/house_work.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::daemon {
namespace {

constexpr std::size_t context_messages = base::limits::memory_hot_messages_max;  // as many as the agent wants
constexpr base::Duration look_pause = base::seconds(30);                         // hints may be lost
constexpr base::Duration first_look_pause = base::seconds(5);  // while the store is not open, or another node's
constexpr base::Duration renew_pause = base::seconds(10);
constexpr base::Duration renew_pause_min = base::milliseconds(250);
static_assert(renew_pause.us * 2 < HouseTurn::lease.us);

std::chrono::microseconds chrono_of(base::Duration time) {
    return std::chrono::microseconds(time.us);
}

// Cancelled, or somebody else's by now: nobody waits for a word about it.
bool is_lost(const base::Error& error) {
    return error.reason == "stale_claim";
}

std::string clipped(std::string text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    while ((static_cast<unsigned char>(text[bytes_max]) & 0xC0U) == 0x80U) --bytes_max;  // no half of a character
    text.resize(bytes_max);
    return text;
}

}  // namespace

HouseWorkers::HouseWorkers(ports::Gateway& gateway, const ports::Clock& clock, host::Environment environment,
                           host::Logger& log)
    : door_(gateway),
      clock_(clock),
      environment_(std::move(environment)),
      log_(log),
      models_(rules::estimate_model_tokens),
      model_(models_, environment_) {}

HouseWorkers::~HouseWorkers() {
    stop();
}

void HouseWorkers::start(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
    threads_.emplace_back([this] { keep(); });
}

void HouseWorkers::hint() {
    const std::lock_guard lock(mutex_);
    is_to_look_ = true;
    is_to_renew_ = true;
    work_arrived_.notify_one();
    keeper_wanted_.notify_one();
}

bool HouseWorkers::is_stopping() {
    const std::lock_guard lock(mutex_);
    return is_stopping_;
}

void HouseWorkers::stop() {
    if (threads_.empty()) return;
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
        work_arrived_.notify_all();
        keeper_wanted_.notify_all();
    }
    {
        const std::lock_guard lock(turns_mutex_);
        for (HouseTurn* const turn : under_way_) turn->give_up();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    if (are_returned_) (void)return_wakes();
}

base::Result<void> HouseWorkers::return_wakes() {
    TRY(door_.ask<ports::ReturnWakes>([](ports::ReturnWakes&) {}));
    return {};
}

bool HouseWorkers::has_returned_wakes() {
    const std::lock_guard lock(return_mutex_);
    if (!are_returned_) are_returned_ = return_wakes().ok();
    return are_returned_;
}

void HouseWorkers::work() {
    while (true) {
        {
            std::unique_lock lock(mutex_);
            work_arrived_.wait(lock, [this] { return is_stopping_ || is_to_look_; });
            if (is_stopping_) return;
            is_to_look_ = false;
        }
        if (!has_returned_wakes()) continue;
        while (look()) {
        }
    }
}

// Claims are renewed while their work goes on; and what hints were lost of is looked for.
void HouseWorkers::keep() {
    base::Duration looked = clock_.monotonic();
    while (true) {
        {
            std::unique_lock lock(mutex_);
            const base::Duration pause = are_returned_ ? renew_pause : first_look_pause;
            keeper_wanted_.wait_for(lock, chrono_of(pause), [this] { return is_stopping_ || is_to_renew_; });
            if (is_stopping_) return;
            is_to_renew_ = false;
            if (clock_.monotonic() - looked >= (are_returned_ ? look_pause : first_look_pause)) {
                looked = clock_.monotonic();
                is_to_look_ = true;
                work_arrived_.notify_one();
            }
        }
        {
            const std::lock_guard lock(turns_mutex_);
            for (HouseTurn* const turn : under_way_) turn->renew();
        }
        std::unique_lock lock(mutex_);
        keeper_wanted_.wait_for(lock, chrono_of(renew_pause_min), [this] { return is_stopping_; });
    }
}

bool HouseWorkers::look() {
    using model::WorkflowKind;
    // The one kind does not keep the other waiting.
    std::array kinds{WorkflowKind::script, WorkflowKind::model};
    if (looks_++ % 2 == 1) std::swap(kinds[0], kinds[1]);
    for (const WorkflowKind kind : kinds) {
        auto claimed = door_.ask<ports::ClaimWake>([&](ports::ClaimWake& wish) {
            wish.workflow = kind;
            wish.holder = "belfry";
            wish.lease = HouseTurn::lease;
            wish.context_messages = context_messages;
        });
        if (!claimed.ok() || !claimed->grant) continue;
        HouseTurn turn(door_, clock_, std::move(*claimed->grant));
        {
            const std::lock_guard lock(turns_mutex_);
            under_way_.insert(&turn);
        }
        {
            const std::lock_guard lock(mutex_);
            is_to_look_ = true;  // there may be more, for others
            work_arrived_.notify_one();
        }
        if (is_stopping()) turn.give_up();
        if (kind == WorkflowKind::script) run(turn, script_);
        else run(turn, model_);
        {
            const std::lock_guard lock(turns_mutex_);
            under_way_.erase(&turn);
        }
        return !is_stopping();
    }
    return false;
}

void HouseWorkers::run(HouseTurn& turn, ports::Workflow& workflow) {
    auto begun = turn.begin();
    auto end = begun.ok() ? workflow.run(turn) : base::Result<ports::TurnEnd>(std::move(begun).error());
    if (turn.is_over() || (!end.ok() && is_lost(end.error()))) return;
    ports::TurnEnd how;
    if (end.ok()) how = std::move(*end);
    else how.error = model::RunError{base::code_name(end.error().code), end.error().message};
    if (how.error) how.error->message = clipped(how.error->message, base::limits::run_error_message_bytes_max);
    const std::string failure = how.error ? how.error->type + ": " + how.error->message : std::string();
    const auto finished = turn.finish(std::move(how));
    const std::string& agent = turn.grant().wake.agent_id;
    if (!failure.empty()) {
        log_.warning("the turn of an agent failed",
                     {{"agent", agent}, {"wake", turn.grant().wake.id}, {"why", failure}});
    }
    if (!finished.ok() && !turn.is_over() && !is_lost(finished.error())) {
        log_.warning("the end of a turn could not be told; the agent is woken again when its claim has run out",
                     {{"agent", agent}, {"wake", turn.grant().wake.id}, {"why", finished.error().message}});
    }
}

}  // namespace belfry::daemon
