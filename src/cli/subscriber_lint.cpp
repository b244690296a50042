#include "cli/subscriber_lint.hpp"

namespace belfry::cli {

text::SubscriberTemplates check_templates(model::Catalogue& catalogue) {
    text::SubscriberTemplates templates(catalogue);
    catalogue.problems.insert(catalogue.problems.end(), templates.problems().begin(), templates.problems().end());
    return templates;
}

}  // namespace belfry::cli
