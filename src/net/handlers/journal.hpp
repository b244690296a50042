#pragma once

#include "model/journal.hpp"
#include "net/exchange.hpp"

// What the routes of the journal do. Those of the nine kinds are the same but for the kind, of which each route's
// handler is made.
namespace belfry::net::handlers {

void create_record(const Exchange& exchange, model::JournalKind kind);
void list_records(const Exchange& exchange, model::JournalKind kind);
void get_record(const Exchange& exchange, model::JournalKind kind);
void change_record(const Exchange& exchange, model::JournalKind kind);
void delete_record(const Exchange& exchange, model::JournalKind kind);

void search_journal(const Exchange& exchange);
void put_link(const Exchange& exchange);
void delete_link(const Exchange& exchange);
void list_links(const Exchange& exchange);
void export_journal(const Exchange& exchange);
void import_journal(const Exchange& exchange);
void get_journal(const Exchange& exchange);

}  // namespace belfry::net::handlers
