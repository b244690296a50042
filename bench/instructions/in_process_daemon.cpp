#include "instructions/in_process_daemon.hpp"

#include <filesystem>
#include <utility>

#include "base/limits.hpp"
#include "common/fail.hpp"
#include "host/subscriber_folder.hpp"
#include "ledger/fill.hpp"
#include "net/connection.hpp"
#include "net/interaction_waits.hpp"
#include "net/outside_call_waits.hpp"
#include "net/wake_waits.hpp"
#include "ports/commands/access.hpp"
#include "tools/registry.hpp"
#include "wire/http_response.hpp"

namespace belfry::bench {
namespace {

constexpr base::Duration request_pause = base::milliseconds(1);  // between two requests

std::string database_in(const std::string& folder) {
    std::filesystem::create_directories(folder);
    return folder + "/belfry.db";
}

}  // namespace

std::uint64_t CountedRandom::next() {
    return mixed(++count_);
}

ShippedSubscribers::ShippedSubscribers() {
    model::Catalogue catalogue = host::read_subscribers("");
    if (!catalogue.problems.empty()) fail(catalogue.problems.front().message);
    catalogue_ = std::make_shared<const model::Catalogue>(std::move(catalogue));
}

InProcessDaemon::InProcessDaemon(const std::string& folder, std::uint32_t seed)
    : random_(seed),
      location_{store::Backend::sqlite, database_in(folder), {}},
      store_(store::writer_options(location_, {}), random_),
      engine_(store_, random_, subscribers_, {}),
      queue_(metrics, base::limits::queue_commands_max, base::limits::queue_bytes_max),
      follow_(*this, metrics),
      access_(clock_),
      answers_(*this, follow_, clock_, metrics, subscribers_, "owner", 1, base::limits::runs_kept, nullptr,
               tools::all_contracts()),
      service_({}, {*this, follow_, answers_, access_, random_, clock_, metrics},
               [this](std::function<void()> work) { post(std::move(work)); }) {
    follow_.set_listener([this](const std::vector<model::StreamId>& streams) {
        service_.fanout.on_news(streams);
        service_.rpc.on_news(streams);
        service_.interaction_waits->on_news(streams);
        service_.wake_waits->on_news(streams);
        service_.outside_call_waits->on_news(streams);
    });
    keep_time();
    auto opened = engine_.open(clock_.now());
    if (!opened.ok()) fail(opened.error().message);
    let_out(std::move(*opened));
    answers_.set_readiness(ports::Readiness::ready);
    settle();
    auto mint = std::make_unique<ports::MintToken>();
    mint->name = "bench";
    mint->role = model::Role::admin;
    token_ = ask(std::move(mint)).secret_text;
}

InProcessDaemon::~InProcessDaemon() {
    service_.connections.for_each([](net::Connection& connection) { connection.end(); });
    service_.connections.bury();
}

void InProcessDaemon::keep_time() {
    service_.tick = clock_.monotonic();
    service_.date = wire::http_date(clock_.now());
}

net::ConnectionId InProcessDaemon::connect(std::unique_ptr<wire::Transport> transport) {
    const net::ConnectionId id = service_.connections.reserve();
    service_.connections.put(id, std::make_unique<net::Connection>(service_, id, std::move(transport), net::Peer{}));
    return id;
}

void InProcessDaemon::receive(net::ConnectionId connection) {
    clock_.move(request_pause);
    service_.tick = clock_.monotonic();
    wire::Edge edge;
    edge.readable = true;
    if (net::Connection* const found = service_.connections.find(connection)) found->on_edge(edge);
    settle();
}

bool InProcessDaemon::settle() {
    bool is_idle = true;
    while (true) {
        if (!work_.empty()) {
            const std::function<void()> work = std::move(work_.front());
            work_.pop_front();
            work();
        } else if (!run_group() && !run_due()) {
            break;
        }
        is_idle = false;
    }
    service_.connections.bury();
    return !is_idle;
}

bool InProcessDaemon::run_group() {
    if (waiting_ == 0) return false;
    std::vector<ports::AnyCommand> group = queue_.take({});
    waiting_ -= group.size();
    let_out(engine_.step(clock_.now(), std::move(group)));
    run_due();
    return true;
}

bool InProcessDaemon::run_due() {
    const auto due = engine_.next_due();
    if (!due || *due > clock_.now()) return false;
    let_out(engine_.tend(clock_.now()));
    return true;
}

void InProcessDaemon::pass(base::Duration time) {
    const base::Timestamp end = clock_.now() + time;
    for (auto due = engine_.next_due(); due && *due <= end; due = engine_.next_due()) {
        clock_.move(std::max(*due - clock_.now(), base::Duration{0}));
        keep_time();
        settle();
    }
    clock_.move(end - clock_.now());
    keep_time();
}

// As Daemon::let_out, without the parts that are left out here.
void InProcessDaemon::let_out(engine::Effects effects) {
    if (engine_.state() != engine::State::open) fail(engine_.last_error().message);
    if (!effects.complaints.empty()) fail(effects.complaints.front());
    if (!effects.setbacks.empty()) fail(effects.setbacks.front());
    notifications_made_ += effects.figures.notifications_made;
    auto shared = std::make_shared<engine::Effects>(std::move(effects));
    post([this, shared] {
        engine::Effects& out = *shared;
        if (out.tokens) access_.adopt(out.tokens);
        if (out.has_news && on_news) on_news();
        if (!out.opened.empty()) follow_.add(out.opened);
        for (const ports::AnyCommand& command : out.answered) command->deliver();
        if (!out.streams.empty()) follow_.adopt(out.streams);
        if (out.forget_tail) follow_.forget();
        if (!out.removed.empty()) follow_.remove(out.removed);
        if (!out.floors.empty()) follow_.raise_floors(out.floors);
        if (!out.published.empty()) follow_.publish(out.published);
    });
}

base::Result<void> InProcessDaemon::submit(ports::AnyCommand& command) {
    TRY(queue_.put(command));
    ++waiting_;
    return {};
}

void InProcessDaemon::read(std::function<void(ports::Reading&)> job, std::function<void()> then) {
    if (!reading_) {
        auto opened = store::open_reading(location_);
        if (!opened.ok()) fail(opened.error().message);
        reading_ = std::move(*opened);
    }
    job(*reading_);
    post(std::move(then));
}

}  // namespace belfry::bench
