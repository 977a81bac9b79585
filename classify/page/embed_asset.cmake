# cmake -D ASSET=file -D HEADER=header -D FUNCTION=name -D OUTPUT=source -P embed_asset.cmake
# Writes a C++ source with the bytes of a file as the function of that name, which the header
# declares. The assembler reads the file.
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

__asm__(\".section .rodata\\n\"
        \".balign 16\\n\"
        \".globl leafglyph_asset_${FUNCTION}\\n\"
        \".hidden leafglyph_asset_${FUNCTION}\\n\"
        \"leafglyph_asset_${FUNCTION}:\\n\"
        \".incbin \\\"${ASSET}\\\"\\n\"
        \".globl leafglyph_end_of_${FUNCTION}\\n\"
        \".hidden leafglyph_end_of_${FUNCTION}\\n\"
        \"leafglyph_end_of_${FUNCTION}:\\n\"
        \".previous\\n\");

extern \"C\" __attribute__((visibility(\"hidden\"))) const char leafglyph_asset_${FUNCTION}[];
extern \"C\" __attribute__((visibility(\"hidden\"))) const char leafglyph_end_of_${FUNCTION}[];

namespace leafglyph {

std::string_view ${FUNCTION}() {
  return {leafglyph_asset_${FUNCTION}, leafglyph_end_of_${FUNCTION}};
}

}  // namespace leafglyph
")
