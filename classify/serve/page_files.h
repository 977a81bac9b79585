// The files of the page, as they are sent.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view serve_index();            ///< HTML: every part of the page
std::string_view serve_style();            ///< CSS beside page_style()
std::string_view serve_strings();          ///< JSON: texts of the page, in each language
std::string_view serve_sentences();        ///< JSON: messages of the server, in each language
std::string_view serve_main();             ///< JavaScript: which part is shown
std::string_view serve_text();             ///< JavaScript: languages
std::string_view serve_api_script();       ///< JavaScript: requests
std::string_view serve_shelf();            ///< JavaScript: the models, and which one identifies
std::string_view serve_leaves();           ///< JavaScript: the leaves
std::string_view serve_leaf_card();        ///< JavaScript: a photograph in full
std::string_view serve_models();           ///< JavaScript: the list of the models
std::string_view serve_folder_picture();   ///< JavaScript: what a folder for a training looks like
std::string_view serve_record();           ///< JavaScript: answers as a record to print
std::string_view serve_notebook();         ///< JavaScript: the notebook of a model
std::string_view serve_moments();          ///< JavaScript: the moments
std::string_view serve_characters();       ///< JavaScript: the characters
std::string_view serve_pictures();         ///< JavaScript: characters in pictures
std::string_view serve_training();         ///< JavaScript: the training
std::string_view serve_training_config();  ///< configs/leaf.yaml
std::string_view serve_openapi();          ///< JSON: the description of the API

}  // namespace leafglyph
