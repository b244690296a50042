#include "engine/hand_over.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/limits.hpp"
#include "engine/summary.hpp"
#include "rules/due.hpp"
#include "rules/may.hpp"
#include "rules/portion.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;

// A word that nothing of what it is to enclose holds.
std::string fence_around(const std::vector<ports::PulledItem>& items, ports::Random& random) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (;;) {
        std::string word;
        for (std::uint64_t bits = random.next(), i = 0; i < 12; ++i, bits >>= 4U) word += digits[bits & 15U];
        const bool is_taken = std::ranges::any_of(items, [&](const ports::PulledItem& item) {
            return item.notification.content.find(word) != std::string::npos;
        });
        if (!is_taken) return word;
    }
}

std::string handle_text(std::int64_t handle) {
    return "n" + std::to_string(handle);
}

base::Error stale() {
    return base::error(Code::conflict, "this was handed over again since, or has come to its end: the lease is stale",
                       "lease");
}

}  // namespace

std::vector<std::type_index> HandOver::handles() const {
    return {typeid(ports::PullNotifications), typeid(ports::Acknowledge)};
}

base::Result<void> HandOver::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> HandOver::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<std::string> ids;
    for (const ports::Command* command : commands) {
        if (const auto* pull = dynamic_cast<const ports::PullNotifications*>(command)) ids.push_back(pull->session_id);
        else ids.push_back(static_cast<const ports::Acknowledge&>(*command).session_id);
    }
    return sessions_.load(ids, unit);
}

base::Result<void> HandOver::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::PullNotifications*>(&command)) return pull(*wish, unit);
    return acknowledge(static_cast<ports::Acknowledge&>(command), unit);
}

base::Result<void> HandOver::pull(ports::PullNotifications& command, Unit& unit) {
    TRY_ASSIGN(model::Session * session, sessions_.find(command.session_id, unit));
    const std::string user =
        session != nullptr ? session->user_id : rules::default_user(command.principal, ledger_.owner());
    if (auto allowed = rules::may_use_session(command.principal, command.session_id, user); !allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    if (session == nullptr) {
        TRY_ASSIGN(session, sessions_.find_or_make(command.session_id, user, user == ledger_.owner(), unit));
    }
    ports::PullReply reply;
    if (command.acknowledge) {
        TRY_ASSIGN(reply.acknowledged, acknowledge_pull(*command.acknowledge, command.session_id, unit));
    }
    if (command.point == model::InjectAt::turn_start && !session->progress.in_turn) {
        rules::begin_turn(*session, unit.now);
        sessions_.touch(*session);
    }
    TRY(notify_.reach(*session, command.point, unit));
    TRY(ledger_.settle(unit));

    ports::DueQuestion question;
    question.session_id = session->id;
    question.user_id = session->user_id;
    question.classes = rules::due_classes(command.point);
    question.or_before = rules::left_over_before(command.point, *session);
    question.now = unit.now;
    question.limit = limits::pull_items_max;
    TRY_ASSIGN(std::vector<model::Notification> due, unit.store.notifications().due(question));
    const rules::Portion portion = rules::divide(due, command.budget_tokens);

    std::vector<model::NotificationId> passed;
    for (const std::size_t i : portion.waiting) passed.push_back(due[i].id);
    if (!passed.empty()) TRY(unit.store.notifications().pass_over(passed));
    reply.waiting = static_cast<std::int64_t>(passed.size());
    reply.pull_id = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());

    std::vector<model::Notification> whole;
    std::vector<model::Notification> counted;
    for (const std::size_t i : portion.whole) whole.push_back(std::move(due[i]));
    for (const std::size_t i : portion.counted) counted.push_back(std::move(due[i]));
    TRY(lock(whole, command, *session, reply, unit));
    for (model::Notification& one : whole) {
        ports::PulledItem item;
        item.handle = handle_text(one.handle);
        item.again = one.lease > 1;
        item.notification = std::move(one);
        reply.items.push_back(std::move(item));
    }
    TRY(lock(counted, command, *session, reply, unit));
    for (ports::PulledItem& item : summaries_of(std::move(counted))) reply.items.push_back(std::move(item));
    for (const ports::PulledItem& item : reply.items) {
        reply.model_tokens += item.notification.model_tokens + rules::item_overhead_tokens;
    }
    if (!reply.items.empty()) reply.lease_until = unit.now + command.lease;
    reply.fence = fence_around(reply.items, unit.random);
    // A runtime that reports no turns is understood by the points that it comes to.
    if (command.point == model::InjectAt::turn_end && !session->progress.in_turn) {
        rules::end_turn(*session, unit.now);
        sessions_.touch(*session);
    }
    command.settle(std::move(reply));
    return {};
}

