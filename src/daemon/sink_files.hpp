#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "host/log.hpp"
#include "host/sink_folder.hpp"
#include "ports/sinks.hpp"

namespace belfry::daemon {

// The sinks as their files were read last. Read by the first thread, asked for by all.
class SinkFiles final : public ports::Sinks {
public:
    SinkFiles(std::string folder, host::Logger& log) : folder_(std::move(folder)), log_(log) {
        adopt(host::read_sinks(folder_));
    }

    [[nodiscard]] std::shared_ptr<const model::SinkCatalogue> current() const override;

    // Reads the files; tells what is wrong with them where that is news, and whether anything has changed. Where the
    // machine cannot look now, the sinks stay as they are, and the error says why.
    base::Result<bool> read();
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    bool adopt(model::SinkCatalogue found);

    std::string folder_;
    host::Logger& log_;
    mutable std::mutex mutex_;
    std::shared_ptr<const model::SinkCatalogue> catalogue_ = std::make_shared<model::SinkCatalogue>();
};

}  // namespace belfry::daemon
