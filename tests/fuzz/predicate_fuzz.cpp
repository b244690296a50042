// The predicates of wake subscriptions: what is accepted reads back from its own text as the same, and has an answer.
#include <array>
#include <string>

#include "base/assert.hpp"
#include "base/wake_limits.hpp"
#include "model/value_json.hpp"
#include "rules/predicate.hpp"

namespace {

using namespace belfry;

class Facts final : public rules::PredicateFacts {
public:
    [[nodiscard]] const model::Value* root(std::string_view name) const override { return roots_.find(name); }
    [[nodiscard]] bool is_linked(std::string_view relation, std::optional<std::string_view> id) const override {
        return relation.size() % 2 == 0 || id.has_value();
    }

private:
    model::Value roots_ = model::value_from(
        {R"({"event":{"severity":"error"},"payload":{"branch":"main","n":2,"labels":["a",1,null],"o":{"x":1.5}}})"});
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static constexpr std::array<std::string_view, 3> roots{"event", "payload", "task"};
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto read = rules::Predicate::parse(text, roots);
    if (!read.ok()) {
        ASSERT(!read.error().message.empty() && read.error().field == "predicate");
        return 0;
    }
    const std::string written = read->text();
    // Escapes and numbers may become longer than they were.
    if (written.size() > base::limits::predicate_bytes_max) return 0;
    const auto again = rules::Predicate::parse(written, roots);
    ASSERT(again.ok());
    ASSERT(again->tree() == read->tree());
    ASSERT(again->text() == written);
    ASSERT(again->paths().size() == read->paths().size() && again->has_links() == read->has_links());
    const Facts facts;
    ASSERT(again->holds(facts) == read->holds(facts));
    return 0;
}
