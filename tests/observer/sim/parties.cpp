#include "parties.hpp"

#include "base/limits.hpp"
#include "edge.hpp"
#include "model/notification_json.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/sessions.hpp"

namespace observer::sim {
namespace {

constexpr std::size_t read_bytes_max = 1 << 20;
constexpr std::size_t read_entries_max = 1000;

// Calls `see` with every new line of a stream. False: the stream is gone.
template <class See>
bool read_lines(Node& node, ports::Cursor& cursor, const See& see, const std::function<void()>& read_again) {
    for (;;) {
        ports::StreamBatch batch;
        switch (node.follow().read(cursor, read_bytes_max, read_entries_max, batch)) {
            case ports::ReadState::gone: return false;
            case ports::ReadState::at_head: return true;
            case ports::ReadState::behind:
                node.follow().fetch(cursor, [read_again](const base::Result<void>& fetched) {
                    if (fetched.ok()) read_again();
                });
                return true;
            case ports::ReadState::entries: break;
        }
        for (const ports::BlockSlice& slice : batch.slices)
            for (std::uint32_t i = slice.first; i < slice.first + slice.count; ++i)
                see(std::string(slice.block->entries[i].body));
    }
}

}  // namespace

// ---- interfaces -----------------------------------------------------------------------------------------------------

void Interface::begin() {
    if (kind_ == Kind::passing) later(0, 600, [this] { connect(); });
    else connect();
}

void Interface::connect() {
    connection_ = name_ + "-" + std::to_string(++number_);
    arrivals_.clear();
    is_seen_ = is_open_ = has_more_ = false;
    told_ = last_ordinal_ = 0;
    auto command = std::make_unique<ports::OpenInbox>();
    command->user_id = user_;
    const auto then = [this, began = stage_.recorder.tick(),
                       connection = connection_](const base::Result<ports::OpenedInbox>* result) {
        if (result == nullptr) {
            if (connection != connection_) return;
            connection_.clear();
            return connect_again();
        }
        if (connection != connection_) {  // it left meanwhile
            if (result->ok()) close();
            return;
        }
        if (!result->ok()) {
            stage_.recorder.add(name_, Connected{connection, user_, "simulated", answer_of(result)}, began);
            connection_.clear();
            return connect_again();
        }
        began_ = began;
        opened(**result);
    };
    stage_.node.ask_surely<ports::OpenInbox>(std::move(command), user_token(user_), then);
}

void Interface::connect_again() {
    if (kind_ == Kind::passing) return later(0, 600, [this] { connect(); });
    stage_.schedule.after(50'000, [this] {
        if (connection_.empty() && (kind_ == Kind::steady || !stage_.is_ending)) connect();
    });
}

void Interface::opened(const ports::OpenedInbox& inbox) {
    is_open_ = true;
    until_ = inbox.until;
    ports::OpenStream open;
    open.principal = user_token(user_);
    open.stream = inbox.stream;
    open.start = ports::StartAt::after;
    open.after = inbox.as_of;
    auto cursor = stage_.node.follow().open(open);
    if (!cursor.ok()) {
        stage_.node.problem = "an inbox could not be followed: " + cursor.error().message;
        return;
    }
    cursor_ = std::move(cursor).value();
    arrive({Arrival::What::head});
    take_portion(inbox);
}

void Interface::take_portion(const ports::InboxPortion& portion) {
    for (const model::Notification& one : portion.waiting) {
        Arrival line;
        model::append_interface_json(line.line, one);
        last_ordinal_ = one.ordinal;
        arrive(std::move(line));
    }
    told_ += static_cast<std::int64_t>(portion.waiting.size());
    has_more_ = portion.more;
    if (!has_more_) {
        arrive({Arrival::What::caught_up, {}, told_});
        return pump();
    }
    auto next = std::make_unique<ports::ContinueInbox>();
    next->user_id = user_;
    next->after = last_ordinal_;
    next->until = until_;
    stage_.node.ask_surely<ports::ContinueInbox>(
        std::move(next), user_token(user_),
        [this, connection = connection_](const base::Result<ports::InboxPortion>* result) {
            if (connection != connection_ || !is_open_ || result == nullptr) return;
            if (result->ok()) take_portion(**result);
            else disconnect(true);
        });
}

