#pragma once

#include <string_view>

#include "base/result.hpp"
#include "client/session_types.hpp"
#include "client/types.hpp"
#include "wire/http_answer.hpp"

// The daemon's answers as types. A 2xx answer that does not have the promised shape is malformed: then somebody else
// than Belfry answers at that address.
namespace belfry::client {

// The reason in a problem document, or what the status alone tells where there is none.
base::Error read_problem(const wire::HttpAnswer& answer);

// How long the server wishes to be left alone (Retry-After), 30 s at the most; zero where it has no wish.
base::Duration retry_after(const wire::HttpAnswer& answer);

base::Result<Emitted> read_emitted(const wire::HttpAnswer& answer);
base::Result<Page> read_page(std::string_view body);
// `{"sequence":N,"event":{…}}` or `{"sequence":N,"erased":true}`: one entry of a page and the data of one SSE event.
base::Result<Entry> read_entry(std::string_view json);
struct StreamList {
    std::vector<StreamState> streams;
    std::int64_t next = 0;  // the `after` of the next page; 0: this is the last one
};
base::Result<StreamList> read_streams(std::string_view body);
base::Result<TokenState> read_token(std::string_view body);
base::Result<std::vector<TokenState>> read_tokens(std::string_view body);
base::Result<Ticket> read_ticket(std::string_view body);
base::Result<LinkState> read_link(std::string_view body);
base::Result<ErasureState> read_erasure(std::string_view body);
base::Result<DaemonStatus> read_status(std::string_view body);
base::Result<SubscriberState> read_subscriber(std::string_view body);
// Adds one page to the list; gives where the next one begins, or nothing after the last.
base::Result<std::string> read_subscribers(std::string_view body, SubscriberList& list);
base::Result<SessionState> read_session(std::string_view body);
base::Result<ContextState> read_context(std::string_view body);
base::Result<ReportState> read_report(std::string_view body);
base::Result<SelfNoteState> read_self_note(std::string_view body);
base::Result<Pulled> read_pulled(std::string_view body);
base::Result<std::int64_t> read_acknowledged(std::string_view body);
base::Result<std::int64_t> read_renewed(std::string_view body);

}  // namespace belfry::client
