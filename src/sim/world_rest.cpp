#include <algorithm>

#include "base/injection_limits.hpp"
#include "engine/stream_book.hpp"
#include "sim/session_streams_witness.hpp"
#include "sim/stock.hpp"
#include "sim/world.hpp"

// What the world does beside sending commands: the clock's work, checkpoints, looking, and the end.
namespace belfry::sim {
namespace {

constexpr int rest_rounds_max = 3000;
constexpr std::size_t page_bytes_at_rest = 200'000;

std::size_t short_at(const std::string& content, std::size_t at) {
    return static_cast<unsigned char>(content[at]) * 256U + static_cast<unsigned char>(content[at + 1]);
}

// Whether this lies in the part of a page of a tree that holds nothing, between the list of its cells and the first of
// them. Rows that moved to another page when theirs was full leave copies there (docs/simulation.md).
bool is_in_unused_part(const std::string& content, std::size_t at) {
    constexpr std::size_t page_bytes = 4096;
    const std::size_t page = at / page_bytes * page_bytes;
    if (page == 0) return false;
    const char kind = content[page];
    if (kind != 0x02 && kind != 0x05 && kind != 0x0a && kind != 0x0d) return false;
    const std::size_t header = kind < 0x0a ? 12 : 8;
    const std::size_t first_cell = short_at(content, page + 5);
    return at >= page + header + 2 * short_at(content, page + 3) && at < page + first_cell;
}

}  // namespace

void World::tend() {
    const bool was_up = is_up();
    // What has ended is looked at before retention lets go of it.
    if (clock_.now() - compared_at_ > base::Duration{weather_.retention.notifications_kept.us / 2}) compare();
    if (was_up) {
        wants_.hold(subscribers_.current());
        notifications_.hold(subscribers_.current());
    }
    if (was_up) ++tally_.sweeps;
    const engine::Effects effects = process_->engine.tend(clock_.now());
    if (effects.is_behind) behind_until_ = clock_.now() + base::limits::reopen_pause_max;
    if (disk_.is_dead() || effects.is_behind || (was_up && !is_up())) {
        say("trouble while tending");
        events_.floor_may_rise();
        events_.may_bring(clock_.now());
        blocks_.unheard();
        delivery_.unheard();
    }
    if (disk_.is_dead()) return;
    delivery_.began(effects);
    if (was_up && is_up() && !effects.is_behind) delivery_.tended(clock_.now());
    hear_of_the_clock(effects);
    hear_of_delivery(effects);
    hear(effects);
    const bool is_up_again = !was_up && is_up();
    if (is_up_again) say("up again");
    if (is_up_again || effects.is_behind || (effects.figures.blocks_dropped > 0 && random_.one_in(4))) compare();
}

void World::checkpoint(const char* how) {
    if (!is_up()) return;
    const auto done = process_->store.database().script(std::string("PRAGMA wal_checkpoint(") + how + ")");
    say(std::string("checkpoint ") + how + (done.ok() ? "" : ": " + done.error().message));
}

void World::compare() {
    if (!is_up() || disk_.is_dead() || !complaints_.empty()) return;
    disk_.clear_faults(Fault::read_error);  // those who look are not part of the world
    const std::size_t page_bytes = 1 + random_.below(random_.one_in(2) ? 2000 : 200'000);
    auto stock = take_stock(process_->store, page_bytes);
    if (!stock.ok()) {
        complaints_.push_back("the store cannot be read: " + stock.error().message);
        return;
    }
    ++tally_.comparisons;
    stock->drops_obligations =
        clock_.now() - began_at_ > std::min(weather_.retention.audit_kept, weather_.retention.sink_calls_kept);
    complaints_.insert(complaints_.end(), stock->complaints.begin(), stock->complaints.end());
    compared_at_ = clock_.now();
    erasures_.compare(*stock, compared_at_, complaints_);
    events_.compare(*stock, complaints_);
    notifications_.found(events_.drain(), wants_);
    wants_.compare(*stock, complaints_);
    notifications_.compare(*stock, compared_at_, complaints_);
    delivery_.compare(*stock);
    for (std::string& complaint : delivery_.drain()) complaints_.push_back(std::move(complaint));
    sessions_.compare(*stock, complaints_);
    compare_session_streams(*stock, complaints_);
    const auto next = process_->engine.next_due();
    for (const model::Notification& row : stock->notifications) {
        if (model::is_terminal(row.state) || (next && *next <= std::max(*row.deadline, behind_until_))) continue;
        complaints_.push_back("the engine has forgotten when to look at notification " + std::to_string(row.ordinal));
        break;
    }
    for (const model::WaitingRow& row : stock->waiting) {
        if (next && *next <= std::max(row.due_at, behind_until_)) continue;
        complaints_.push_back("the engine has forgotten what waits for " + row.subscriber_id);
        break;
    }
    tokens_.compare(*stock, clock_.now(), complaints_);
    blocks_.compare(*stock, complaints_);
    for (const model::StreamInfo& stream : process_->engine.streams()) {
        const auto stored = std::ranges::find(stock->streams, stream.id, &model::StreamInfo::id);
        if (stored == stock->streams.end() || stored->head != stream.head || stored->floor != stream.floor) {
            complaints_.push_back("the engine remembers stream " + stream.name + " otherwise than the store has it");
        }
    }
}

// In good weather everything that is owed must be done, and then what was erased is nowhere on the disk.
void World::come_to_rest() {
    disk_.clear_faults();
    say("coming to rest");
    int rounds = 0;
    while (complaints_.empty() && (!is_up() || erasures_.unfinished() > 0) && ++rounds < rest_rounds_max) {
        clock_.advance(base::seconds(11));
        tend();
        if (!is_up() || claims_.empty()) {
            finish_calls();
            continue;
        }
        std::vector<Sent> sent{claims_.front()};
        std::vector<ports::AnyCommand> commands;
        commands.push_back(to_command(sent.front()));
        const engine::Effects effects = process_->engine.step(clock_.now(), std::move(commands));
        hear_answers(sent, effects);
        hear_of_delivery(effects);
        hear(effects);
        // A claim that ran out comes again.
        if (!reply_is_ok(effects)) claims_.erase(claims_.begin());
    }
    if (!complaints_.empty()) return;
    if (!is_up()) complaints_.push_back("the store did not come back: " + process_->engine.last_error().message);
    if (erasures_.unfinished() > 0) {
        complaints_.push_back(std::to_string(erasures_.unfinished()) + " erasures were never finished");
    }
    if (!complaints_.empty()) return;
    rest_windows();
    compare();
    checkpoint("TRUNCATE");
    // Retention makes pages merge, and copies of rows that moved stay in free pages and in unused parts of others: that
    // nothing is left holds only while nothing was dropped (docs/simulation.md). The months in which deliveries come to
    // rest are longer than events are kept, so this is before them.
    if (complaints_.empty() && events_.floor() == 0) {
        ++tally_.looks_for_erased;
        look_for_erased_bytes();
    }
    rest_deliveries();
    compare();
    checkpoint("TRUNCATE");
    if (!complaints_.empty()) return;
    disk_.die();
    die();
    if (!is_up())
        complaints_.push_back("after the last death the store did not open: " + process_->engine.last_error().message);
}

// Nobody sends anything: when the longest windows have passed, nothing waits. The clock may still bring warnings, each
// once.
void World::rest_windows() {
    constexpr int windows = 6;
    for (int i = 0; i < windows; ++i) {
        clock_.advance(base::limits::low_wait_max + base::limits::dedupe_window_max);
        tend_all();
    }
    const auto stock = take_stock(process_->store, page_bytes_at_rest);
    if (stock.ok()) NotificationsWitness::expect_rest(*stock, complaints_);
}

// Calls of sinks are claimed in the order in which they were owed, with everything else.
void World::finish_calls() {
    if (!is_up() || calls_.empty()) return;
    std::vector<Sent> sent(calls_.begin(), calls_.end());
    std::vector<ports::AnyCommand> commands;
    for (const Sent& one : sent) commands.push_back(to_command(one));
    const engine::Effects effects = process_->engine.step(clock_.now(), std::move(commands));
    hear_answers(sent, effects);
    hear_of_delivery(effects);
    hear(effects);
}

void World::tend_all() {
    for (int rounds = 0; complaints_.empty(); ++rounds) {
        const auto due = process_->engine.next_due();
        if (!due || *due > clock_.now()) return;
        if (rounds == rest_rounds_max) return complaints_.push_back("the engine is always due and never done");
        tend();
    }
}

// Nobody comes: what agents had in hand goes to the people, and a month later that is a dead letter too.
void World::rest_deliveries() {
    if (!complaints_.empty()) return;
    compare();
    for (int i = 0; i < 2; ++i) {
        clock_.advance(base::limits::interface_wait_max + base::days(1));
        tend_all();
    }
    const auto stock = take_stock(process_->store, page_bytes_at_rest);
    if (stock.ok() && complaints_.empty()) delivery_.expect_rest(*stock);
    for (std::string& complaint : delivery_.drain()) complaints_.push_back(std::move(complaint));
}

bool World::reply_is_ok(const engine::Effects& effects) {
    return static_cast<const ports::EraseSlice&>(*effects.answered.front()).result().ok();
}

// A checkpoint syncs the database; that it emptied the log is seen at once and is on the disk some seconds later.
void World::look_for_erased_bytes() {
    constexpr std::size_t marker_chars = 19;
    for (const std::string* content : {disk_.durable("/belfry.db"), disk_.seen("/belfry.db-wal")}) {
        if (content == nullptr) continue;
        for (std::size_t at = content->find("mk-"); at != std::string::npos; at = content->find("mk-", at + 1)) {
            if (!events_.is_erased(content->substr(at, marker_chars)) || is_in_unused_part(*content, at)) continue;
            complaints_.push_back("erased bytes are still on the disk, at " + std::to_string(at) + " of " +
                                  std::to_string(content->size()));
            return;
        }
    }
}

}  // namespace belfry::sim
