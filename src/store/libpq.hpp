#pragma once

#include <libpq-fe.h>
#include <memory>

#include "base/result.hpp"

namespace belfry::store {

// The few functions of PostgreSQL's client library that Belfry calls. The library is loaded when the first connection
// is made, so that a binary that keeps its ledger in SQLite runs on a machine that has never seen PostgreSQL. Once
// loaded it stays until the process ends: it registers handlers that must not be unmapped.
struct Libpq {
    decltype(&PQlibVersion) lib_version = nullptr;
    decltype(&PQconnectdbParams) connect = nullptr;
    decltype(&PQfinish) finish = nullptr;
    decltype(&PQstatus) status = nullptr;
    decltype(&PQtransactionStatus) transaction_status = nullptr;
    decltype(&PQerrorMessage) error_message = nullptr;
    decltype(&PQbackendPID) backend_pid = nullptr;
    decltype(&PQsocket) socket = nullptr;
    decltype(&PQsetnonblocking) set_nonblocking = nullptr;
    decltype(&PQsetNoticeProcessor) set_notice_processor = nullptr;
    decltype(&PQconninfoParse) parse_conninfo = nullptr;
    decltype(&PQconninfoFree) free_conninfo = nullptr;
    decltype(&PQfreemem) free_memory = nullptr;

    decltype(&PQexec) exec = nullptr;
    decltype(&PQprepare) prepare = nullptr;
    decltype(&PQexecParams) exec_params = nullptr;
    decltype(&PQexecPrepared) exec_prepared = nullptr;
    decltype(&PQsendQueryPrepared) send_prepared = nullptr;
    decltype(&PQenterPipelineMode) enter_pipeline = nullptr;
    decltype(&PQexitPipelineMode) exit_pipeline = nullptr;
    decltype(&PQpipelineSync) pipeline_sync = nullptr;
    decltype(&PQflush) flush = nullptr;
    decltype(&PQconsumeInput) consume_input = nullptr;
    decltype(&PQgetResult) get_result = nullptr;

    decltype(&PQclear) clear = nullptr;
    decltype(&PQresultStatus) result_status = nullptr;
    decltype(&PQresultErrorField) result_error_field = nullptr;
    decltype(&PQresultErrorMessage) result_error_message = nullptr;
    decltype(&PQntuples) row_count = nullptr;
    decltype(&PQgetisnull) is_null = nullptr;
    decltype(&PQgetvalue) value = nullptr;
    decltype(&PQgetlength) length = nullptr;
    decltype(&PQcmdTuples) changed_rows = nullptr;
    decltype(&PQcmdStatus) command_tag = nullptr;
};

// `unavailable`, with the name of the package, where the library is missing or too old for pipelines.
base::Result<std::shared_ptr<const Libpq>> load_libpq();

}  // namespace belfry::store
