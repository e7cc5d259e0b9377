import type { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import { M365OperationRequest, type M365Request } from '@apprentice/contracts/connectors/m365/operations.ts'
import {
  OutlookMailSearchRequest,
  type OutlookTarget,
  OutlookThreadFetchRequest,
} from '@apprentice/contracts/connectors/m365/target.ts'

/** What a call says besides the arguments of the tool. */
export type OperationContext = Pick<
  M365Request<'search'>,
  'server_id' | 'interaction_mode' | 'auth_profile_id' | 'dispatch_id' | 'project_id' | 'timeout_ms'
>

export interface ReadOperation {
  readonly request: M365OperationRequest
  /** Narrows a search for mail to a thread. Only the older form of the request has it. */
  readonly narrow_to?: OutlookTarget | undefined
}

export interface RequestIssue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

type Arguments = Readonly<Record<string, unknown>>
type Parsed = { readonly operation: ReadOperation } | { readonly issues: readonly RequestIssue[] }

/** Reads the arguments of a tool as the request of its family. */
export function readOperation(family: M365OperationFamily, given: Arguments, context: OperationContext): Parsed {
  const older = readOlderForm(family, given)
  if (older !== undefined && 'issues' in older) return older
  const { project_id, ...rest } = context
  const known = project_id === undefined ? {} : { project_id }
  const read = M365OperationRequest.safeParse({
    ...known,
    ...(older?.fields ?? given),
    ...rest,
    operation_family: family,
    schema_version: 1,
  })
  if (!read.success) return { issues: read.error.issues }
  return { operation: { request: read.data, narrow_to: older?.narrow_to } }
}

type OlderForm =
  | { readonly fields: Arguments; readonly narrow_to?: OutlookTarget | undefined }
  | { readonly issues: readonly RequestIssue[] }

/** The older forms of two requests, which have a target beside other fields. */
function readOlderForm(family: M365OperationFamily, given: Arguments): OlderForm | undefined {
  const has = (...names: readonly string[]): boolean => names.some((name) => Object.hasOwn(given, name))
  if (family === 'outlook_mail_search' && has('target', 'page_size', 'client_request_id')) {
    const read = OutlookMailSearchRequest.safeParse(given)
    if (!read.success) return { issues: read.error.issues }
    const { query, page_size, target } = read.data
    return { fields: { query, max_results: page_size }, narrow_to: target }
  }
  if (family === 'outlook_get_thread' && has('thread_id', 'client_request_id')) {
    const read = OutlookThreadFetchRequest.safeParse(given)
    if (!read.success) return { issues: read.error.issues }
    return { fields: { target: { thread_id: read.data.thread_id } } }
  }
  return undefined
}
