import { z } from 'zod'

export const PageQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  page_size: z.coerce.number().int().min(1).max(100).default(20),
})
export type PageQuery = z.infer<typeof PageQuery>

/** The fields of every paged reply. */
export const pageFields = {
  total: z.int().min(0),
  page: z.int().min(1),
  page_size: z.int().min(1).max(100),
}
