import { listOpenApprovals } from '../../domain/connectors/approvals.ts'
import { listAuthProfiles } from '../../domain/connectors/sign-in/auth-profiles.ts'
import { readServerHealth } from '../../domain/connectors/registry/server-view.ts'
import { listOpenChallenges } from '../../store/connectors/challenges.ts'
import { listDecisions } from '../../store/connectors/policies.ts'
import { listReceiptsSince } from '../../store/connectors/receipts.ts'
import { listServers } from '../../store/connectors/servers.ts'
import { listOpenSignIns } from '../../store/connectors/sign-ins.ts'
import { listBindings } from '../../store/projects/bindings.ts'
import type { Reader } from '../../store/db/db.ts'
import { countRowsUpTo } from '../../store/projections/projection-cursors.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const CHANGES = [
  'mcp.server.changed',
  'mcp.auth_profile.changed',
  'mcp.health.changed',
  'mcp.receipt.created',
  'mcp.sign_in.changed',
  'mcp.challenge.changed',
  'mcp.approval.changed',
  'mcp.dispatch.changed',
] as const

/** A document with all records of a kind. It exists once there is one. */
const listDocument = (path: string, list: (reader: Reader) => readonly unknown[]): Projection =>
  documentProjection({
    path,
    touched: ({ kinds }) => (CHANGES.some((kind) => kinds.has(kind)) ? [SINGLE_KEY] : []),
    render: (reader) => {
      const records = list(reader)
      return records.length === 0 ? undefined : formatDocument(records)
    },
  })

const projectBindings = documentProjection({
  path: 'projects/bindings_current.json',
  touched: ({ kinds }) => (kinds.has('project.binding.changed') ? [SINGLE_KEY] : []),
  render: (reader) => {
    const bindings = listBindings(reader)
    return bindings.length === 0 ? undefined : formatDocument(bindings)
  },
})

export const connectorProjections: readonly Projection[] = [
  projectBindings,
  listDocument('mcp/registry_current.json', listServers),
  listDocument('mcp/health_current.json', (reader) =>
    listServers(reader).map((server) => readServerHealth(reader, server)),
  ),
  listDocument('mcp/policy_current.json', (reader) =>
    listDecisions(reader).map(({ target, decision }) => ({ target, decision })),
  ),
  listDocument('mcp/auth_profiles_current.json', listAuthProfiles),
  listDocument('mcp/oauth_states_current.json', (reader) =>
    listOpenSignIns(reader).map(({ state_hash: _s, ...signIn }) => signIn),
  ),
  listDocument('mcp/auth_challenges_current.json', (reader) => listOpenChallenges(reader)),
  listDocument('mcp/ask_first_current.json', listOpenApprovals),
  logProjection({
    path: 'mcp/receipts.jsonl',
    rows: (reader, _key, span) => listReceiptsSince(reader, span),
    count: (reader, _key, upTo) => countRowsUpTo(reader, 'connector_receipts', upTo),
    shrinks: () => false,
  }),
]
