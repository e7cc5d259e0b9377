import { z } from 'zod'
import { SchemaVersion, Uuid } from '../../base/fields.ts'
import { ThrottleState } from '../server.ts'
import { AuthProfileId, Scope, ServerId } from '../values.ts'
import { M365ErrorCode, M365OperationFamily } from '../m365-families.ts'
import * as files from './files.ts'
import * as mail from './mail.ts'
import * as teams from './teams.ts'

/** What every request says besides its own fields. */
const contextFields = {
  server_id: ServerId,
  interaction_mode: z.enum(['interactive_user', 'background_service']).default('interactive_user'),
  auth_profile_id: AuthProfileId.optional(),
  dispatch_id: z.string().min(1).max(200).optional(),
  project_id: z.string().min(1).max(160).optional(),
  room_id: z.string().min(1).max(160).optional(),
  timeout_ms: z.int().min(1000).max(120_000).default(30_000),
  schema_version: SchemaVersion.default(1),
}

/** The request of a family. Its own fields win, so that a field of the context may be required. */
const request = <Name extends M365OperationFamily, Fields extends z.ZodRawShape>(name: Name, fields: Fields) =>
  z.strictObject<RequestShape<Name, Fields>>({ ...contextFields, operation_family: z.literal(name), ...fields })

type RequestShape<Name extends M365OperationFamily, Fields> = Omit<typeof contextFields, keyof Fields> & {
  operation_family: z.ZodLiteral<Name>
} & Fields

const isOrdered = (from: string | undefined, to: string | undefined): boolean =>
  from === undefined || to === undefined || Date.parse(from) < Date.parse(to)

export const CheckAvailabilityRequest = request('calendar_check_availability', mail.AvailabilityFields).refine(
  ({ time_min, time_max }) => isOrdered(time_min, time_max),
  { path: ['time_max'], message: 'must be after time_min' },
)
export const CreateEventRequest = request('calendar_create_event', mail.CreateEventFields).refine(
  ({ start_time, end_time }) => isOrdered(start_time, end_time),
  { path: ['end_time'], message: 'must be after start_time' },
)
export const UpdateEventRequest = request('calendar_update_event', mail.UpdateEventFields).refine(
  ({ start_time, end_time }) => isOrdered(start_time, end_time),
  { path: ['end_time'], message: 'must be after start_time' },
)

export const M365OperationRequest = z.discriminatedUnion('operation_family', [
  request('search', files.SearchFields),
  request('sharepoint_list_documents', files.SharepointListFields),
  request('onedrive_fetch_file', files.OnedriveFetchFields),
  request('project_get_latest_document', files.ProjectDocumentFields),
  request('outlook_mail_search', mail.MailSearchFields),
  request('outlook_get_thread', mail.ThreadFields),
  request('outlook_draft_reply', mail.DraftReplyFields),
  CheckAvailabilityRequest,
  CreateEventRequest,
  UpdateEventRequest,
  request('word_fetch_content', files.WordContentFields),
  request('word_fetch_comments', files.WordCommentsFields),
  request('teams_post_message', teams.PostMessageFields),
  request('teams_get_channel_context', teams.ChannelContextFields),
])
export type M365OperationRequest = z.infer<typeof M365OperationRequest>
export type M365Request<Family extends M365OperationFamily> = Extract<
  M365OperationRequest,
  { operation_family: Family }
>

/** What a tool takes: the fields of the family without the context, which the call has. */
export const M365ToolInputs: Readonly<Record<M365OperationFamily, z.ZodType>> = {
  search: z.strictObject(files.SearchFields),
  sharepoint_list_documents: z.strictObject(files.SharepointListFields),
  onedrive_fetch_file: z.strictObject(files.OnedriveFetchFields),
  project_get_latest_document: z.strictObject(files.ProjectDocumentFields),
  outlook_mail_search: z.strictObject(mail.MailSearchFields),
  outlook_get_thread: z.strictObject(mail.ThreadFields),
  outlook_draft_reply: z.strictObject(mail.DraftReplyFields),
  calendar_check_availability: z.strictObject(mail.AvailabilityFields),
  calendar_create_event: z.strictObject(mail.CreateEventFields),
  calendar_update_event: z.strictObject(mail.UpdateEventFields),
  word_fetch_content: z.strictObject(files.WordContentFields),
  word_fetch_comments: z.strictObject(files.WordCommentsFields),
  teams_post_message: z.strictObject(teams.PostMessageFields),
  teams_get_channel_context: z.strictObject(teams.ChannelContextFields),
}

export const M365OperationResult = z.discriminatedUnion('operation_family', [
  files.SearchResult,
  files.SharepointListResult,
  files.OnedriveFetchResult,
  files.ProjectDocumentResult,
  mail.MailSearchResult,
  mail.ThreadResult,
  mail.DraftReplyResult,
  mail.AvailabilityResult,
  mail.CreateEventResult,
  mail.UpdateEventResult,
  files.WordContentResult,
  files.WordCommentsResult,
  teams.PostMessageResult,
  teams.ChannelContextResult,
])
export type M365OperationResult = z.infer<typeof M365OperationResult>

const responseFields = {
  operation_id: Uuid,
  server_id: ServerId,
  operation_family: M365OperationFamily,
  auth_profile_id: AuthProfileId.optional(),
  granted_scopes: z.array(Scope),
  missing_scopes: z.array(Scope),
  receipt_id: Uuid.optional(),
  identity_asserted_kind: z.enum(['local_user', 'oauth_user', 'service_principal', 'unknown']).default('unknown'),
  identity_asserted_ref: z.string().max(240).optional(),
  throttle_state: ThrottleState,
  schema_version: SchemaVersion,
}

/** The answer of an operation. A call has it as its structured content. */
export const M365OperationResponse = z.discriminatedUnion('status', [
  z.object({
    ...responseFields,
    status: z
      .enum(['ok', 'degraded'])
      .describe('`degraded`: part of the answer is missing; `missing_scopes` may say why'),
    result: M365OperationResult,
  }),
  z.object({
    ...responseFields,
    status: z.enum(['blocked', 'failed']).describe('`blocked`: the daemon did not send the request'),
    error_code: z.union([M365ErrorCode, z.string().max(120)]),
    error_message: z.string().max(500).optional(),
  }),
])
export type M365OperationResponse = z.infer<typeof M365OperationResponse>
