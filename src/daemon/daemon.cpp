#include "daemon/daemon.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <poll.h>

#include "base/limits.hpp"
#include "base/tool_limits.hpp"
#include "host/files.hpp"
#include "host/folders.hpp"
#include "host/process.hpp"
#include "ports/commands/access.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/notifications.hpp"
#include "rules/model_tokens.hpp"
#include "tools/registry.hpp"

namespace belfry::daemon {
namespace {

constexpr std::size_t reader_threads = 2;
constexpr base::Duration files_unread_pause = base::seconds(1);  // between two tries
constexpr base::Duration engine_look_pause = base::seconds(1);
constexpr int stalled_looks = 5;  // in a row at the same commit; then the store does not answer

// Changes of a folder's files. Where they cannot be seen, that is said when it begins.
class WatchedFolder {
public:
    WatchedFolder(const std::string& folder, host::Logger& log) : log_(log), watch_(host::FolderWatch::open(folder)) {
        if (!watch_.ok()) log_.warning(unseen, {{"folder", folder}, {"why", watch_.error().message}});
        else if (watch_->is_blind()) log_.warning(unseen, {{"folder", folder}});
    }
    [[nodiscard]] int descriptor() const { return watch_.ok() ? watch_->descriptor() : -1; }
    [[nodiscard]] bool is_blind() const { return watch_.ok() && watch_->is_blind(); }
    bool take() {
        const bool was_blind = is_blind();
        const bool changed = watch_.ok() && watch_->take();
        if (is_blind() && !was_blind) log_.warning(unseen);
        return changed;
    }

private:
    static constexpr std::string_view unseen = "changes of files are seen on SIGHUP only";
    host::Logger& log_;
    base::Result<host::FolderWatch> watch_;
};

// No more than there are descriptors for, beside those that everything else needs: the last one must not be a
// stranger's.
std::size_t connections_allowed(const host::Config& config, host::Logger& log) {
    constexpr std::uint64_t for_the_rest = 64;
    const auto wanted = static_cast<std::uint64_t>(config.server.connections_max);
    const std::uint64_t files = host::raise_open_files_limit(wanted + for_the_rest);
    if (files >= wanted + for_the_rest) return wanted;
    const std::uint64_t allowed = std::max(files, for_the_rest * 2) - for_the_rest;
    log.warning("the system allows fewer open files than server.connections_max needs: fewer connections are taken",
                {{"open_files", std::to_string(files)},
                 {"needed", std::to_string(wanted + for_the_rest)},
                 {"connections", std::to_string(std::min(wanted, allowed))}});
    return std::min(wanted, allowed);
}

net::ServerOptions server_options(const host::Config& config, host::Logger& log) {
    net::ServerOptions options;
    options.host = config.server.host;
    options.port = config.server.port;
    options.socket_path = config.server.socket;
    options.rpc_socket_path = config.rpc.socket;
    if (const auto address = host::split_address(config.rpc.listen)) {
        options.rpc_host = address->first;
        options.rpc_port = address->second;
    }
    options.tls_certificate = config.server.tls_certificate;
    options.tls_key = config.server.tls_key;
    options.allowed_hosts = config.server.allowed_hosts;
    options.allowed_origins = config.server.allowed_origins;
    options.connections_max = connections_allowed(config, log);
    options.events_per_second = config.limits.events_per_second;
    options.journal = config.server.journal;
    return options;
}

engine::RetentionOptions retention_options(const host::Config& config) {
    engine::RetentionOptions options;
    options.events_kept = config.retention.events;
    options.events_bytes_kept = config.retention.events_bytes;
    options.audit_kept = config.retention.audit;
    options.sink_calls_kept = std::min(config.retention.audit, base::limits::sink_calls_kept);
    // Also how soon an idle writer notices that another node has taken its ledger.
    if (config.store.backend == host::StoreBackend::postgres) options.pause = base::seconds(5);
    options.messages_kept = config.memory.kept;
    return options;
}

engine::EngineOptions engine_options(const host::Config& config, const ports::Sinks& sinks, ports::Zones& zones,
                                     rules::CountTokens count_tokens) {
    engine::EngineOptions options;
    options.count_tokens = std::move(count_tokens);
    options.retention = retention_options(config);
    options.owner = config.notifications.owner;
    options.runs.capacity = config.runs.capacity;
    options.runs.kept = config.runs.retention;
    options.runs.silence = config.runs.silence;
    options.wakes.running_max = config.agents.wakes_at_once;
    options.sinks = &sinks;
    options.zones = &zones;
    options.monitor.tokens_percent = config.monitor.tokens_percent;
    options.monitor.iterations_percent = config.monitor.iterations_percent;
    options.monitor.timeout_percent = config.monitor.timeout_percent;
    options.monitor.context_percent = config.monitor.context_percent;
    options.monitor.loop_repetitions = config.monitor.loop_repetitions;
    options.monitor.loop_window = config.monitor.loop_window;
    return options;
}

std::unique_ptr<ports::MintToken> mint_admin(std::string name) {
    auto mint = std::make_unique<ports::MintToken>();
    mint->principal = model::house_principal();
    mint->name = std::move(name);
    mint->role = model::Role::admin;
    return mint;
}

}  // namespace

store::StoreLocation location_of(const host::Config& config) {
    store::StoreLocation location;
    location.backend =
        config.store.backend == host::StoreBackend::postgres ? store::Backend::postgres : store::Backend::sqlite;
    location.sqlite_path = host::database_file(config.store.data_dir);
    location.postgres_url = config.store.postgres_url;
    return location;
}

Daemon::Daemon(host::Config config, host::Environment environment, host::Logger& log)
    : config_(std::move(config)),
      log_(log),
      location_(location_of(config_)),
      checkpoints_(location_, log),
      store_(store::writer_options(location_, {[this](std::int64_t pages) { checkpoints_.notice(pages); },
                                               [this](const std::string& note) { log_.info(note); }}),
             engine_entropy_),
      subscribers_(config_.notifications.subscribers, log),
      sinks_(config_.notifications.sinks, log),
      engine_zones_(environment),
      network_zones_(environment),
      engine_(store_, engine_entropy_, subscribers_,
              engine_options(config_, sinks_, engine_zones_,
                             [this](std::string_view text) { return tokens_.count(text); })),
      queue_(metrics_, base::limits::queue_commands_max, base::limits::queue_bytes_max),
      gate_(queue_, [this](std::function<void()> work) { server_.post(std::move(work)); }),
      readers_([this] { return store::open_reading(location_); },
               [this](std::function<void()> work) { server_.post(std::move(work)); }, clock_, reader_threads),
      follow_(readers_, metrics_, config_.runs.events_kept),
      access_(clock_),
      answers_(readers_, follow_, clock_, metrics_, subscribers_, config_.notifications.owner, host::process_id(),
               config_.runs.retention, &network_zones_, tools::all_contracts()),
      server_(server_options(config_, log), gate_, follow_, answers_, access_, network_entropy_, clock_, metrics_),
      sync_({queue_, clock_, sync_entropy_, metrics_, log,
             [this](std::function<void()> work) { server_.post(std::move(work)); },
             host::peer_key_file(config_.store.data_dir), config_.sync.name}),
      couriers_(base::limits::sink_threads),
      tool_couriers_(base::limits::tool_threads),
      tool_caller_({queue_, readers_, tool_couriers_, clock_, environment,
                    [this](std::function<void()> work) { server_.post(std::move(work)); }, log}),
      performer_({queue_, readers_, sinks_, couriers_, tool_caller_, clock_, environment,
                  [this](std::function<void()> work) { server_.post(std::move(work)); }, log}),
      summary_models_(rules::estimate_model_tokens),
      keeper_(
          queue_, [this] { return store::open_reading(location_); }, summary_models_, environment, log),
      house_(queue_, clock_, std::move(environment), log),
      engine_thread_(engine_, queue_, clock_, metrics_,
                     [this](engine::Effects effects) { hand_over(std::move(effects)); }) {}

Daemon::~Daemon() {
    house_.stop();
    keeper_.stop();
    sync_.stop();
    engine_thread_.drain();
    readers_.stop();
    couriers_.stop();
    tool_couriers_.stop();
    checkpoints_.stop();
    server_.quit();
    if (network_thread_.joinable()) network_thread_.join();
}

base::Result<void> Daemon::start() {
    host::ignore_broken_pipes();
    host::keep_new_files_private();
    host::give_large_memory_back();
    TRY(host::make_daemon_folders(config_.store.data_dir, config_.server.socket));
    TRY_ASSIGN(lock_, host::FolderLock::take(config_.store.data_dir, clock_.now()));
    TRY(read_tokenizer());
    TRY(open_engine());
    if (!config_.rpc.socket.empty()) {
        TRY(host::make_folder(host::parent_folder(config_.rpc.socket), host::mode_private_folder));
    }
    TRY(server_.listen());
    server_.set_pairing(&sync_);
    TRY(sync_.start(config_.sync.listen));
    const bool is_everywhere = config_.server.host == "0.0.0.0" || config_.server.host == "::";
    if (is_everywhere && config_.server.allowed_hosts.empty()) {
        log_.warning("requests by any name but localhost will be refused; name this machine in server.allowed_hosts",
                     {{"host", config_.server.host}});
    }
    tell_doors({(config_.server.tls_certificate.empty() ? "http://" : "https://") + address(), config_.server.socket});
    network_thread_ = std::thread([this] { server_.run(); });
    checkpoints_.start();
    update_readiness();  // reads the engine, which is its own thread's from the next line on
    engine_thread_.start();
    house_.start(config_.agents.wakes_at_once);
    keeper_.start();
    log_.info("belfry serves", {{"address", address()},
                                {"socket", config_.server.socket},
                                {"rpc_socket", config_.rpc.socket},
                                {"rpc_port", std::to_string(server_.rpc_port())},
                                {"sync", sync_.listens_at()},
                                {"store", store::describe(location_)},
                                {"version", BELFRY_VERSION}});
    return {};
}

base::Result<void> Daemon::read_tokenizer() {
    answers_.count_memory_by([this](std::string_view text) { return tokens_.count(text); });
    const std::string& path = config_.memory.tokenizer;
    return path.empty() ? base::Result<void>{} : tokens_.read_ranks(path);
}

base::Result<void> Daemon::open_engine() {
    auto opened = engine_.open(engine_thread_.begin());
    if (opened.ok()) {
        let_out(*opened);
        return make_admin_token();
    }
    // Another node writes this ledger: wait for it to go, ready to take over.
    const bool waits = location_.backend == store::Backend::postgres && opened.error().code == base::Code::conflict;
    if (!waits) return std::move(opened).error();
    log_.warning("another node holds the ledger; standing by", {{"why", opened.error().message}});
    answers_.set_readiness(ports::Readiness::standby);
    return {};
}

// At the first start there is nobody who could ask for a token: Belfry makes one and leaves it where only its own user
// can read it. Likewise where the one that is there opens nothing, as after a restore; an empty file wants none.
base::Result<void> Daemon::make_admin_token() {
    const std::string path = host::admin_token_file(config_.store.data_dir);
    TRY_ASSIGN(const std::vector<model::AccessToken> tokens, access_.tokens(model::house_principal()));
    TRY_ASSIGN(const auto left, host::file_facts(path));
    if (left) {
        auto kept = host::read_file(path, 4096);
        if (!kept.ok() && tokens.empty()) return std::move(kept).error();
        if (!kept.ok()) return {};
        admin_token_ = kept->substr(0, kept->find('\n'));
        const auto is_it = [this](const model::AccessToken& token) {
            return admin_token_.starts_with("bf_" + token.id + "_");
        };
        const bool is_known = admin_token_.empty() || std::ranges::any_of(tokens, is_it);
        if (!tokens.empty() && is_known) return {};
    }
    // Of another folder's ledger, or of a first start that ended before it had left what it made.
    base::Result<void> made;
    auto mint = mint_admin(tokens.empty() ? "first admin" : "admin of this data folder");
    mint->done = [&](base::Result<ports::MintedToken> minted) {
        if (minted.ok()) admin_token_ = minted->secret_text;
        else made = minted.error();
    };
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(mint));
    engine::Effects effects = engine_.step(clock_.now(), std::move(group));
    let_out(effects);
    if (made.ok()) made = host::write_file_atomically(path, admin_token_ + "\n", host::mode_private_file);
    if (tokens.empty()) return made;
    // There are others, and the Unix sockets: no reason not to start.
    if (made.ok()) log_.info("another admin token was made, for the one of this data folder is none", {{"file", path}});
    else log_.warning("there is no admin token in the data folder", {{"why", made.error().message}});
    return {};
}

