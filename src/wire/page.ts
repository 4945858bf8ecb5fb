import { z } from 'zod';

/** Rows of a page without `pageSize` (the specification, section "Limits"). */
export const PAGE_SIZE_DEFAULT = 100;
/** Most rows of a page (the specification, section "Limits"). */
export const PAGE_SIZE_MAX = 1000;

/**
 * The place of a page in its list (the specification, section "Pagination envelope"). `page` is
 * 0-based (section "List conventions").
 */
export const pagination = z.looseObject({
  page: z.int().min(0),
  pageSize: z.int().min(1),
  total: z.int().min(0),
});
