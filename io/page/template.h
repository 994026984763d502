/* The page of web/, put into one text at build time (embed.cmake). */
#pragma once

/* Zero-terminated; holds {{title}} and {{data}}. */
extern const unsigned char TAC_PAGE_TEMPLATE[];