// A node that takes over has tokens in its ledger and perhaps none in its folder, where the commands look for one.
void Daemon::leave_token() {
    const std::string path = host::admin_token_file(config_.store.data_dir);
    const auto there = host::file_facts(path);
    if (!there.ok() || *there) return;
    auto mint = mint_admin("admin of the node that took over");
    mint->lane = ports::Lane::control;
    mint->bytes = sizeof(ports::MintToken);
    mint->done = [this, path](base::Result<ports::MintedToken> minted) {
        base::Result<void> kept =
            minted.ok() ? host::write_file_atomically(path, minted->secret_text + "\n", host::mode_private_file)
                        : base::Result<void>(minted.error());
        if (kept.ok()) log_.info("this node took over; its admin token is in its data folder", {{"file", path}});
        else log_.warning("this node took over without an admin token", {{"why", kept.error().message}});
    };
    ports::AnyCommand command = std::move(mint);
    if (auto taken = queue_.submit(command); !taken.ok()) {
        log_.warning("this node took over without an admin token", {{"why", taken.error().message}});
    }
}

// From the engine's thread: one hand-over for all that a commit lets out.
void Daemon::hand_over(engine::Effects effects) {
    update_readiness();
    for (const std::string& complaint : effects.complaints) {
        log_.warning("a template could not be used; the fallback text was", {{"why", complaint}});
    }
    for (const engine::DestroyedAgent& one : effects.destroyed) {
        log_.warning("sync: another device destroyed an agent of this device",
                     {{"agent", one.id}, {"destroyed_at", base::format_timestamp(one.at)}});
    }
    for (const std::string& setback : effects.setbacks) {
        log_.error("a part of the work in the background failed; it is tried again at growing intervals",
                   {{"why", setback}});
    }
    if (effects.has_wakes) house_.hint();
    if (effects.has_folds) keeper_.hint();
    if (effects.erased) {
        checkpoints_.fold_soon();  // what it removed is in the write-ahead log
        tokens_.forget();
    }
    auto shared = std::make_shared<engine::Effects>(std::move(effects));
    server_.post([this, shared] { let_out(*shared); });
}

