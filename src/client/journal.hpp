#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "client/client.hpp"
#include "client/journal_types.hpp"
#include "client/requests.hpp"

namespace belfry::client {

// The journal of one person, through the connection of a client, which outlives it. Errors are those of the client; a
// revision that is not the record's any more is a conflict with the reason `stale_revision`.
class Journal {
public:
    explicit Journal(Client& client, JournalScope scope = {}) : client_(client), scope_(std::move(scope)) {}

    // `body` as POST /v1/journal/{plural} takes it. Without an id in it this is not repeated by itself: after
    // outcome_unknown the record may be there.
    base::Result<RecordNow> create(model::JournalKind kind, const model::RawJson& body);
    base::Result<RecordNow> find(model::JournalKind kind, std::string_view id);
    // `patch` as PATCH takes it, with a revision or without.
    base::Result<RecordNow> change(model::JournalKind kind, std::string_view id, const model::RawJson& patch);
    // Gives the tombstone.
    base::Result<RecordNow> remove(model::JournalKind kind, std::string_view id,
                                   std::optional<std::int64_t> revision = {});
    base::Result<RecordList> list(const RecordQuestion& question);
    base::Result<RecordList> search(const SearchQuestion& question);

    base::Result<LinkNow> put_link(const LinkRequest& request);
    base::Result<void> remove_link(std::string_view relation, std::string_view from_id, std::string_view to_id);
    base::Result<std::vector<LinkNow>> links(const LinkQuestion& question);

    // All records and links, one a line, tombstones too, handed on in slices of whole lines until `take` returns false.
    base::Result<void> export_lines(const std::function<bool(std::string_view lines)>& take);
    // At most limits::journal_import_records_max lines. It may be repeated: what is there is unchanged.
    base::Result<Imported> import_lines(std::string ndjson);
    base::Result<JournalNow> status();

private:
    [[nodiscard]] Query query() const;
    base::Result<RecordList> pages(const std::string& path, const Query& filters, std::size_t limit);

    Client& client_;
    JournalScope scope_;
};

}  // namespace belfry::client
