#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "client/client.hpp"
#include "model/raw_json.hpp"

namespace belfry::client {

struct MemoryWords {
    std::string words;
    std::string thread_id;  // empty: of all
    std::string kind;       // empty: any
    std::size_t limit = 10;
};

// What to forget: a message, or what lies in a thread, or before a time, or both.
struct ForgetRequest {
    std::string message_id;
    std::string thread_id;
    std::string before;  // RFC 3339
};
struct Forgotten {
    std::int64_t messages = 0;
    std::int64_t summaries = 0;
};

// What came of lines that were sent.
struct AgentImported {
    std::int64_t added = 0;
    std::int64_t unchanged = 0;
    struct Fault {
        std::int64_t line = 0;  // of those that were sent, from 1 on
        base::Error error;
    };
    std::optional<Fault> fault;  // nothing was taken
};

// What one agent remembers. Answers are the daemon's JSON, as docs/memory.md has it. Uses a client of somebody else.
class Memory {
public:
    Memory(Client& client, std::string agent_id) : client_(client), agent_id_(std::move(agent_id)) {}

    base::Result<model::RawJson> show(std::string_view thread_id = {}, bool explain = false);
    base::Result<std::vector<model::RawJson>> threads();
    // Those that nothing has folded, or that this one has.
    base::Result<std::vector<model::RawJson>> summaries(std::string_view folded_into = {});
    // A summary with a page of what it was made of.
    base::Result<model::RawJson> open(std::string_view summary_id, std::int64_t after = 0, std::size_t limit = 100);
    base::Result<std::vector<model::RawJson>> search(const MemoryWords& question);
    base::Result<std::vector<model::RawJson>> folds(std::string_view state = {});
    // How many jobs are open now.
    base::Result<std::int64_t> fold(std::string_view thread_id = {});
    base::Result<model::RawJson> restart(std::string_view job_id);
    // All of it, in as many requests as it takes.
    base::Result<Forgotten> forget(const ForgetRequest& request);

    // Lines of JSON, until `take` returns false.
    base::Result<void> export_lines(const std::function<bool(std::string_view)>& take);
    // The first lines of an export, whose agent is this one; then more of them, after the last message before.
    base::Result<AgentImported> import_first(std::string ndjson, std::string_view user_id = {});
    base::Result<AgentImported> import_more(std::string ndjson, std::string_view after_message_id);

private:
    [[nodiscard]] std::string path(std::string_view rest) const;
    base::Result<std::vector<model::RawJson>> list(const std::string& target, std::string_view name = {},
                                                   std::string_view value = {});
    base::Result<AgentImported> import_lines(const std::string& target, std::string ndjson);

    Client& client_;
    std::string agent_id_;
};

}  // namespace belfry::client