// On the network's thread. Who asked is answered first; readers of the same commit come right after. An interface that
// came follows on from this very commit, which readers must know of before.
void Daemon::let_out(engine::Effects& effects) {
    const auto comes_to_follow = [](const ports::AnyCommand& command) {
        return dynamic_cast<const ports::OpenInbox*>(command.get()) != nullptr;
    };
    if (effects.tokens) access_.adopt(effects.tokens);
    if (effects.peers) sync_.adopt(effects.peers);
    if (effects.has_news) sync_.hint_news();
    if (!effects.opened.empty()) follow_.add(effects.opened);
    for (const ports::AnyCommand& command : effects.answered) {
        if (!comes_to_follow(command)) command->deliver();
    }
    if (!effects.streams.empty()) follow_.adopt(effects.streams);
    if (effects.forget_tail) follow_.forget();
    if (!effects.removed.empty()) follow_.remove(effects.removed);
    if (!effects.floors.empty()) follow_.raise_floors(effects.floors);
    if (!effects.published.empty()) follow_.publish(effects.published);
    for (const ports::AnyCommand& command : effects.answered) {
        if (comes_to_follow(command)) command->deliver();
    }
    if (!effects.owed.empty()) performer_.perform(effects.owed);
}

std::string Daemon::address() const {
    const std::string& host = config_.server.host;
    const bool is_v6 = host.find(':') != std::string::npos && !host.starts_with('[');
    return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(server_.port());
}

