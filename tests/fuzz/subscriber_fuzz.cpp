// Subscriber files.
#include <string>

#include "base/assert.hpp"
#include "codec/subscriber.hpp"
#include "codec/utf8.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace belfry;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const codec::ParsedSubscriber parsed = codec::parse_subscriber(text, "fuzz.toml");
    for (const model::SubscriberProblem& problem : parsed.problems) {
        ASSERT(problem.file == "fuzz.toml");
        ASSERT(!problem.message.empty());
        ASSERT(codec::is_utf8(codec::problem_line(problem)));
    }
    if (!parsed.is_usable()) return 0;
    const model::Subscriber& subscriber = parsed.subscriber;
    ASSERT(!subscriber.id.empty() && !subscriber.name.empty() && !subscriber.description.empty());
    ASSERT(!subscriber.types.empty() || subscriber.unmatched);
    ASSERT(subscriber.max_size >= 1);
    ASSERT(subscriber.template_name.find("..") != 0 && !subscriber.template_name.starts_with("/"));
    return 0;
}
