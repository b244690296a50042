#include <string>
#include <utility>

#include "text/subscriber_templates.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/rehearse.hpp"

namespace belfry::view {

// Templates are compiled for each question: it is seldom asked, and the engine's are the engine's own.
void Answers::rehearse(std::string_view subscriber_id, std::vector<model::Event> events,
                       std::function<void(base::Result<model::Rehearsal>)> done) {
    ask<model::Rehearsal>(
        beside_,
        [catalogue = subscribers_.current(), id = std::string(subscriber_id), events = std::move(events),
         now = clock_.now()](ports::Reading&) mutable -> base::Result<model::Rehearsal> {
            const model::Subscriber* subscriber = catalogue->find(id);
            if (subscriber == nullptr) {
                return base::error(base::Code::not_found, "there is no subscriber \"" + id + "\"");
            }
            return view::rehearse(*subscriber, text::SubscriberTemplates(*catalogue), std::move(events), now);
        },
        std::move(done));
}

}  // namespace belfry::view