base::Result<std::string> Daemon::make_link() {
    std::promise<base::Result<std::string>> made;
    auto link = made.get_future();
    server_.make_link([&made](base::Result<std::string> url) { made.set_value(std::move(url)); });
    return link.get();
}

void Daemon::update_readiness() {
    const ports::Readiness before = answers_.set_last();
    if (before == ports::Readiness::stopping) return;
    ports::Readiness now = ports::Readiness::ready;
    if (engine_.state() != engine::State::open) {
        const bool stands_by = engine_.last_error().code == base::Code::conflict;
        now = stands_by ? ports::Readiness::standby : ports::Readiness::store_down;
    } else if (engine_.lacks_room()) {
        now = ports::Readiness::store_down;
    }
    if (now == before) return;
    answers_.set_readiness(now);
    if (now == ports::Readiness::ready) {
        log_.info("the store is open");
        if (before == ports::Readiness::standby) leave_token();
    } else
        log_.error(engine_.lacks_room() ? "the disk is full" : "the store is not open",
                   {{"state", ports::readiness_name(now)}, {"why", engine_.last_error().message}});
}

// While another node writes, streams are served from what it has written, and tokens are those that it has made.
void Daemon::look_as_reader() {
    if (looking_.exchange(true)) return;
    auto streams = std::make_shared<base::Result<std::vector<model::StreamInfo>>>(std::vector<model::StreamInfo>{});
    auto tokens = std::make_shared<base::Result<std::vector<model::AccessToken>>>(std::vector<model::AccessToken>{});
    readers_.read(
        [streams, tokens](ports::Reading& reading) {
            *tokens = reading.tokens();
            *streams = reading.streams();
        },
        [this, streams, tokens] {
            looking_ = false;
            if (answers_.readiness() != ports::Readiness::standby || !streams->ok() || !tokens->ok()) return;
            access_.adopt(std::make_shared<const std::vector<model::AccessToken>>(std::move(**tokens)));
            follow_.advance(**streams);
        });
}

