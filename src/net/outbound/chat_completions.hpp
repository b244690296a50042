#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "ports/language_model.hpp"

namespace belfry::net {

// Language models behind OpenAI-compatible servers: each call is a request on a connection of its own. Only the address
// that the request names is called: a redirection is a failure. Certificates are checked as those of sinks are.
class ChatCompletions final : public ports::LanguageModel {
public:
    // About how many tokens a text has, where the server does not count. May be called by several threads at once.
    using EstimateTokens = std::function<std::int64_t(std::string_view text)>;

    explicit ChatCompletions(EstimateTokens estimate);

    [[nodiscard]] std::unique_ptr<ports::ModelCall> begin(model::ChatRequest request) override;

private:
    EstimateTokens estimate_;
};

}  // namespace belfry::net