void Interface::pump() {
    if (!is_open_ || has_more_ || !cursor_) return;
    const bool is_there = read_lines(
        stage_.node, *cursor_, [this](std::string line) { arrive({Arrival::What::line, std::move(line)}); },
        [this, connection = connection_] {
            if (connection == connection_) pump();
        });
    if (!is_there) disconnect(true);
}

void Interface::arrive(Arrival arrival) {
    arrivals_.push_back(std::move(arrival));
    if (is_reading_) return;
    is_reading_ = true;
    stage_.schedule.after(stage_.node.latency(stage_.profile.frame_latency_us), [this] { read_arrivals(); });
}

void Interface::read_arrivals() {
    is_reading_ = false;
    while (!arrivals_.empty() && !connection_.empty()) {
        const Arrival arrival = std::move(arrivals_.front());
        arrivals_.pop_front();
        see(arrival);
    }
    arrivals_.clear();
}

void Interface::see(const Arrival& arrival) {
    if (arrival.what == Arrival::What::head) {
        is_seen_ = true;
        stage_.recorder.add(name_, Connected{connection_, user_, "simulated", {200, {}}}, began_);
        if (kind_ == Kind::steady) acks_percent_ = 100;
        else acks_percent_ = static_cast<std::uint64_t>(choose_number({0, 0, 30, 100}));
        if (kind_ == Kind::steady) return;
        const std::int64_t life_ms =
            kind_ == Kind::desk ? 30'000 : choose_number({0, 2, 10, 50, 300, 1000, 2500, 6000});
        after(life_ms * 1000, [this, connection = connection_] {
            if (connection == connection_) disconnect(false);
        });
        return;
    }
    if (arrival.what == Arrival::What::caught_up) {
        stage_.recorder.add(name_, CaughtUp{connection_, arrival.number});
        return;
    }
    std::string room;
    const std::string_view type = type_of_line(arrival.line, room);
    if (type == "notification") return see_notification(arrival.line);
    if (type != "notification_state") return;
    StateShown seen = state_of_line(arrival.line);
    seen.connection = connection_;
    stage_.recorder.add(name_, std::move(seen));
}

