#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.hpp"
#include "client/caller_context.hpp"
#include "model/raw_json.hpp"

// Runs inside one process: whose events go where.
namespace belfry::client {

using model::RunId;  // positive

// Something that an agent of a run did: `llm.stream`, `llm.tool_call`, `step.started`.
struct RunEvent {
    RunId run_id = 0;
    CallerContext source;
    std::string event;
    model::RawJson data;
};

using EventCallback = std::function<void(const RunEvent&)>;
using CancellationChecker = std::function<bool()>;  // true: the run was cancelled

class RunRegistration;

// Which callback takes the events of which run, and who knows whether that run was cancelled. For any number of
// threads. Its lock is held for a look at the table only: no callback and no checker is ever called, and none is ever
// destroyed, under it, so that they may use the registry themselves.
//
// A callback that another thread is just calling may go on for a moment after it was deregistered; it is destroyed when
// the last such call has returned. There is no registry but those that somebody makes: whoever emits has been given
// one, mostly inside a RunContext.
class RunRegistry {
public:
    RunRegistry() = default;
    RunRegistry(const RunRegistry&) = delete;
    RunRegistry& operator=(const RunRegistry&) = delete;

    // The run has this callback from now on, in place of the one before; likewise its checker. An empty one takes it
    // away. Refused (invalid, run_id) where the run id is not positive.
    base::Result<void> register_callback(RunId run_id, EventCallback callback);
    base::Result<void> register_checker(RunId run_id, CancellationChecker checker);
    // Both, for as long as what is returned lives: a run that fails leaves nothing behind.
    base::Result<RunRegistration> enter(RunId run_id, EventCallback callback, CancellationChecker checker = {});

    // Takes both away. A run that has none is no error.
    void deregister(RunId run_id);

    // Nothing where none is registered.
    [[nodiscard]] std::shared_ptr<const EventCallback> callback(RunId run_id) const;
    [[nodiscard]] std::shared_ptr<const CancellationChecker> checker(RunId run_id) const;

    // Hands the event to its run's callback, on this thread. Where none is registered it is dropped, counted, and seen
    // by nobody: false.
    bool emit(const RunEvent& event);
    // Asks the run's checker; a run without one is not cancelled.
    [[nodiscard]] bool is_cancelled(RunId run_id) const;

    [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t size() const;  // runs that have something registered

private:
    friend class RunRegistration;
    struct Entry {
        std::shared_ptr<const EventCallback> callback;
        std::shared_ptr<const CancellationChecker> checker;
        std::uint64_t entered = 0;  // by which `enter`; 0: by none

        [[nodiscard]] bool is_idle() const { return !callback && !checker && entered == 0; }
    };

    void leave(RunId run_id, std::uint64_t entered);

    mutable std::mutex mutex_;
    std::unordered_map<RunId, Entry> entries_;
    std::uint64_t last_entered_ = 0;
    std::atomic<std::uint64_t> dropped_{0};
};

// Deregisters its run when it goes, also what was registered for that run after it, unless somebody else has entered
// the same run since: then the place is his. It must not outlive its registry.
class [[nodiscard]] RunRegistration {
public:
    RunRegistration(RunRegistration&& other) noexcept;
    RunRegistration& operator=(RunRegistration&& other) noexcept;
    RunRegistration(const RunRegistration&) = delete;
    RunRegistration& operator=(const RunRegistration&) = delete;
    ~RunRegistration() { end(); }

    [[nodiscard]] RunId run_id() const { return run_id_; }
    // Now, in place of at its destruction. Twice does no harm.
    void end();

private:
    friend class RunRegistry;
    RunRegistration(RunRegistry& registry, RunId run_id, std::uint64_t entered)
        : registry_(&registry), run_id_(run_id), entered_(entered) {}

    RunRegistry* registry_;
    RunId run_id_;
    std::uint64_t entered_;
};

}  // namespace belfry::client
