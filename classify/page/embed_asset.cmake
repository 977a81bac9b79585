# cmake -D ASSET=file -D HEADER=header -D FUNCTION=name -D OUTPUT=source -P embed_asset.cmake
# Writes a C++ source with the bytes of a file as the function of that name, which the header
# declares.
file(READ ${ASSET} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"${HEADER}\"

namespace leafglyph {

std::string_view ${FUNCTION}() {
  static constexpr unsigned char kBytes[] = {${bytes}};
  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}

}  // namespace leafglyph
")
