# The web app: its pure parts alone, and all of it in a browser against the real binary, a test for each file of tests/web. Pictures are kept
# in <build>/web. The file that measures runs alone.
add_test(NAME web.parts COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/web/scripts/test.mjs)
set_tests_properties(web.parts PROPERTIES TIMEOUT 600)
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/web/*.test.mjs)
foreach(page ${pages})
  get_filename_component(name ${page} NAME_WE)
  add_test(NAME web.${name} COMMAND ${BELFRY_NODE} ${PROJECT_SOURCE_DIR}/tests/web/run.mjs ${name})
  set_tests_properties(web.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900
    ENVIRONMENT "BELFRY=$<TARGET_FILE:belfry>;SCREENSHOTS=${CMAKE_BINARY_DIR}/web")
endforeach()
set_tests_properties(web.large PROPERTIES RUN_SERIAL ON)
