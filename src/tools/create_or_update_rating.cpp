#include <algorithm>

#include "tools/catalogue.hpp"
#include "tools/ratings.hpp"
#include "tools/scope.hpp"
#include "tools/task_fields.hpp"
#include "tools/wish_of.hpp"

namespace belfry::tools {
namespace {

// The rating of a day is where a person's would be, if the agent may work there.
base::Result<std::string> category_of_day(const Bench& bench, const Arguments& arguments) {
    const bool has_default = std::ranges::find(bench.categories(), model::default_category) != bench.categories().end();
    if (has_default && !arguments.has("categoryId")) return std::string(model::default_category);
    TRY_ASSIGN(std::string category, category_for_new(bench, arguments));
    TRY(check_category(bench, category, "categoryId"));
    return category;
}

base::Result<model::JournalRecord> make(Bench& bench, const Arguments& arguments, WishOf<model::Rating> wish) {
    const model::RatingTarget target = rating_target(arguments);
    const std::string target_id = arguments.text("targetId");
    if (target == model::RatingTarget::session) {
        TRY(bench.find(model::JournalKind::time_entry, target_id, "targetId"));
        if (arguments.has("categoryId")) {
            return arguments.wrong("categoryId", "is that of the session");
        }
    } else {
        TRY_ASSIGN(std::string category, category_of_day(bench, arguments));
        wish.category(std::move(category));
    }
    wish.set(&model::Rating::target, target).set(&model::Rating::target_id, target_id);
    auto made = bench.make(model::rating_id(target, target_id), wish);
    // There is one, and not in the agent's categories.
    if (!made.ok() && made.error().reason == "taken") {
        return base::error(base::Code::not_found, "its rating is not in your categories", "targetId", "out_of_scope");
    }
    return made;
}

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    using model::Rating;
    TRY_ASSIGN(const std::optional<model::JournalRecord> there, find_rating(bench, arguments));
    WishOf<Rating> wish;
    wish.set(&Rating::score, *arguments.integer("score"));
    if (arguments.has("note") || arguments.is_null("note")) wish.set(&Rating::note, arguments.text("note"));
    if (there && arguments.has("categoryId") && arguments.text("categoryId") != there->category_id) {
        return arguments.wrong("categoryId", "stays as it is");
    }
    TRY_ASSIGN(const model::JournalRecord rating,
               there ? bench.change(there->id, wish) : make(bench, arguments, std::move(wish)));
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("rating");
    append_rating(writer, rating);
    writer.end_object();
    return says;
}

}  // namespace

Tool create_or_update_rating() {
    model::ToolContract contract;
    contract.name = "create_or_update_rating";
    contract.description =
        "Records how good a session of work (the id of its time entry) or a day (its date) was, from 1 to 5.";
    contract.capabilities = {model::AgentCapability::rating_write};
    contract.scope_rules = {model::ToolScopeRule::target_in_scope};
    contract.changed_kinds = {"rating"};
    contract.changed_tokens = {"RATING"};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
