#include "store/libpq.hpp"

#include <dlfcn.h>
#include <string>

namespace belfry::store {
namespace {

constexpr const char* library_name = "libpq.so.5";
constexpr int first_version_with_pipelines = 140000;

base::Error missing(const std::string& why) {
    return base::error(base::Code::unavailable, "PostgreSQL needs the package libpq5, version 14 or newer: " + why);
}

}  // namespace

base::Result<std::shared_ptr<const Libpq>> load_libpq() {
    void* library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
        const char* why = dlerror();
        return missing(why != nullptr ? why : library_name);
    }
    auto pq = std::make_shared<Libpq>();
    std::string absent;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        if (function == nullptr && absent.empty()) absent = name;
    };
    find(pq->lib_version, "PQlibVersion");
    find(pq->connect, "PQconnectdbParams");
    find(pq->finish, "PQfinish");
    find(pq->status, "PQstatus");
    find(pq->transaction_status, "PQtransactionStatus");
    find(pq->error_message, "PQerrorMessage");
    find(pq->backend_pid, "PQbackendPID");
    find(pq->socket, "PQsocket");
    find(pq->set_nonblocking, "PQsetnonblocking");
    find(pq->set_notice_processor, "PQsetNoticeProcessor");
    find(pq->parse_conninfo, "PQconninfoParse");
    find(pq->free_conninfo, "PQconninfoFree");
    find(pq->free_memory, "PQfreemem");
    find(pq->exec, "PQexec");
    find(pq->prepare, "PQprepare");
    find(pq->exec_params, "PQexecParams");
    find(pq->exec_prepared, "PQexecPrepared");
    find(pq->send_prepared, "PQsendQueryPrepared");
    find(pq->enter_pipeline, "PQenterPipelineMode");
    find(pq->exit_pipeline, "PQexitPipelineMode");
    find(pq->pipeline_sync, "PQpipelineSync");
    find(pq->flush, "PQflush");
    find(pq->consume_input, "PQconsumeInput");
    find(pq->get_result, "PQgetResult");
    find(pq->clear, "PQclear");
    find(pq->result_status, "PQresultStatus");
    find(pq->result_error_field, "PQresultErrorField");
    find(pq->result_error_message, "PQresultErrorMessage");
    find(pq->row_count, "PQntuples");
    find(pq->is_null, "PQgetisnull");
    find(pq->value, "PQgetvalue");
    find(pq->length, "PQgetlength");
    find(pq->changed_rows, "PQcmdTuples");
    find(pq->command_tag, "PQcmdStatus");
    // Further calls of dlopen count references only; the mapping itself stays.
    dlclose(library);
    if (!absent.empty()) return missing(std::string(library_name) + " has no " + absent);
    if (pq->lib_version() < first_version_with_pipelines) return missing("an older one is installed");
    return std::shared_ptr<const Libpq>(std::move(pq));
}

}  // namespace belfry::store
