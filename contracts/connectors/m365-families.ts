import { z } from 'zod'

/** The operations of Microsoft 365. Each is a tool of a server of the provider `m365`, under the same name. */
export const M365OperationFamily = z.enum([
  'search',
  'sharepoint_list_documents',
  'onedrive_fetch_file',
  'project_get_latest_document',
  'outlook_mail_search',
  'outlook_get_thread',
  'outlook_draft_reply',
  'calendar_check_availability',
  'calendar_create_event',
  'calendar_update_event',
  'word_fetch_content',
  'word_fetch_comments',
  'teams_post_message',
  'teams_get_channel_context',
])
export type M365OperationFamily = z.infer<typeof M365OperationFamily>

/** Codes of Microsoft 365. An operation that runs in the background only does not exist yet; its code is reserved. */
export const M365ErrorCode = z.enum([
  'M365_AUTH_EXPIRED',
  'M365_FORBIDDEN_AUTH_MODE',
  'M365_SCOPE_MISSING',
  'M365_OBO_CHAIN_UNVERIFIED',
  'M365_INTERACTIVE_REDIRECT_URI_REQUIRED',
  'M365_DELEGATED_ONLY_OPERATION',
  'M365_BACKGROUND_ONLY_OPERATION',
])

/** Ids, references, subjects, authors and names. */
export const M365Ref = z.string().min(1).max(240)

/** A time of a request. Results have UTC times with milliseconds. */
export const M365Time = z.iso.datetime({ offset: true })
