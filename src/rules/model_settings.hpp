#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/agent.hpp"
#include "model/chat.hpp"

namespace belfry::rules {

// How a model agent asks its language model: the settings of its workflow.
struct ModelSettings {
    std::string base_url;
    std::string model;    // of the settings, else the agent's config.model_id
    std::string key_env;  // the daemon's environment variable that holds the key; empty: none is sent
    std::string system;   // a template; empty: none
    std::optional<double> temperature;
    std::optional<std::int64_t> output_tokens_max;
    std::int64_t rounds_max = 8;                // questions to the model in a run
    std::optional<std::int64_t> tokens_max;     // asked and answered, of an attempt of a run
    base::Duration timeout = base::minutes(5);  // of one answer
    model::ChatStreaming streaming = model::ChatStreaming::pieces;
};

// An error names the setting: `base_url`.
base::Result<ModelSettings> read_model_settings(const model::Agent& agent);

}  // namespace belfry::rules
