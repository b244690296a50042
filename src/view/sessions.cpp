#include <string>

#include "rules/may.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/find.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

using base::Code;

base::Result<model::Session> find_session(ports::Reading& reading, const model::Principal& who, const std::string& id) {
    TRY_ASSIGN(std::optional<model::Session> session, reading.sessions().find(id));
    if (!session) return base::error(Code::not_found, "there is no such session");
    TRY(may_use_session(reading, who, *session));
    if (session->deleted_at) return base::error(Code::gone, "this session was deleted");
    return std::move(*session);
}

base::Result<ports::History> read_history(ports::Reading& reading, const model::Principal& who,
                                          const ports::HistoryQuestion& question) {
    ports::History history;
    TRY_ASSIGN(history.session, find_session(reading, who, question.session_id));
    if (question.shape == ports::HistoryShape::tree) {
        TRY_ASSIGN(history.page, reading.sessions().tree(question.session_id, question.place, question.limit,
                                                         base::limits::page_bytes_max));
        return history;
    }
    TRY_ASSIGN(history.page, reading.sessions().path(question.session_id, question.place, question.limit,
                                                     base::limits::page_bytes_max));
    if (question.place && history.page.nodes.empty()) {
        return base::error(Code::not_found, "there is no such node in this session", "node");
    }
    return history;
}

base::Result<void> may_read_settings(const model::Principal& who, const std::string& user_id) {
    auto allowed = rules::may_set_for(who, user_id);
    if (allowed.ok()) return allowed;
    std::string seen = user_id;
    if (rules::may_see_of(who, seen).ok() && seen == user_id) return {};
    return allowed;
}

}  // namespace

void Answers::session(const model::Principal& who, std::string_view id,
                      std::function<void(base::Result<model::Session>)> done) {
    ask<model::Session>(
        beside_, [who, id = std::string(id)](ports::Reading& reading) { return find_session(reading, who, id); },
        std::move(done));
}

void Answers::sessions(const model::Principal& who, ports::SessionFilter filter,
                       std::function<void(base::Result<std::vector<model::Session>>)> done) {
    using Found = base::Result<std::vector<model::Session>>;
    ask<std::vector<model::Session>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable -> Found {
            TRY(rules::may_see_of(who, filter.user_id));
            return read_page<model::Session>(
                filter.limit,
                [&](std::size_t wanted, const std::vector<model::Session>& before) {
                    filter.limit = wanted;
                    if (!before.empty()) filter.after = before.back().id;
                    return reading.sessions().list(filter);
                },
                [](const model::Session& one) { return one.metadata.bytes().size() + one.title.size(); });
        },
        std::move(done));
}

void Answers::history(const model::Principal& who, ports::HistoryQuestion question,
                      std::function<void(base::Result<ports::History>)> done) {
    ask<ports::History>(
        beside_,
        [who, question = std::move(question)](ports::Reading& reading) { return read_history(reading, who, question); },
        std::move(done));
}

void Answers::settings(const model::Principal& who, std::string_view user_id,
                       std::function<void(base::Result<model::UserSettings>)> done) {
    const std::string user = user_id.empty() ? rules::default_user(who, owner_) : std::string(user_id);
    ask<model::UserSettings>(
        beside_,
        [who, user, catalogue = catalogue()](ports::Reading& reading) -> base::Result<model::UserSettings> {
            TRY(may_read_settings(who, user));
            TRY_ASSIGN(model::UserSettings settings, reading.sessions().settings(user));
            settings.user_id = user;
            // Whatever the table says, these are on; and whoever sends the list back may.
            std::erase_if(settings.disabled_subscribers, [&](const std::string& id) {
                const model::Subscriber* const subscriber = catalogue->find(id);
                return subscriber != nullptr && subscriber->core;
            });
            return settings;
        },
        std::move(done));
}

}  // namespace belfry::view
