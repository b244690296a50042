#include "cli/run.hpp"
#include "daemon/model_command.hpp"
#include "daemon/serve.hpp"
#include "daemon/sink_command.hpp"
#include "tools/registry.hpp"

int main(int argc, char** argv) {
    using namespace belfry;
    return cli::run(argc, argv, {daemon::serve_command(), daemon::sink_command(), daemon::model_command()},
                    tools::all_contracts());
}
