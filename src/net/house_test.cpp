#include "net/test_agent_commands.hpp"
#include "net/test_client_commands.hpp"
#include "net/test_delivery_commands.hpp"
#include "net/test_house.hpp"
#include "net/test_journal_commands.hpp"
#include "net/test_memory_commands.hpp"
#include "net/test_run_commands.hpp"
#include "net/test_wake_commands.hpp"

// What all tests of this room stand on is compiled once, not with each of them.
namespace belfry::net::test {

TestQueries::~TestQueries() = default;

base::Result<void> TestGateway::submit(ports::AnyCommand& command) {
    if (full) return base::error(base::Code::overloaded, "the queue is full");
    ++submitted;
    last_principal = command->principal;
    if (down) command->refuse(base::error(base::Code::unavailable, "the store is down"));
    else decide(*command);
    if (decided) decided();
    waiting_.push_back(std::move(command));
    if (!hold) {
        soon([this] { deliver(); });
    }
    return {};
}

void TestGateway::decide(ports::Command& command) {
    if (decide_session_command(command) || decide_notification_command(command)) return;
    if (decide_delivery_command(command, open_inboxes) || decide_client_command(command)) return;
    if (decide_run_command(command, run_events) || decide_wake_command(command, due)) return;
    if (decide_journal_command(command) || decide_memory_command(command)) return;
    if (decide_sync_command(command)) return;
    if (auto* emit = dynamic_cast<ports::EmitEvents*>(&command)) {
        ports::EmitReply reply;
        const ports::IdempotencyKey key = emit->idempotency.value_or(ports::IdempotencyKey{});
        last_key = key.text;
        last_fingerprint = key.fingerprint;
        reply.replayed = key.text == "again";
        for (const ports::EventDraft& draft : emit->entries) {
            if (!draft.event) {
                reply.entries.emplace_back(draft.event.error());
            } else if (draft.event->type == "refuse.me") {
                reply.entries.emplace_back(base::error(base::Code::invalid, "refused", "type"));
            } else {
                reply.entries.emplace_back(ports::Admitted{{}, streams_.add("{}", draft.event->type)});
            }
        }
        emit->settle(std::move(reply));
    } else if (auto* mint = dynamic_cast<ports::MintToken*>(&command)) {
        ports::MintedToken minted;
        minted.token.id = "t2";
        minted.token.name = mint->name;
        minted.token.role = mint->role;
        minted.token.bounds = mint->bounds;
        minted.secret_text = "bf_t2_secret";
        mint->settle(std::move(minted));
    } else if (auto* revoke = dynamic_cast<ports::RevokeToken*>(&command)) {
        model::AccessToken token;
        token.id = revoke->token_id;
        if (token.id == "t1") {
            revoke->settle(std::move(token));
        } else {
            revoke->refuse(base::error(base::Code::not_found, "there is no such token"));
        }
    } else if (auto* erase = dynamic_cast<ports::EraseUser*>(&command)) {
        erase->settle(ports::ErasureReply{*base::parse_uuid("018f0000-0000-7000-8000-000000000001")});
    }
}

House::House(ServerOptions options) {
    options.port = 0;
    server = std::make_unique<Server>(options, gateway, streams, queries, access, random, clock, metrics);
    server->set_pairing(&pairing);
    const auto soon = [this](std::function<void()> work) { server->post(std::move(work)); };
    streams.soon = gateway.soon = queries.soon = soon;
    for (const auto& [token, role] :
         std::initializer_list<std::pair<const char*, model::Role>>{{"admin", model::Role::admin},
                                                                    {"service", model::Role::service},
                                                                    {"user", model::Role::user},
                                                                    {"agent", model::Role::agent},
                                                                    {"emitter", model::Role::emitter}}) {
        access.add(token, role);
    }
    const auto listening = server->listen();
    EXPECT_TRUE(listening.ok()) << (listening.ok() ? "" : listening.error().message);
    thread_ = std::thread([this] { server->run(); });
}

House::~House() {
    server->quit();
    thread_.join();
}

}  // namespace belfry::net::test
