import { ACROBAT_SERVER_ID } from '@apprentice/contracts/documents/adapter.ts'
import { Failure } from '../../../failure/failure.ts'

/** Whether a server is a part of the program. It cannot be removed, and has neither an address nor a sign-in. */
export const isBuiltIn = (serverId: string): boolean => serverId === ACROBAT_SERVER_ID

export function assertNotBuiltIn(serverId: string): void {
  if (!isBuiltIn(serverId)) return
  throw new Failure('MCP_SERVER_DELETE_BLOCKED', 'This server is a part of the program. Disable it instead.')
}

/** Throws if a change gives a built-in server an address or a sign-in. */
export function assertBuiltInChange(
  serverId: string,
  change: { readonly endpoint_url?: string | undefined; readonly auth_profile_id?: string | null | undefined },
): void {
  if (!isBuiltIn(serverId) || (change.endpoint_url ?? change.auth_profile_id ?? null) === null) return
  const field = change.endpoint_url === undefined ? 'auth_profile_id' : 'endpoint_url'
  throw new Failure('MCP_ENDPOINT_NOT_ALLOWED', `${field}: this server is a part of the program and has none`, {
    details: { field },
  })
}

/** Throws for a call of a server that has routes of its own. */
export function assertGeneralCall(serverId: string): void {
  if (!isBuiltIn(serverId)) return
  throw new Failure('INVALID_REQUEST', 'server_id: documents have routes of their own below /api/adapters/acrobat', {
    details: { field: 'server_id' },
  })
}

export const DOCUMENT_JOB_KIND = 'document.operation'

/** The operations that take long have a queue of their own, so that the others do not wait for them. */
const SLOW_TOOLS: readonly string[] = ['ocr', 'redaction_prep']

export const chooseDocumentQueue = (toolName: string): string =>
  SLOW_TOOLS.includes(toolName) ? 'documents/pictures' : 'documents/text'
