# Before cpack packs: modes that do not depend on who builds, times that do not depend on when.
execute_process(COMMAND chmod -R u=rwX,go=rX . WORKING_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find . -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +
                WORKING_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
