import { z } from 'zod'
import { M365Ref } from '../m365-families.ts'

const CompatRequestId = z.string().min(1).max(120).optional()

/** A thread, or a message of a thread: exactly one of them. */
export const OutlookTarget = z.union([z.strictObject({ thread_id: M365Ref }), z.strictObject({ message_id: M365Ref })])
export type OutlookTarget = z.infer<typeof OutlookTarget>

/** An older form of `outlook_mail_search`. The target narrows the search to its thread. */
export const OutlookMailSearchRequest = z.strictObject({
  target: OutlookTarget.optional(),
  query: z.string().min(1).max(1000),
  page_size: z.int().min(1).max(100).default(25),
  client_request_id: CompatRequestId,
})
export type OutlookMailSearchRequest = z.infer<typeof OutlookMailSearchRequest>

/** An older form of `outlook_get_thread`. */
export const OutlookThreadFetchRequest = z
  .strictObject({ target: OutlookTarget.optional(), thread_id: M365Ref, client_request_id: CompatRequestId })
  .refine(
    ({ target, thread_id }) => target === undefined || !('thread_id' in target) || target.thread_id === thread_id,
    {
      path: ['thread_id'],
      message: 'must be the thread of the target',
    },
  )
export type OutlookThreadFetchRequest = z.infer<typeof OutlookThreadFetchRequest>
