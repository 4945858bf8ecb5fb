import { z } from 'zod';

export const PAGE_SIZE_DEFAULT = 100;
export const PAGE_SIZE_MAX = 1000;

/** `page` is 0-based (section "List conventions"). */
export const pagination = z.looseObject({
  page: z.int().min(0),
  pageSize: z.int().min(1),
  total: z.int().min(0),
});
