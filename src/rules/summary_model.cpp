#include "rules/summary_model.hpp"

#include "model/memory_settings.hpp"

namespace belfry::rules {

base::Result<ModelSettings> summary_model_settings(const model::Agent& agent) {
    if (agent.memory.base_url.empty()) return read_model_settings(agent);
    ModelSettings settings;
    settings.base_url = agent.memory.base_url;
    settings.model = agent.memory.model.empty() ? agent.config.model_id : agent.memory.model;
    settings.key_env = agent.memory.key_env;
    return settings;
}

std::string summary_model_key(const model::Agent& agent) {
    const auto settings = summary_model_settings(agent);
    // An address has no line break, so no two models have one key.
    return settings.ok() ? settings->base_url + "\n" + settings->model : std::string();
}

}  // namespace belfry::rules
