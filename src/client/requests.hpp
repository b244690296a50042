#pragma once

#include <string>
#include <string_view>

#include "client/session_types.hpp"
#include "client/types.hpp"
#include "model/event.hpp"
#include "model/log.hpp"

// What the client sends, as text.
namespace belfry::client {

// Every byte but letters, digits and -._~ as %XX.
std::string percent_encode(std::string_view text);

// `?a=b&c=d`, or nothing where nothing was added. Empty values are left out.
class Query {
public:
    Query& add(std::string_view name, std::string_view value);
    Query& add(const model::StreamFilter& filter);
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

// One line of JSON with what is set.
void append_draft_json(std::string& out, const model::Event& event);
std::string token_request_json(const TokenRequest& request);
std::string session_request_json(const SessionRequest& request);
std::string turn_report_json(const TurnReport& report);
std::string tool_call_report_json(const ToolCallReport& report);
std::string self_note_json(const SelfNote& note);
std::string pull_request_json(const PullRequest& request);
std::string item_leases_json(const std::vector<ItemLease>& items);

}  // namespace belfry::client
