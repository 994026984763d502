/* What a hostile file could make the XML library do for long or with much memory, found in one pass before it
 * starts. */
#pragma once

#include "tactus/status.h"

#include <stddef.h>

/* Refuses nesting deeper than TAC_XML_MAX_DEPTH, elements with more than TAC_XML_MAX_ATTRIBUTES attributes (the library
 * compares each with each) and encodings in which tags could hide from this pass. Errors read "file:line: what". */
enum { TAC_XML_MAX_DEPTH = 2000, TAC_XML_MAX_ATTRIBUTES = 1000 };
tacStatus tac_xml_check_limits(const char *file, const unsigned char *bytes, size_t size, tacError *err);