base::Result<void> HandOver::lock(std::vector<model::Notification>& handed, const ports::PullNotifications& command,
                                  model::Session& session, ports::PullReply& reply, Unit& unit) {
    for (model::Notification& notification : handed) {
        const std::int64_t before = notification.lease;
        ++notification.lease;
        notification.state = model::DeliveryState::locked;
        notification.holder = command.principal.id;
        notification.lease_until = unit.now + command.lease;
        notification.pull_id = reply.pull_id;
        // One of the user's may come to another session than before, where its handle would be somebody else's.
        if (notification.handed_to != session.id) {
            notification.handed_to = session.id;
            notification.handle = session.next_handle++;
            sessions_.touch(session);
        }
        TRY_ASSIGN(const bool held, unit.store.notifications().update(notification, before));
        ASSERT(held);  // nobody else writes
        ++handed_over_;
    }
    return {};
}

base::Result<std::int64_t> HandOver::acknowledge_pull(const base::Uuid& pull_id, const std::string& session_id,
                                                      Unit& unit) {
    TRY_ASSIGN(std::vector<model::Notification> handed, unit.store.notifications().of_pull(pull_id));
    std::int64_t count = 0;
    for (model::Notification& notification : handed) {
        if (notification.handed_to != session_id) continue;
        TRY_ASSIGN(const bool done, acknowledge_one(std::move(notification), unit));
        if (done) ++count;
    }
    return count;
}

base::Result<bool> HandOver::acknowledge_one(model::Notification notification, Unit& unit) {
    if (notification.state == model::DeliveryState::delivered) return true;  // said again
    if (notification.state != model::DeliveryState::locked) return false;
    notification.state = model::DeliveryState::delivered;
    notification.ended_at = unit.now;
    notification.lease_until.reset();
    TRY_ASSIGN(const bool held, unit.store.notifications().update(notification, notification.lease));
    if (!held) return false;
    ledger_.ended(notification);
    ++acknowledged_;
    return true;
}

base::Result<void> HandOver::acknowledge(ports::Acknowledge& command, Unit& unit) {
    TRY_ASSIGN(const model::Session* const session, sessions_.find(command.session_id, unit));
    auto allowed = session == nullptr ? base::Result<void>(base::error(Code::not_found, "there is no such session"))
                                      : rules::may_use_session(command.principal, command.session_id, session->user_id);
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    ports::AcknowledgeReply reply;
    if (command.pull_id) {
        TRY_ASSIGN(reply.acknowledged, acknowledge_pull(*command.pull_id, command.session_id, unit));
        if (reply.acknowledged == 0) {
            command.refuse(stale());
            return {};
        }
    }
    // All or none: first every item is looked at.
    std::vector<model::Notification> items;
    for (const ports::Acknowledge::Item& item : command.items) {
        TRY_ASSIGN(auto found, find_item(command.session_id, item.key, unit));
        if (!found) {
            command.refuse(
                base::error(Code::not_found, "there is no notification " + item.key + " in this session", "items"));
            return {};
        }
        const bool is_ours =
            found->lease == item.lease && item.lease > 0 &&
            (found->state == model::DeliveryState::locked || found->state == model::DeliveryState::delivered);
        if (!is_ours) {
            command.refuse(stale());
            return {};
        }
        items.push_back(std::move(*found));
    }
    for (model::Notification& item : items) {
        TRY_ASSIGN(const bool done, acknowledge_one(std::move(item), unit));
        if (done) ++reply.acknowledged;
    }
    command.settle(reply);
    return {};
}

base::Result<std::optional<model::Notification>> HandOver::find_item(const std::string& session_id,
                                                                     const std::string& key, Unit& unit) {
    if (const auto uuid = base::parse_uuid(key)) {
        TRY_ASSIGN(auto found, unit.store.notifications().find(model::NotificationId{*uuid}));
        const bool is_here = found && found->handed_to == session_id;
        return is_here ? std::move(found) : std::optional<model::Notification>{};
    }
    std::int64_t handle = 0;
    const char* const end = key.data() + key.size();
    if (!key.starts_with('n')) return std::optional<model::Notification>{};
    const auto read = std::from_chars(key.data() + 1, end, handle);
    if (read.ec != std::errc{} || read.ptr != end) return std::optional<model::Notification>{};
    return unit.store.notifications().find_handle(session_id, handle);
}

void HandOver::committed(Effects& effects) {
    effects.figures.notifications_handed_over += handed_over_;
    effects.figures.notifications_acknowledged += acknowledged_;
    dropped();
}

void HandOver::dropped() {
    handed_over_ = acknowledged_ = 0;
}

}  // namespace belfry::engine
