#pragma once

#include "net/connection.hpp"
#include "net/service.hpp"

namespace belfry::net {

// While it lives, answers gather in the shared output; the outermost one of a connection lets it go on and writes.
class Connection::Section {
public:
    explicit Section(Connection& connection) : connection_(connection), outermost_(!connection.driving_) {
        if (!outermost_) return;
        connection.driving_ = true;
        Service& service = connection.service_;
        if (service.output_owner != nullptr) return;
        service.output_owner = &connection;
        service.output.clear();
    }
    ~Section() {
        if (!outermost_) return;
        connection_.drive();
        if (connection_.service_.output_owner == &connection_) connection_.service_.output_owner = nullptr;
        connection_.driving_ = false;
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

private:
    Connection& connection_;
    bool outermost_;
};

}  // namespace belfry::net
