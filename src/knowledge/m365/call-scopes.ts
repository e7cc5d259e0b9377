import type { M365OperationRequest } from '@apprentice/contracts/connectors/m365/operations.ts'
import { type ApprovedScopes, CHANNEL_SEND, CHAT_SEND, getScopeRule, hasScope } from './scope-table.ts'

type Source = 'files' | 'sites' | 'mail' | 'people'

/** The scope for each kind of search results. */
const SEARCH_SCOPES: Readonly<Record<Source, string>> = {
  files: 'Files.Read.All',
  sites: 'Sites.Read.All',
  mail: 'Mail.Read',
  people: 'People.Read',
}
export const READ_CHANNEL_MESSAGES = 'ChannelMessage.Read.All'

/** The scopes that this call needs and the token does not have. */
export function findMissingScopes(
  request: M365OperationRequest,
  granted: readonly string[],
  approved: ApprovedScopes = {},
): string[] {
  return listNeededScopes(request, approved).filter((scope) => !hasScope(granted, scope))
}

function listNeededScopes(request: M365OperationRequest, approved: ApprovedScopes): readonly string[] {
  if (request.operation_family === 'teams_post_message' && approved.teams_post_message === undefined) {
    return [request.target_kind === 'channel' ? CHANNEL_SEND : CHAT_SEND]
  }
  const needed = getScopeRule(request.operation_family, approved).minimum_delegated_scopes
  // Mail or people alone cannot be answered in part.
  const isOnly = (source: Source): boolean =>
    request.operation_family === 'search' &&
    request.entity_filters.length > 0 &&
    request.entity_filters.every((one) => one === source)
  const only = (['mail', 'people'] as const).filter(isOnly).map((source) => SEARCH_SCOPES[source])
  return [...needed, ...only]
}

/** The sources that a search asks, and the scopes of those it leaves out although they were asked for. */
export function chooseSources(
  filters: readonly Source[],
  granted: readonly string[],
): { readonly sources: readonly Source[]; readonly missing_scopes: readonly string[] } {
  const wanted = filters.length === 0 ? (Object.keys(SEARCH_SCOPES) as Source[]) : [...new Set(filters)]
  // Files and sites are the minimum of the family, which was checked before.
  const isCovered = (source: Source): boolean =>
    source === 'files' || source === 'sites' || hasScope(granted, SEARCH_SCOPES[source])
  const left = filters.length === 0 ? [] : wanted.filter((source) => !isCovered(source))
  return { sources: wanted.filter(isCovered), missing_scopes: left.map((source) => SEARCH_SCOPES[source]) }
}
