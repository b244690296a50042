#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "model/chat.hpp"

namespace belfry::ports {

// One question to a language model, and its answer.
class ModelCall {
public:
    // A piece of the answer's text, as it comes; together they are the text. Called by the thread that waits.
    using OnText = std::function<void(std::string_view piece)>;

    virtual ~ModelCall() = default;

    // Asks and waits until the answer is whole or there will be none: at the longest a little over `times.whole`. Once.
    // After a failure, pieces may have been handed on that no answer belongs to.
    virtual model::ChatOutcome wait(const OnText& on_text) = 0;
    // From any thread, before `wait`, during it or after it: it then ends at once, as cancelled, unless it has ended.
    virtual void cancel() = 0;
};

// Asks language models. May be used from several threads; must outlive its calls.
//
// Nothing is tried twice: what a failure means for the next attempt is for the caller (ChatFailure::is_passing).
class LanguageModel {
public:
    virtual ~LanguageModel() = default;
    // Never null, and nothing is sent yet: whatever is wrong with the request is what `wait` gives.
    [[nodiscard]] virtual std::unique_ptr<ModelCall> begin(model::ChatRequest request) = 0;
};

}  // namespace belfry::ports