// A disk or a server may fail by not answering at all, and the engine waits for it. Counted in looks, because a process
// that was stopped must not take its own absence for that.
void Daemon::look_after_engine() {
    const base::Duration now = clock_.monotonic();
    if (now - looked_at_ < engine_look_pause) return;
    looked_at_ = now;
    const std::uint64_t step = engine_thread_.step_number();
    const bool is_busy = step % 2 == 1;
    same_step_looks_ = is_busy && step == step_seen_ ? same_step_looks_ + 1 : 0;
    step_seen_ = step;
    const bool stalls = same_step_looks_ >= stalled_looks;
    if (stalls == stalls_) return;
    stalls_ = stalls;
    answers_.set_stalls(stalls);
    gate_.set_stalls(stalls);
    if (stalls) log_.error("the store does not answer", {{"state", "store_down"}});
    else log_.info("the store answers again");
}

void Daemon::run(host::Signals& signals) {
    WatchedFolder watch(subscribers_.folder(), log_);
    WatchedFolder sink_watch(sinks_.folder(), log_);
    std::array<pollfd, 3> waiting{pollfd{signals.descriptor(), POLLIN, 0}, pollfd{watch.descriptor(), POLLIN, 0},
                                  pollfd{sink_watch.descriptor(), POLLIN, 0}};
    // Files are written in several steps: they are read when it has been quiet for a moment.
    bool files_changed = false;
    bool files_unread = false;
    while (true) {
        // A writer may lose a ledger that others can reach at any time, and is then a reader.
        const bool is_shared = location_.backend == store::Backend::postgres;
        const base::Duration patience = is_shared ? base::limits::standby_look : engine_look_pause;
        int patience_ms = static_cast<int>(patience.us / 1000);
        if (files_unread) patience_ms = static_cast<int>(files_unread_pause.us / 1000);
        if (files_changed || subscribers_.is_untold())
            patience_ms = static_cast<int>(base::limits::files_quiet.us / 1000);
        if (answers_.readiness() == ports::Readiness::standby) look_as_reader();
        look_after_engine();
        const int ready = ::poll(waiting.data(), waiting.size(), patience_ms);
        if (ready < 0 && errno != EINTR) break;
        bool stopping = false;
        while (const auto signal = signals.take()) {
            if (*signal == host::Signal::reload) files_unread = !reload();
            else stopping = true;
        }
        if (stopping) break;
        const bool subscribers_changed = watch.take();
        const bool sinks_changed = sink_watch.take();
        if (subscribers_changed || sinks_changed) {
            files_changed = true;
        } else if (files_changed || files_unread || subscribers_.is_untold()) {
            files_unread = !reload_files(files_changed);
            files_changed = false;
        }
    }
    stop();
}

