# The command, its manual page and its completions, the latter made from what `upres --help` says.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
set(manual_files ${manual}/upres.1 ${manual}/upres.bash ${manual}/_upres ${manual}/upres.fish)
add_custom_command(
  OUTPUT ${manual_files}
  COMMAND Python3::Interpreter ${upres_SOURCE_DIR}/tools/make_manual.py $<TARGET_FILE:upres> ${manual}
          --version ${upres_VERSION}
  DEPENDS upres ${upres_SOURCE_DIR}/tools/make_manual.py
  COMMENT "Manual page and completions"
  VERBATIM)
add_custom_target(upres_manual ALL DEPENDS ${manual_files})

install(TARGETS upres RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT upres)
install(FILES ${manual}/upres.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT upres)
install(FILES ${manual}/upres.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME upres
        COMPONENT upres)
install(FILES ${manual}/_upres DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT upres)
install(FILES ${manual}/upres.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT upres)
install(FILES ${upres_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT upres)
