#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/merge_fields.hpp"

// Lists whose elements have ids (FieldRule::elements): blocks of a day, pinned tasks, labels of a task. Each element is
// a set of writes of its own, so devices that add different elements keep all of them. Of use to merge_record and the
// files beside it only.
//
// Stamps. `blocks/b1` is the stamp of the element b1. An element without a stamp of its own has the stamp of its list
// (`blocks`), which is that of the last write of the list; so the stamp that a whole list had before elements had
// stamps is that of each of its elements. A removed element leaves nothing behind: a record whose clock knows the write
// of an element, and that does not have the element, has removed it.
//
// Order. The list stands in the order of its last write; elements that this write did not know follow by their stamps.
// Where that is not how the list was written, the order as written is kept as the list's one concurrent value. Elements
// with a `start_at` are sorted by it then.
//
// Creations. The id of a task that an agent makes comes from its operation, so two devices that could not reach each
// other may create one task. Such a record keeps the elements of one creation, that of the greater host: an operation
// has one version. The id of a day plan is its date, so a day plan keeps the elements of both.
namespace belfry::rules {

// True if the name of a stamp is that of an element of a list.
[[nodiscard]] bool is_element_name(std::string_view kind, std::string_view name);
[[nodiscard]] std::string element_name(std::string_view list, std::string_view id);

// True if the elements of one creation are kept. A creation is a write of version 1: its writer knew nothing of the
// record.
[[nodiscard]] bool has_one_creation(std::string_view kind);
// The name of a stamp that is no field's: the greatest creation that the record knows of, where `created_at` has
// another stamp.
inline constexpr std::string_view creation_name = "@creation";
// Returns the greatest creation that a record knows of; no stamp, if it is not known or the kind keeps all creations.
[[nodiscard]] model::Stamp creation_of(std::string_view kind, const FieldList& list);

struct ListElement {
    std::string_view value;  // JSON: the id, or an object with the id
    model::Stamp stamp;
    std::vector<model::ConcurrentValue> concurrent;  // none, or more than one
};
using ListElements = std::map<std::string, ListElement, std::less<>>;  // by id

// A list as one record knows it. Views are into the record.
class KnownList {
public:
    // `age`: list_age of the record. Leaves out the elements of creations before `creation`.
    KnownList(const model::SyncRecord& record, const KnownField& field, const model::Stamp& age,
              const model::Stamp& creation = {});

    [[nodiscard]] const ListElements& elements() const { return elements_; }
    [[nodiscard]] const model::Stamp& stamp() const { return stamp_; }
    // The ids as the list was last written.
    [[nodiscard]] const std::vector<std::string>& order() const { return order_; }
    [[nodiscard]] bool is_there() const { return is_there_; }
    // True if elements of another creation were left out.
    [[nodiscard]] bool has_lost() const { return has_lost_; }

private:
    ListElements elements_;
    model::Stamp stamp_;
    std::vector<std::string> order_;
    bool is_there_ = false;
    bool has_lost_ = false;
};

// Returns the stamp of version 0 that all elements of a record without stamps have: that of its `created_at`, which no
// write replaces. Without one: no stamp.
[[nodiscard]] model::Stamp list_age(const FieldList& list);

// Returns the id of an element of a list; empty if it has none.
[[nodiscard]] std::string element_id(model::JsonView element);
// Returns the ids of elements in the order in which the list shows them.
[[nodiscard]] std::vector<std::string> arranged(const std::vector<std::string>& order, const ListElements& elements);
[[nodiscard]] std::string ids_json(const std::vector<std::string>& ids);

struct ListSide {
    const KnownList& list;
    KnownWrites known;
};
// Joins two lists. Adds stamps and concurrent values to `knowledge`, and returns the list as JSON. `differ` is called
// with two fields that both sides wrote, and the value that is shown.
using Differ = std::function<void(const KnownField& mine, const KnownField& other, std::string_view shown)>;
std::string join_lists(std::string_view name, const ListSide& mine, const ListSide& other,
                       model::RecordKnowledge& knowledge, const Differ& differ);

// Adds the names by which note_write learns what became of the elements of a list: `blocks/b1` was added or changed,
// `=blocks/b2` stays as it was, `-blocks/b3` was removed.
void add_element_names(std::string_view list, std::string_view before, std::string_view after,
                       std::vector<std::string>& names);
// Gives elements that stay as they were the stamp that they had. To be called before the list has a new one.
void keep_element_stamps(model::RecordKnowledge& knowledge, std::string_view kind,
                         const std::vector<std::string>& names);
// Notes what became of one element; the list has its new stamp. Returns false if the name is that of a field.
bool note_element(model::RecordKnowledge& knowledge, std::string_view kind, std::string_view name);

}  // namespace belfry::rules
