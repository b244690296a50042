#include "cli/run.hpp"
#include "daemon/serve.hpp"
#include "daemon/sink_command.hpp"

int main(int argc, char** argv) {
    return belfry::cli::run(argc, argv, {belfry::daemon::serve_command(), belfry::daemon::sink_command()});
}
