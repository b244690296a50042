#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "model/chat.hpp"

// What `belfry model` shows of an answer, or of why there is none.
namespace belfry::daemon {

// One line of JSON.
std::string answer_line(const model::ChatAnswer& answer, std::optional<base::Duration> first_text);
// For a person: the calls, and behind the text how it went.
void show_answer(cli::Context& context, const model::ChatAnswer& answer);

// Says it, with a hint of what to do, and gives the exit code for it.
cli::Exit show_failure(cli::Context& context, const cli::Arguments& arguments, const model::ChatFailure& failure);

}  // namespace belfry::daemon
