#pragma once

#include <string_view>

#include "base/result.hpp"
#include "client/journal_types.hpp"

namespace belfry::client {

base::Result<RecordNow> read_record(std::string_view body);
base::Result<LinkNow> read_journal_link(std::string_view body);
base::Result<RecordNow> record_of(model::JsonView view);
LinkNow journal_link_of(model::JsonView view);
base::Result<Imported> read_imported(std::string_view body);
base::Result<JournalNow> read_journal(std::string_view body);

}  // namespace belfry::client
