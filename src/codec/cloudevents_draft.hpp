#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "codec/json.hpp"
#include "model/event.hpp"

namespace belfry::codec {

// A CloudEvent in the making, shared by the structured and the binary mode.
class CloudEventDraft {
public:
    explicit CloudEventDraft(model::Event& event) : event_(event) {}

    // Names are lower-case letters and digits.
    static base::Result<void> check_name(std::string_view name);
    // Does the event itself have a place for this attribute? Others go to `keep`.
    static bool is_known(std::string_view name);

    // An attribute whose value is a text, under a known name.
    base::Result<void> set(std::string_view name, std::string_view text);
    base::Result<void> set_run_id(std::int64_t id);
    void keep(std::string_view name, const JsonSpan& value);
    void keep_text(std::string_view name, std::string_view text);

    base::Result<void> set_data(const JsonSpan& value);
    void set_data_text(std::string_view text);
    base::Result<void> set_data_base64(std::string_view base64);

    // What a CloudEvent must have is there.
    [[nodiscard]] base::Result<void> finish() const;

private:
    model::Event& event_;
    std::string version_;
    bool has_data_ = false;
};

}  // namespace belfry::codec
