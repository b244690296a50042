# The web app: its pure parts alone, and all of it in a browser against the real binary. Node, npm's packages and Chromium are needed; where
# one is missing, the test says so and counts as skipped. Pictures are kept in <build>/web.
find_program(BELFRY_NODE node)
if(BELFRY_NODE)
  add_test(NAME web.parts COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/web/scripts/test.mjs)
  add_test(NAME web.pages COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/tests/web/run.mjs)
  set_tests_properties(web.pages PROPERTIES RUN_SERIAL ON
    ENVIRONMENT "BELFRY=$<TARGET_FILE:belfry>;SCREENSHOTS=${CMAKE_BINARY_DIR}/web")
else()
  add_test(NAME web.parts COMMAND sh -c "echo 'SKIPPED: there is no node, so the parts of the web app were not tested' >&2; exit 77")
  add_test(NAME web.pages COMMAND sh -c "echo 'SKIPPED: there is no node, so the web app was not tested' >&2; exit 77")
endif()
set_tests_properties(web.parts web.pages PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1200)
