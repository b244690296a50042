#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/descriptor.hpp"

namespace belfry::host {

// Notices that files of a folder, or of its subfolder `templates`, were added, changed or removed, and that the folder
// itself came, went or was replaced. The folder need not exist: then the nearest folder above it is watched. Of files
// that are links the links are watched, not what they lead to; but where Kubernetes mounted them (a ConfigMap), the
// link `..data`, by which it replaces them all, counts.
//
// For one thread: poll `descriptor` for reading, then `take`. Many changes come one after the other, so waiting a
// little before reading the files is worth while. Nothing is missed by whoever reads the files after `take`.
class FolderWatch {
public:
    static base::Result<FolderWatch> open(std::string folder);

    [[nodiscard]] int descriptor() const { return queue_.get(); }
    // Whether something changed since the last call, or can be seen again. Never waits.
    bool take();
    // The folder is there and could not be watched (permissions, the system's limit of watches), so that changes go
    // unseen. The next `take` tries again.
    [[nodiscard]] bool is_blind() const { return is_blind_; }

private:
    FolderWatch(Descriptor queue, std::string folder) : queue_(std::move(queue)), folder_(std::move(folder)) {}

    struct Place {
        int watch = -1;
        std::string awaited;  // only what happens to this name counts; empty: every name but hidden ones, and ..data
    };

    bool matters(int watch, unsigned mask, std::string_view name) const;
    // Watches anew what there is now.
    void place();
    void look();
    bool add(const std::string& path, std::string awaited);

    Descriptor queue_;
    std::string folder_;
    std::vector<Place> places_;
    bool is_blind_ = false;
};

}  // namespace belfry::host