// Whether all of them could be looked at; where not, the same is tried again soon, and told once.
bool Daemon::reload_files(bool tell) {
    const bool is_again = subscribers_.is_untold();
    const auto subscribers = subscribers_.read();
    const auto sinks = sinks_.read();
    for (const auto* read : {&subscribers, &sinks}) {
        if (read->ok() || !tell) continue;
        log_.warning("files cannot be read now; what was read before counts until they can",
                     {{"why", read->error().message}});
    }
    if (subscribers.ok() && *subscribers) adopt_subscribers(is_again);
    if (sinks.ok() && *sinks) log_.info("the sinks were read again", {{"sinks", sinks_.current()->sinks.size()}});
    return subscribers.ok() && sinks.ok();
}

// The engine looks for itself; a store that is down is no reason to keep the old ones: it looks again when it opens.
void Daemon::adopt_subscribers(bool is_again) {
    if (!is_again) {
        log_.info("the subscribers were read again", {{"subscribers", subscribers_.current()->subscribers.size()}});
    }
    auto look = std::make_unique<ports::ReloadSubscribers>();
    look->principal = model::house_principal();
    look->lane = ports::Lane::control;
    look->bytes = sizeof(ports::ReloadSubscribers);
    ports::AnyCommand command = std::move(look);
    auto taken = queue_.submit(command);
    if (taken.ok()) {
        subscribers_.told();
    } else if (!is_again) {
        log_.warning("the engine is too busy to take new subscribers; it is asked again",
                     {{"why", taken.error().message}});
    }
}

bool Daemon::reload() {
    log_.info("reloading");
    const bool all_read = reload_files(true);
    if (config_.server.tls_certificate.empty()) return all_read;
    server_.post([this] {
        auto reloaded = server_.reload_certificate();
        if (reloaded.ok()) log_.info("the certificate was read again");
        else log_.error("the certificate was kept as it was", {{"why", reloaded.error().message}});
    });
    return all_read;
}

// The commands on this machine give the admin token to nobody else than who is named there.
void Daemon::tell_doors(const host::Doors& doors) {
    if (auto told = lock_->tell(doors); !told.ok()) {
        log_.warning("the commands on this machine may not find this daemon", {{"why", told.error().message}});
    }
}

void Daemon::stop() {
    log_.info("stopping");
    tell_doors({});
    answers_.set_readiness(ports::Readiness::stopping);
    sync_.stop();
    house_.stop();  // what it gives back goes through the network's thread to the engine, too
    keeper_.stop();
    // The word about a call that is under way goes through the network's thread to the engine: both outlive the calls.
    std::promise<void> closed;
    server_.stop([&closed] { closed.set_value(); });
    couriers_.stop(base::limits::http_stop_max);
    tool_couriers_.stop();  // a tool may take an hour: it is asked again, and knows that by its key
    closed.get_future().wait();
    server_.post([this] { server_.quit(); });
    network_thread_.join();
    engine_thread_.drain();
    readers_.stop();
    checkpoints_.stop();
    store_.close();
    log_.info("stopped");
}

}  // namespace belfry::daemon
