// bench_latency: one durable event from its POST to a reader's socket, beside a bare fdatasync on the same disk.
#include <array>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "common/samples.hpp"
#include "common/socket.hpp"
#include "common/sse_reader.hpp"
#include "protocols/http.hpp"

namespace belfry::bench {

namespace {

constexpr int patience_ms = 30'000;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t pages_rewritten = 256;

// One producer and one reader, on this thread.
class Path {
public:
    Path(const ConversationPlan& plan) : socket_(plan.port), reading_(plan.port), reader_(0) {
        publisher_ = http_conversation(plan, belfry_dialect(plan));
        const std::string request = sse_request(plan.port, "/v1/streams/events?from=live", plan.token);
        if (reading_.send_some(request) != request.size()) fail("could not subscribe");
        poller_.watch(socket_.fd(), 0);
        poller_.watch(reading_.fd(), 1);
        while (!reader_.open()) serve();
    }

    // Publishes one event; both the answer and the event are awaited.
    void send_one() {
        const std::uint64_t number = reader_.received();
        const std::string_view request = publisher_->request(number);
        answered_ns_ = delivered_ns_ = 0;
        const std::int64_t begin = now_ns();
        if (socket_.send_some(request) != request.size()) fail("a small request did not fit");
        while (answered_ns_ == 0 || delivered_ns_ == 0) serve();
        answered.add(answered_ns_ - begin);
        delivered.add(delivered_ns_ - begin);
    }

    Samples answered;
    Samples delivered;

private:
    void serve() {
        const auto ready = poller_.wait(patience_ms);
        if (ready.empty()) fail("nothing came for 30 seconds");
        for (const epoll_event& event : ready) {
            if (event.data.u64 == 0) receive_answer();
            else if (reader_.take({scratch_.data(), reading_.receive_some(scratch_)}) > 0) delivered_ns_ = now_ns();
        }
    }

    void receive_answer() {
        pending_.append(scratch_.data(), socket_.receive_some(scratch_));
        std::string back;
        const Taken taken = publisher_->take(pending_, back);
        if (taken.answered) answered_ns_ = now_ns();
        pending_.erase(0, taken.bytes);
    }

    Poller poller_;
    Socket socket_;
    Socket reading_;
    SseReader reader_;
    std::unique_ptr<Conversation> publisher_;
    std::array<char, 64 << 10> scratch_{};
    std::string pending_;
    std::int64_t answered_ns_ = 0;
    std::int64_t delivered_ns_ = 0;
};

// A file that is only written to: at its end, as a log that grows, or over and over, as a log that is reused.
class Disk {
public:
    explicit Disk(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
        if (file_.get() < 0) fail_errno("cannot make " + path);
        unlink(path.c_str());
        page_.fill('x');
    }

    void fill() {
        for (std::size_t i = 0; i < pages_rewritten; ++i) write(i);
        if (fdatasync(file_.get()) != 0) fail_errno("fdatasync");
    }

    void append_one() { timed(appended, pages_rewritten + appended.size()); }
    void overwrite_one() { timed(overwritten, overwritten.size() % pages_rewritten); }

    Samples appended;
    Samples overwritten;

private:
    void write(std::size_t page) {
        page_[0] = static_cast<char>(page);
        const auto at = static_cast<off_t>(page * page_bytes);
        if (pwrite(file_.get(), page_.data(), page_.size(), at) != static_cast<ssize_t>(page_.size()))
            fail_errno("write");
    }

    void timed(Samples& samples, std::size_t page) {
        const std::int64_t begin = now_ns();
        write(page);
        if (fdatasync(file_.get()) != 0) fail_errno("fdatasync");
        samples.add(now_ns() - begin);
    }

    Descriptor file_;
    std::array<char, page_bytes> page_{};
};

void pause(std::int64_t microseconds) {
    if (microseconds > 0) usleep(static_cast<useconds_t>(microseconds));
}

void run(const Options& options) {
    ConversationPlan plan;
    plan.port = static_cast<std::uint16_t>(options.number("port"));
    plan.token = options.text("token", "");
    plan.event.bytes = static_cast<std::size_t>(options.number("bytes", 400));
    const std::int64_t rounds = options.number("rounds", 20);
    const std::int64_t each = options.number("events", 5000) / rounds;
    const std::int64_t pause_us = options.number("pause-us", 0);
    Disk disk(options.text("folder") + "/fdatasync.probe");
    disk.fill();
    Path path(plan);
    const auto warm = static_cast<int>(options.number("warm-events", 200));
    for (int i = 0; i < warm; ++i) path.send_one();
    path.answered = path.delivered = {};

    for (std::int64_t round = 0; round < rounds; ++round) {
        for (std::int64_t i = 0; i < each; ++i, pause(pause_us)) path.send_one();
        for (std::int64_t i = 0; i < each; ++i, pause(pause_us)) disk.append_one();
        for (std::int64_t i = 0; i < each; ++i, pause(pause_us)) disk.overwrite_one();
    }
    Report()
        .add("events", path.delivered.size())
        .add("events_total", path.delivered.size() + static_cast<std::size_t>(warm))
        .add("rounds", rounds)
        .add("pause_us", pause_us)
        .add("delivered_p50_us", path.delivered.percentile_us(50))
        .add("delivered_p99_us", path.delivered.percentile_us(99))
        .add("answered_p50_us", path.answered.percentile_us(50))
        .add("answered_p99_us", path.answered.percentile_us(99))
        .add("append_p50_us", disk.appended.percentile_us(50))
        .add("append_p99_us", disk.appended.percentile_us(99))
        .add("overwrite_p50_us", disk.overwritten.percentile_us(50))
        .add("overwrite_p99_us", disk.overwritten.percentile_us(99))
        .print();
}

}  // namespace

}  // namespace belfry::bench

int main(int count, char** words) {
    using namespace belfry::bench;
    run(Options(count, words, {"port", "token", "folder", "events", "rounds", "pause-us", "warm-events", "bytes"}));
    return 0;
}
