#include <utility>

#include "base/limits.hpp"
#include "net/connection.hpp"
#include "net/connection_section.hpp"
#include "net/dispatch.hpp"
#include "net/guard.hpp"
#include "net/service.hpp"

// Bodies that are taken in as they come.
namespace belfry::net {

// Asks once, as soon as the header is whole. True: the request is an upload, or was refused as one.
bool Connection::starts_upload(std::string_view bytes) {
    const wire::Request& request = parser_->head(bytes);
    if (!is_upload(request)) return false;
    auto parser = std::move(parser_);
    body_unread_ = true;
    dispatch(request);
    body_unread_ = false;
    if (state_ == State::uploading) {
        keep_alive_ = request.keep_alive && !service_.stopping;
        parser_ = std::move(parser);
        parser_->stream_body();
        if (parser_->wants_continue()) sink() += continue_line;
    }
    return true;
}

void Connection::begin_upload(std::unique_ptr<Upload> upload) {
    ASSERT(state_ == State::working);
    upload_ = std::move(upload);
    state_ = State::uploading;
    upload_ready_ = false;
}

// Hands over what has come of the body, and says how many bytes that took.
std::size_t Connection::feed_upload(std::string_view bytes) {
    if (!parser_ || upload_->is_busy()) return 0;
    if (service_.stopping) {
        stop_upload();
        return bytes.size();
    }
    const auto state = parser_->parse(bytes);
    if (state == wire::RequestParser::State::failed) {
        const base::Error error = parser_->error().error;
        upload_->refuse(error);
        return bytes.size();
    }
    const std::size_t taken = parser_->size();
    const std::string piece = parser_->take_body();
    since_ = service_.tick;
    if (state == wire::RequestParser::State::complete) service_.give_back(std::move(parser_));
    if (!piece.empty()) upload_->take(piece);
    if (state == wire::RequestParser::State::complete && state_ == State::uploading) upload_->finish();
    return taken;
}

void Connection::go_on() {
    if (state_ != State::uploading) return;
    upload_ready_ = true;
    const Section section(*this);
}

void Connection::stop_upload() {
    upload_->refuse(base::error(base::Code::unavailable, "the server stops; what was accepted stays"));
}

// While it is busy nobody has to wait for its peer, and its caller is asked for with every command.
void Connection::sweep_upload(base::Duration now, bool ask_again) {
    if (!parser_ || upload_->is_busy()) return;
    if (ask_again && !is_admitted(service_, *upload_->caller())) return upload_->refuse(not_admitted());
    if (now - since_ < base::limits::run_upload_idle_max) return;
    upload_->refuse(base::error(base::Code::timeout, "the upload said nothing for too long"));
}

}  // namespace belfry::net
