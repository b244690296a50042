#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "net/exchange.hpp"
#include "ports/journal_questions.hpp"

// What the handlers of the journal share.
namespace belfry::net::handlers {

// The parameters that name whose journal it is, and the claim that somebody works under.
class JournalParameters {
public:
    // False: it is none of these. `categories` narrows what is read, so that only reads know it.
    base::Result<bool> take(const std::string& name, const std::string& value);
    base::Result<bool> take_of_read(const std::string& name, const std::string& value);
    // Once all are taken: a wake and a fence go together.
    base::Result<ports::JournalAccess> settle() &&;

private:
    ports::JournalAccess access_;
    std::int64_t wake_ = 0;
    std::int64_t fence_ = 0;
};

// Reads the parameters of a request that has no others.
base::Result<ports::JournalAccess> read_journal_access(const Exchange& exchange);
base::Result<ports::JournalAccess> read_journal_access_of_read(const Exchange& exchange);

// A whole number above 0.
base::Result<std::int64_t> parse_number(const std::string& name, const std::string& value);
// The id of a record in a parameter or a path.
base::Result<std::string> parse_journal_id(const std::string& name, const std::string& value);

// A record or a link as an answer, and a refusal of one: what is stale is told the current revision.
void answer_record(const Reply& to, int status, const model::JournalRecord& record);
void answer_link(const Reply& to, int status, const model::Link& link);
void answer_refusal(const Reply& to, const base::Error& error);

}  // namespace belfry::net::handlers
