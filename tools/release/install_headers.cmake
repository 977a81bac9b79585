# At install time: puts the headers ${roots} of ${source}, and every header that they include, under
# include/leafglyph with the folders they have. There they include each other as "leafglyph/...", so
# that programs need not have folders such as features/ among those for their own headers.
cmake_policy(VERSION 3.24)
set(waiting ${roots})
set(installed)
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST installed)
    continue()
  endif()
  list(APPEND installed ${header})
  get_filename_component(folder ${header} DIRECTORY)
  file(READ ${source}/${header} text)
  string(REGEX REPLACE "(\n[ \t]*#[ \t]*include[ \t]+\")" "\\1leafglyph/" text "${text}")
  file(WRITE ${work}/${header} "${text}")
  file(INSTALL ${work}/${header}
       DESTINATION ${CMAKE_INSTALL_PREFIX}/include/leafglyph/${folder})
  file(STRINGS ${source}/${header} lines REGEX "^[ \t]*#[ \t]*include[ \t]+\"")
  foreach(line ${lines})
    string(REGEX REPLACE "^[^\"]*\"([^\"]+)\".*" "\\1" included "${line}")
    list(APPEND waiting ${included})
  endforeach()
endwhile()
