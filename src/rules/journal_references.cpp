#include "rules/journal_references.hpp"

#include "rules/journal_visitor.hpp"

namespace belfry::rules {
namespace {

using model::JournalKind;

template <class T>
class ReferenceVisitor : public FieldVisitor<T> {
public:
    ReferenceVisitor(const T& body, std::vector<JournalReference>& found) : body_(body), found_(found) {}

    void reference(std::string_view name, std::string T::* member, JournalKind kind, const model::FieldRule&) {
        add(name, kind, body_.*member);
    }
    void references(std::string_view name, std::vector<std::string> T::* member, JournalKind kind) {
        for (const std::string& id : body_.*member) add(name, kind, id);
    }
    void blocks(std::string_view, std::vector<model::PlanBlock> T::* member) {
        for (const model::PlanBlock& block : body_.*member) {
            add("blocks.category_id", JournalKind::category, block.category_id);
            add("blocks.task_id", JournalKind::task, block.task_id);
        }
    }

private:
    void add(std::string_view field, JournalKind kind, const std::string& id) {
        if (!id.empty()) found_.push_back({std::string(field), kind, id});
    }

    const T& body_;
    std::vector<JournalReference>& found_;
};

}  // namespace

std::vector<JournalReference> references_of(const model::JournalBody& body) {
    std::vector<JournalReference> found;
    std::visit(
        [&found]<class T>(const T& of) {
            ReferenceVisitor<T> visit(of, found);
            describe(visit, std::type_identity<T>{});
        },
        body);
    const auto* const rating = std::get_if<model::Rating>(&body);
    if (rating != nullptr && rating->target == model::RatingTarget::session && !rating->target_id.empty()) {
        found.push_back({"target_id", JournalKind::time_entry, rating->target_id});
    }
    return found;
}

}  // namespace belfry::rules
