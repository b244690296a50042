#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "host/log.hpp"
#include "host/subscriber_folder.hpp"
#include "ports/subscribers.hpp"

namespace belfry::daemon {

// The subscribers as their files were read last. Read by the first thread, asked for by all.
class SubscriberFiles final : public ports::Subscribers {
public:
    SubscriberFiles(std::string folder, host::Logger& log) : folder_(std::move(folder)), log_(log) {
        adopt(host::read_subscribers(folder_));
        told();
    }

    [[nodiscard]] std::shared_ptr<const model::Catalogue> current() const override;

    // Reads the files and tells what is wrong with them where that is news. True: the engine is to look at them, for
    // they have changed since it was `told` last. Where the machine cannot look now, the subscribers stay as they are,
    // and the error says why.
    base::Result<bool> read();
    void told() { is_untold_ = false; }
    [[nodiscard]] bool is_untold() const { return is_untold_; }
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    bool adopt(model::Catalogue found);
    void tell(const model::SubscriberProblem& problem);

    std::string folder_;
    host::Logger& log_;
    bool is_untold_ = false;
    mutable std::mutex mutex_;
    std::shared_ptr<const model::Catalogue> catalogue_ = std::make_shared<model::Catalogue>();
};

}  // namespace belfry::daemon