void Interface::see_notification(const std::string& line) {
    Shown seen = shown_of_line(line);
    seen.connection = connection_;
    seen.user = user_;
    stage_.know(seen.id);
    const std::string id = seen.id;
    const std::int64_t lease = seen.lease;
    const std::int64_t version = seen.version;
    stage_.recorder.add(name_, std::move(seen));
    if (kind_ != Kind::steady && random_.one_in(40)) {
        // An acknowledgement that Belfry must reject: an older lease or version, or a notification of another user.
        if (random_.one_in(2) && lease > 1) acknowledge(id, lease - 1, version);
        else if (version > 1) acknowledge(id, lease, version - 1);
        else acknowledge(*std::next(stage_.ids.begin(), static_cast<long>(random_.below(stage_.ids.size()))), 1, 1);
    }
    if (!random_.percent(acks_percent_)) return;
    if (kind_ == Kind::steady || random_.one_in(2)) return acknowledge(id, lease, version);
    after(static_cast<std::int64_t>(random_.below(400'000)), [this, connection = connection_, id, lease, version] {
        if (connection == connection_) acknowledge(id, lease, version);
    });
}

void Interface::acknowledge(const std::string& id, std::int64_t lease, std::int64_t version) {
    auto command = std::make_unique<ports::AckNotification>();
    command->lane = ports::Lane::control;
    command->which.key = id;
    command->lease = lease;
    command->version = version;
    const bool is_websocket = random_.one_in(2);
    stage_.node.ask<ports::AckNotification>(std::move(command), user_token(user_),
                                            [this, began = stage_.recorder.tick(), connection = connection_, id, lease,
                                             version, is_websocket](const base::Result<model::Notification>* result) {
                                                // The answer over a WebSocket is lost with its connection.
                                                const bool is_lost = is_websocket && connection != connection_;
                                                const Answer answer = is_lost ? Answer{} : answer_of(result);
                                                stage_.recorder.add(
                                                    name_, Acked{connection, user_, id, lease, version, answer}, began);
                                            });
}

void Interface::disconnect(bool by_daemon) {
    if (connection_.empty()) return;
    if (is_open_ && !is_seen_)
        stage_.recorder.add(name_, Connected{connection_, user_, "simulated", {200, {}}}, began_);
    if (is_open_) stage_.recorder.add(name_, Disconnected{connection_, by_daemon});
    connection_.clear();
    arrivals_.clear();
    cursor_.reset();
    if (is_open_) close();
    is_open_ = false;
    connect_again();
}

// The daemon learns a little later that the interface has left.
void Interface::close() {
    if (!stage_.node.is_up()) return;
    const std::int64_t delay_us =
        stage_.node.is_open() ? stage_.node.latency(stage_.profile.frame_latency_us) : 200'000;
    stage_.schedule.after(delay_us, [this, life = stage_.node.lives()] {
        if (life != stage_.node.lives() || !stage_.node.is_up()) return;
        auto command = std::make_unique<ports::CloseInbox>();
        command->lane = ports::Lane::control;
        command->user_id = user_;
        stage_.node.ask_surely<ports::CloseInbox>(std::move(command), user_token(user_), [this](const auto* result) {
            if (result != nullptr && !result->ok()) close();  // the store is away: say it again
        });
    });
}

void Interface::lost() {
    if (is_open_) disconnect(true);
}

void Interface::leave() {
    if (kind_ != Kind::steady) disconnect(false);
}

// ---- sinks ----------------------------------------------------------------------------------------------------------

void SinkWorker::perform(const std::vector<ports::Obligation>& owed) {
    for (const ports::Obligation& one : owed) {
        const auto [found, is_new] = calls_.try_emplace(one.id, Call{one, false});
        found->second.owed = one;
        if (found->second.is_answered) finish(one.id, ports::ObligationEnd::done);
        if (!is_new) continue;
        stage_.schedule.after(1000 + stage_.node.latency(20'000), [this, id = one.id] { call(id); });
    }
}

void SinkWorker::call(const base::Uuid& id) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    if (!stage_.node.is_open()) return stage_.schedule.after(100'000, [this, id] { call(id); });
    const ports::Obligation& owed = found->second.owed;
    // A call that could outlive its claim would be made twice; the engine gives it out again.
    constexpr base::Duration call_besides = base::seconds(10);
    if (owed.claimed_until &&
        stage_.node.now() + base::limits::sink_time_default + call_besides > *owed.claimed_until) {
        calls_.erase(found);
        return;
    }
    const auto sink = owed.detail.member("sink")->as_text();
    const auto which = base::parse_uuid(owed.detail.member("notification")->as_text());
    std::optional<model::Notification> row;
    stage_.node.read_now([&](ports::Reading& reading) {
        auto read = reading.notifications().find(model::NotificationId{*which});
        if (read.ok()) row = std::move(*read);
    });
    if (!row) return finish(id, ports::ObligationEnd::done);
    if (model::is_terminal(row->state)) return finish(id, ports::ObligationEnd::not_needed);
    if (random_.below(1000) < stage_.profile.sink_failures) {
        auto later = std::make_unique<ports::PostponeObligation>();
        later->obligation = id;
        later->fence = owed.fence;
        later->reason = "the bell is broken";
        calls_.erase(found);
        return stage_.node.ask_surely<ports::PostponeObligation>(std::move(later), model::house_principal(),
                                                                 [](const auto*) {});
    }
    const std::string& text = row->narration.empty() ? row->text : row->narration;
    stage_.recorder.add("sink", Rang{sink, row->scope.user_id, id_text(row->id.uuid), row->version, row->lease, text});
    found->second.is_answered = true;
    finish(id, ports::ObligationEnd::done);
}

void SinkWorker::finish(const base::Uuid& id, ports::ObligationEnd end) {
    Call& call = calls_.at(id);
    auto command = std::make_unique<ports::FinishObligation>();
    command->obligation = id;
    command->fence = call.owed.fence;
    command->end = end;
    command->note = "exit code 0";
    if (!call.is_answered) calls_.erase(id);
    stage_.node.ask_surely<ports::FinishObligation>(
        std::move(command), model::house_principal(), [this, id](const base::Result<ports::Nothing>* result) {
            if (result != nullptr && (result->ok() || result->error().code == base::Code::conflict)) calls_.erase(id);
        });
}

// ---- followers ------------------------------------------------------------------------------------------------------

void Follower::follow() {
    if (!stage_.node.is_up()) {
        stage_.schedule.after(50'000, [this] { follow(); });
        return;
    }
    follower_ = name_ + "-" + std::to_string(stage_.recorder.count(name_));
    ports::OpenStream open;
    open.principal = token_;
    open.stream = "agent:" + user_;
    open.start = ports::StartAt::beginning;
    const Began began = stage_.recorder.tick();
    auto cursor = stage_.node.follow().open(open);
    stage_.recorder.add(
        name_, FollowedAgent{follower_, user_, cursor.ok() ? Answer{200, {}} : failure_of(cursor.error())}, began);
    if (!cursor.ok()) return;
    cursor_ = std::move(cursor).value();
    published();
}

void Follower::published() {
    if (!cursor_ || !stage_.node.is_up()) return;
    (void)read_lines(
        stage_.node, *cursor_,
        [this](const std::string& line) {
            TurnRequested seen;
            if (!read_turn_request(line, seen)) return;
            seen.follower = follower_;
            seen.user = user_;
            stage_.recorder.add(name_, std::move(seen));
        },
        [this] { published(); });
}

void Follower::lost() {
    if (!cursor_) return;
    cursor_.reset();
    stage_.recorder.add(name_, Unfollowed{follower_});
    follow();
}

// ---- users that talk ------------------------------------------------------------------------------------------------

model::Principal Talker::user_token_of() const {
    return user_token(user_);
}

void Talker::act() {
    if (random_.below(1000) < stage_.profile.deletions) {
        stage_.delete_session(choose(stage_.sessions[user_]), user_, true);
    } else {
        if (random_.percent(30)) {
            EmitWish ring;
            ring.user = user_;
            ring.code = "uus";
            ring.is_idempotent = true;
            ringer_.emit(ring);
        }
        talk();
    }
    later(200, 800, [this] { act(); });
}

void Talker::talk() {
    MessagePosted asked;
    asked.caller = name_;
    asked.user = user_;
    asked.session = choose(stage_.sessions[user_]);
    asked.role = "user";
    asked.mark = stage_.recorder.mark('u');
    asked.text = asked.mark + " says " + user_;
    auto command = std::make_unique<ports::PostMessage>();
    command->session_id = asked.session;
    command->content = asked.text;
    command->deliver = true;
    stage_.node.ask<ports::PostMessage>(
        std::move(command), user_token(user_),
        [this, began = stage_.recorder.tick(), asked](const base::Result<model::SessionMessage>* result) {
            MessagePosted seen = asked;
            seen.answer = answer_of(result, 201);
            if (result != nullptr && result->ok()) seen.id = id_text((*result)->id.uuid);
            stage_.recorder.add(name_, std::move(seen), began);
        });
}

}  // namespace observer::sim
