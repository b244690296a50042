#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/libpq.hpp"

namespace belfry::store {

struct PostgresOptions;
struct WriterSession;

// A result of the server, freed with its owner.
struct PgResultDeleter {
    const Libpq* pq = nullptr;
    void operator()(PGresult* result) const { pq->clear(result); }
};
using PgResult = std::unique_ptr<PGresult, PgResultDeleter>;

// One session with a server, set up for Belfry: its schema is the search path (created for the writer), a commit waits
// for the disk, statements and locks have time-outs, and both ends notice within three seconds that the other one is
// gone. The writer's session holds the ledger's advisory lock for as long as it lives. Session state is what this rests
// on: a pooler in between must pool sessions, not transactions.
class PostgresConnection {
public:
    static base::Result<PostgresConnection> connect(const PostgresOptions& options);
    // Only to look around: no schema is entered or made, no lock taken, and nothing can be written.
    static base::Result<PostgresConnection> connect_to_look(const std::string& url);

    [[nodiscard]] const Libpq& pq() const { return *pq_; }
    [[nodiscard]] PGconn* handle() const { return handle_.get(); }
    [[nodiscard]] bool is_lost() const { return pq_->status(handle_.get()) != CONNECTION_OK; }
    [[nodiscard]] bool is_in_transaction() const;

    // Statements without parameters; the last one's result.
    base::Result<PgResult> exec(const std::string& text) const;
    // Takes a result over; an error where the server refused, or where there is none because the session is lost.
    base::Result<PgResult> check(PGresult* result) const;
    // The first value of the first row, or nothing where there is no row.
    base::Result<std::string> ask(const std::string& text) const;
    // The schema that the address names, or `belfry`.
    base::Result<std::string> choose_schema() const;
    // The session that holds the lock of this schema's ledger, in words; nothing where nobody does.
    base::Result<std::string> find_writer(const std::string& schema) const;
    // What the session has to say about its own end.
    [[nodiscard]] base::Error lost() const;

private:
    // Keeps the library for itself: when a connection is replaced, the old one is finished after its library was let
    // go.
    struct Finisher {
        std::shared_ptr<const Libpq> pq;
        void operator()(PGconn* handle) const { pq->finish(handle); }
    };

    PostgresConnection(std::shared_ptr<const Libpq> pq, PGconn* handle)
        : pq_(std::move(pq)), handle_(handle, Finisher{pq_}) {}

    static base::Result<PostgresConnection> begin(const std::string& url, const char* name);
    [[nodiscard]] std::string text_of(const PgResult& result, int row, int column) const;
    base::Result<void> enter_schema(const std::string& schema, const PostgresOptions& options) const;
    base::Result<void> insist_on_durability() const;
    base::Result<void> take_writer_lock(const std::string& schema, WriterSession* last) const;
    // Ends our own last session, if it still holds the lock, and takes the lock from it. False: it does not hold it.
    base::Result<bool> replace_own_session(std::int64_t key, const WriterSession& last) const;

    std::shared_ptr<const Libpq> pq_;
    std::unique_ptr<PGconn, Finisher> handle_;
};

// The address without its password, for status and messages.
std::string describe_postgres_url(const std::string& url);

}  // namespace belfry::store
