import { computed, signal } from '@preact/signals'
import { getCatalog } from '@apprentice/contracts/abilities/availability.ts'
import { listConnectorServers } from '@apprentice/contracts/connectors/servers.ts'
import { listProposals } from '@apprentice/contracts/learn/proposal.ts'
import { listFollowUps } from '@apprentice/contracts/learn/follow-ups.ts'
import { listImports } from '@apprentice/contracts/skills/imports.ts'
import { isAdmin } from '../app/privilege.ts'
import { pendingApprovals } from '../connectors/approval-list.ts'
import { onChange } from '../api/changes.ts'
import { call } from '../api/client.ts'
import { CONNECTOR_POLL, poll } from '../api/poll.ts'
import { formatName, t } from '../text/text.ts'

/** Something that waits for a decision of the person. */
export interface WaitingItem {
  readonly key: string
  readonly href: string
  readonly title: string
  readonly kind: string
  readonly at: string
}

const PAGE = { page_size: 100 }
const QUESTION_STATES = new Set(['awaiting_questions', 'awaiting_input'])
const REVIEW_STATES = new Set(['draft', 'ready_for_review', 'revision_required'])
const IMPORT_STATES = new Set(['scan_complete', 'ready_for_review', 'scan_failed', 'stage_failed', 'install_failed'])

/** What waits apart from approvals. */
const inbox = signal<readonly WaitingItem[] | undefined>(undefined)

/** Connectors whose sign-in ended, and abilities in quarantine. */
const troubles = signal<readonly WaitingItem[]>([])
/** The names of connectors by their id. */
const servers = signal<ReadonlyMap<string, string>>(new Map())

/** Undefined until the daemon has answered. */
export const waiting = computed(() => {
  if (inbox.value === undefined) return undefined
  return [...listApprovalItems(), ...inbox.value, ...troubles.value].toSorted((a, b) => b.at.localeCompare(a.at))
})
export const waitingCount = computed(() => waiting.value?.length ?? 0)

let reading: Promise<void> | undefined
let isStale = false

/** Reads what waits now and after every change of it. */
export function startWaiting(): void {
  void reload()
  onChange(['learn.', 'skill.', 'checkpoint.', 'ability.'], () => void reload())
  const readTroublesSoon = (): void => void readTroubles().catch(() => undefined)
  readTroublesSoon()
  poll(readTroublesSoon, CONNECTOR_POLL)
  onChange(['ability.'], readTroublesSoon)
}

/** Calls during a read cause one more read after it. */
async function reload(): Promise<void> {
  isStale = true
  reading ??= readUntilCurrent().finally(() => {
    reading = undefined
  })
  await reading
}

async function readUntilCurrent(): Promise<void> {
  while (isStale) {
    isStale = false
    await read().catch(() => undefined)
  }
}

async function read(): Promise<void> {
  const [{ proposals }, { items }, { follow_ups }] = await Promise.all([
    call(listProposals, { query: PAGE }),
    call(listImports, { query: PAGE }),
    call(listFollowUps, { query: { ...PAGE, state: 'open' } }),
  ])
  const drafts = proposals
    .filter(({ proposal_state: state }) => QUESTION_STATES.has(state) || REVIEW_STATES.has(state))
    .map(({ proposal_id, title, proposal_state, updated_at }) => ({
      key: proposal_id,
      href: `/learn/pending/${proposal_id}`,
      title,
      kind: QUESTION_STATES.has(proposal_state) ? t.overview.kinds.question : t.overview.kinds.proposal,
      at: updated_at,
    }))
  const known = new Set(drafts.map(({ key }) => key))
  const imports = items
    .filter(({ stage_state, proposal_id }) => IMPORT_STATES.has(stage_state) && !known.has(proposal_id ?? ''))
    .map(({ import_id, skill_name, requires_adapter, updated_at }) => ({
      key: import_id,
      href: `/import/${import_id}`,
      title: skill_name,
      kind: requires_adapter ? t.overview.kinds.adapter : t.overview.kinds.import,
      at: updated_at,
    }))
  const checkpoints = follow_ups
    .filter(({ ability_id }) => ability_id !== undefined)
    .map(({ follow_up_id, summary, ability_id = '', created_at }) => ({
      key: follow_up_id,
      href: `/skills/${encodeURIComponent(ability_id)}/settings`,
      title: summary,
      kind: t.overview.kinds.checkpoint,
      at: created_at,
    }))
  inbox.value = [...drafts, ...imports, ...checkpoints]
}

async function readTroubles(): Promise<void> {
  const [listed, { items }] = await Promise.all([call(listConnectorServers), call(getCatalog)])
  servers.value = new Map(listed.servers.map(({ registry }) => [registry.server_id, registry.display_name]))
  const signIns = listed.servers
    .filter(({ badge_states, registry }) => registry.enabled && badge_states.includes('auth_required'))
    .map(({ registry: { server_id, display_name, updated_at } }) => ({
      key: server_id,
      href: `/connectors/servers/${encodeURIComponent(server_id)}`,
      title: display_name,
      kind: t.overview.kinds.signIn,
      at: updated_at,
    }))
  const quarantined = items
    .filter(({ install_lane }) => install_lane === 'quarantined')
    .map(({ ability_id, title, updated_at }) => ({
      key: ability_id,
      href: `/skills/${encodeURIComponent(ability_id)}/settings`,
      title,
      kind: t.overview.kinds.quarantine,
      at: updated_at,
    }))
  troubles.value = [...signIns, ...quarantined]
}

/** Only administrators decide about calls. */
function listApprovalItems(): WaitingItem[] {
  if (!isAdmin.value) return []
  return pendingApprovals.value.map(({ dispatch_id, tool_name, server_id, created_at }) => ({
    key: dispatch_id,
    href: '/connectors/approvals',
    title: t.overview.approvalOf(formatName(tool_name), servers.value.get(server_id) ?? server_id),
    kind: t.overview.kinds.approval,
    at: created_at,
  }))
}
