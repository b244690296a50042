#include "ports/commands/sync.hpp"

#include <memory>
#include <vector>

#include "common/fail.hpp"
#include "daemon/sync_link.hpp"
#include "instructions/count.hpp"
#include "instructions/direct_link.hpp"
#include "instructions/http_client.hpp"
#include "instructions/in_process_daemon.hpp"
#include "instructions/paths.hpp"

namespace belfry::bench {
namespace {

// Changes of records are collected for so long before they are told.
constexpr base::Duration batch_time = base::milliseconds(100);

wire::DeviceKey make_key() {
    auto made = wire::DeviceKey::make();
    if (!made.ok()) fail(made.error().message);
    return std::move(*made);
}

// A daemon with a link to another device.
class Device {
public:
    Device(const std::string& folder, std::string name, std::uint32_t seed)
        : name_(std::move(name)), key_(make_key()), daemon(folder, seed) {}

    void pair_with(const Device& other) {
        auto command = std::make_unique<ports::AddPeer>();
        command->peer.id = other.key_.pin();
        command->peer.key = other.key_.public_key();
        command->peer.name = other.name_;
        daemon.ask(std::move(command));
    }
    // Returns the near end of the link; the far end belongs to the other device.
    DirectLink& prepare(const Device& other, bool is_by_us) {
        auto end = std::make_unique<DirectLink>(daemon, other.key_, is_by_us);
        DirectLink& made = *end;
        const daemon::SyncLinkTools tools{daemon.gateway(),
                                          daemon.clock(),
                                          daemon.metrics,
                                          key_,
                                          [this](std::function<void()> work) { daemon.post(std::move(work)); },
                                          name_};
        link_ = std::make_unique<daemon::SyncLink>(tools, std::move(end), 1, [](const std::string& why) { fail(why); });
        daemon.on_news = [this] { link_->changed(); };
        return made;
    }
    void start() { link_->start(); }
    [[nodiscard]] bool is_quiet() const { return link_->is_quiet(); }

private:
    std::string name_;
    wire::DeviceKey key_;

public:
    InProcessDaemon daemon;

private:
    std::unique_ptr<daemon::SyncLink> link_;
};

void settle(Device& one, Device& other) {
    while (one.daemon.settle() || other.daemon.settle()) {
    }
}

}  // namespace

void count_sync_record(const std::string& folder) {
    Device desk(folder + "/desk", "desk", 1);
    Device phone(folder + "/phone", "phone", 2);
    desk.pair_with(phone);
    phone.pair_with(desk);
    DirectLink& near_end = desk.prepare(phone, true);
    DirectLink& far_end = phone.prepare(desk, false);
    near_end.connect_to(far_end);
    far_end.connect_to(near_end);
    desk.start();
    phone.start();
    settle(desk, phone);
    if (!desk.is_quiet() || !phone.is_quiet()) fail("the devices do not speak");

    HttpClient client(desk.daemon, desk.daemon.token());
    const Rounds rounds{10, 40};
    std::vector<std::string> tasks;
    for (std::int64_t i = 0; i < rounds.all(); ++i) {
        tasks.push_back(client.request("POST", "/v1/journal/tasks?user=ada",
                                       R"({"title":"Call the plumber )" + std::to_string(100'000 + i) + R"("})"));
    }
    const std::uint64_t before = phone.daemon.metrics.sync_records_taken;
    count("sync_record", rounds, [&](std::int64_t i) {
        client.send(tasks[static_cast<std::size_t>(i)], "201");
        desk.daemon.pass(batch_time);
        settle(desk, phone);
    });
    const std::uint64_t taken = phone.daemon.metrics.sync_records_taken - before;
    if (taken < static_cast<std::uint64_t>(rounds.all())) fail("a record was not taken");
}

}  // namespace belfry::bench
