#pragma once

#include "model/subscriber.hpp"
#include "text/subscriber_templates.hpp"

namespace belfry::cli {

// Compiles every template of the catalogue and adds what is wrong with them to its problems: file, line and column of a
// template, the subscriber's file for a text inside it. None is fatal: the subscriber works with the fallback. Gives
// what compiled to whoever wants to render.
text::SubscriberTemplates check_templates(model::Catalogue& catalogue);

}  // namespace belfry::cli
