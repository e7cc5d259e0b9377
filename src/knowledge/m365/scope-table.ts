import { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import type { M365ScopeRule } from '@apprentice/contracts/connectors/m365-registration.ts'

/** Scopes that replace the minimum of a family, because the tenant approved fewer. */
export type ApprovedScopes = Readonly<Partial<Record<M365OperationFamily, readonly string[]>>>

type Parts = Pick<M365ScopeRule, 'action_class' | 'minimum_delegated_scopes'> &
  Partial<Pick<M365ScopeRule, 'optional_delegated_scopes' | 'admin_consent_likely' | 'delegated_only'>>

const FILES_AND_SITES = ['Files.Read.All', 'Sites.Read.All']
export const CHANNEL_SEND = 'ChannelMessage.Send'
export const CHAT_SEND = 'Chat.ReadWrite'

const RULES: Readonly<Record<M365OperationFamily, Parts>> = {
  search: {
    action_class: 'read',
    minimum_delegated_scopes: ['User.Read', ...FILES_AND_SITES],
    optional_delegated_scopes: ['Mail.Read'],
    admin_consent_likely: true,
  },
  sharepoint_list_documents: {
    action_class: 'read',
    minimum_delegated_scopes: ['Sites.Read.All', 'Files.Read.All'],
    admin_consent_likely: true,
  },
  onedrive_fetch_file: {
    action_class: 'read',
    minimum_delegated_scopes: ['Files.Read.All'],
    optional_delegated_scopes: ['Files.Read'],
  },
  project_get_latest_document: {
    action_class: 'read',
    minimum_delegated_scopes: ['Sites.Read.All', 'Files.Read.All'],
    optional_delegated_scopes: ['User.Read'],
    admin_consent_likely: true,
  },
  outlook_mail_search: { action_class: 'read', minimum_delegated_scopes: ['Mail.Read'] },
  outlook_get_thread: { action_class: 'read', minimum_delegated_scopes: ['Mail.Read'] },
  outlook_draft_reply: {
    action_class: 'write',
    minimum_delegated_scopes: ['Mail.ReadWrite'],
    optional_delegated_scopes: ['Mail.Send'],
  },
  calendar_check_availability: { action_class: 'read', minimum_delegated_scopes: ['Calendars.Read'] },
  calendar_create_event: {
    action_class: 'write',
    minimum_delegated_scopes: ['Calendars.ReadWrite'],
    optional_delegated_scopes: ['OnlineMeetings.ReadWrite'],
  },
  calendar_update_event: {
    action_class: 'write',
    minimum_delegated_scopes: ['Calendars.ReadWrite'],
    optional_delegated_scopes: ['OnlineMeetings.ReadWrite'],
  },
  word_fetch_content: {
    action_class: 'read',
    minimum_delegated_scopes: FILES_AND_SITES,
    admin_consent_likely: true,
  },
  word_fetch_comments: {
    action_class: 'read',
    minimum_delegated_scopes: FILES_AND_SITES,
    admin_consent_likely: true,
  },
  teams_post_message: {
    action_class: 'write',
    minimum_delegated_scopes: [CHANNEL_SEND, CHAT_SEND],
    optional_delegated_scopes: ['Team.ReadBasic.All', 'Channel.ReadBasic.All', 'ChatMessage.Send'],
    delegated_only: true,
  },
  teams_get_channel_context: {
    action_class: 'read',
    minimum_delegated_scopes: ['Team.ReadBasic.All', 'Channel.ReadBasic.All'],
    optional_delegated_scopes: ['ChannelMessage.Read.All'],
    admin_consent_likely: true,
  },
}

/** Families of which one of the minimum scopes is enough for a registration. */
const ANY_OF: ReadonlySet<M365OperationFamily> = new Set(['teams_post_message'])

/** The families whose names are in a list of tools. */
export const readFamilies = (tools: readonly string[]): M365OperationFamily[] =>
  M365OperationFamily.options.filter((family) => tools.includes(family))

export const isFamily = (name: string): name is M365OperationFamily => Object.hasOwn(RULES, name)

export function getScopeRule(family: M365OperationFamily, approved: ApprovedScopes = {}): M365ScopeRule {
  const rule = RULES[family]
  const { optional_delegated_scopes = [], admin_consent_likely = false, delegated_only = false } = rule
  return {
    operation_family: family,
    action_class: rule.action_class,
    minimum_delegated_scopes: [...(approved[family] ?? rule.minimum_delegated_scopes)],
    optional_delegated_scopes,
    admin_consent_likely,
    delegated_only,
  }
}

/** The scopes of a family that a registration does not ask for, in the order of the table. */
export function findUnrequestedScopes(
  family: M365OperationFamily,
  requested: readonly string[],
  approved: ApprovedScopes,
): string[] {
  const needed = getScopeRule(family, approved).minimum_delegated_scopes
  const missing = needed.filter((scope) => !hasScope(requested, scope))
  const isEnough = ANY_OF.has(family) && missing.length < needed.length
  return isEnough ? [] : missing
}

const GRAPH_PREFIX =
  /^https:\/\/(?:graph\.microsoft\.(?:com|us)|dod-graph\.microsoft\.us|microsoftgraph\.chinacloudapi\.cn)\//i

/** The short name of a scope. The token endpoint may answer with the address of the API before it. */
export const shortenScope = (scope: string): string => scope.replace(GRAPH_PREFIX, '')

/** Whether a scope is among those given. Names of scopes have no case. */
export const hasScope = (scopes: readonly string[], wanted: string): boolean =>
  scopes.some((scope) => shortenScope(scope).toLowerCase() === shortenScope(wanted).toLowerCase())
