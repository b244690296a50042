#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "daemon/checkpoints.hpp"
#include "daemon/command_queue.hpp"
#include "daemon/couriers.hpp"
#include "daemon/engine_thread.hpp"
#include "daemon/house_workers.hpp"
#include "daemon/memory_keeper.hpp"
#include "daemon/network_gate.hpp"
#include "daemon/performer.hpp"
#include "daemon/readers.hpp"
#include "daemon/sink_files.hpp"
#include "daemon/subscriber_files.hpp"
#include "daemon/sync_links.hpp"
#include "daemon/token_counter.hpp"
#include "engine/engine.hpp"
#include "host/config.hpp"
#include "host/entropy.hpp"
#include "host/lock.hpp"
#include "host/log.hpp"
#include "host/signals.hpp"
#include "host/system_clock.hpp"
#include "host/watch.hpp"
#include "host/zones.hpp"
#include "net/outbound/chat_completions.hpp"
#include "net/server.hpp"
#include "store/open_store.hpp"
#include "store/sql_store.hpp"
#include "view/access_book.hpp"
#include "view/answers.hpp"
#include "view/follow.hpp"

namespace belfry::daemon {

// Belfry as a running program: constructs everything, connects it in the open, owns the threads. Which thread does
// what: the network's serves requests and readers; the engine's decides and records; one or more read the store beside
// it; some wait for sinks; some do the work of agents; one folds what they remember; one speaks to other devices; one
// checkpoints; the first waits for signals.
class Daemon {
public:
    // The environment is for the programs that sinks start, and holds the keys of language models.
    Daemon(host::Config config, host::Environment environment, host::Logger& log);
    ~Daemon();

    // Takes the data folder, opens the store, makes the first admin token, listens. An error is for the person who
    // started it.
    base::Result<void> start();
    // Serves until a signal to stop, then drains: what was taken is answered.
    void run(host::Signals& signals);

    // Host and port, as they stand in a URL.
    [[nodiscard]] std::string address() const;
    // A one-time link to the web app; waits for the network's thread.
    base::Result<std::string> make_link();
    [[nodiscard]] const std::string& admin_token() const { return admin_token_; }

private:
    base::Result<void> read_tokenizer();
    base::Result<void> open_engine();
    base::Result<void> make_admin_token();
    void leave_token();
    void tell_doors(const host::Doors& doors);
    void hand_over(engine::Effects effects);
    void let_out(engine::Effects& effects);
    void update_readiness();
    void look_as_reader();
    void look_after_engine();
    bool reload();
    bool reload_files(bool tell);
    void adopt_subscribers(bool is_again);
    void stop();

    host::Config config_;
    host::Logger& log_;
    host::SystemClock clock_;
    host::Entropy engine_entropy_;
    host::Entropy network_entropy_;
    host::Entropy sync_entropy_;
    ports::Metrics metrics_;
    std::optional<host::FolderLock> lock_;
    store::StoreLocation location_;
    Checkpoints checkpoints_;
    store::SqlStore store_;
    SubscriberFiles subscribers_;
    SinkFiles sinks_;
    TokenCounter tokens_;
    host::SystemZones engine_zones_;  // its own, so that it waits for nobody
    host::SystemZones network_zones_;
    engine::Engine engine_;
    CommandQueue queue_;
    NetworkGate gate_;
    Readers readers_;
    view::Follow follow_;
    view::AccessBook access_;
    view::Answers answers_;
    net::Server server_;
    SyncLinks sync_;
    Couriers couriers_;
    Couriers tool_couriers_;
    ToolCaller tool_caller_;
    Performer performer_;
    net::ChatCompletions summary_models_;
    MemoryKeeper keeper_;
    HouseWorkers house_;
    EngineThread engine_thread_;
    std::thread network_thread_;
    std::string admin_token_;
    // What the engine was at when it was looked at last, and how often that has been the same.
    std::uint64_t step_seen_ = 0;
    int same_step_looks_ = 0;
    base::Duration looked_at_;
    bool stalls_ = false;
    std::atomic<bool> looking_{false};  // as a reader, at what another node has written
};

// The files of a configuration's data folder, as the store is told of them.
store::StoreLocation location_of(const host::Config& config);

}  // namespace belfry::daemon
