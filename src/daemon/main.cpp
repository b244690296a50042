#include "cli/run.hpp"
#include "daemon/serve.hpp"

int main(int argc, char** argv) {
    return belfry::cli::run(argc, argv, {belfry::daemon::serve_command()});
}
