// What a record on disk is of (record.h).
#pragma once

namespace leafglyph {

/// The name and version of its format, and how messages speak of it.
struct RecordKind {
  const char* facts;   ///< name of the file of the facts; null: they are the first line of one file
  const char* format;  ///< value of "format"
  int version = 1;     ///< value of "version"; others are refused
  const char* what;    ///< in messages: "leaf model"
  const char* remedy;  ///< after what is damaged: "train the model again"
  const char* make = "";  ///< where there is none: "train one with leaf train"
};

}  // namespace leafglyph
