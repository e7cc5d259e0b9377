import type { ProposalState, SkillBundleProposal } from '@apprentice/contracts/learn/proposal.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, integer, list, text } from '../db/columns.ts'
import type { Reader, Tx } from '../db/db.ts'
import { listPage } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The fields of the contract. */
const publicColumns = {
  proposal_id: text(),
  learn_session_id: text().optional(),
  interpretation_id: text().optional(),
  source_trace_ids: list(),
  title: text(),
  proposed_skill_slug: text(),
  trigger_phrases: list(),
  negative_triggers: list(),
  draft_skill_path: text(),
  draft_manifest_path: text(),
  draft_graph_ref: text().optional(),
  proposal_state: text<ProposalState>(),
  install_lane: text<SkillBundleProposal['install_lane']>(),
  ability_id: text().optional(),
  primary_capability_id: text().optional(),
  support_pack_refs: list(),
  created_at: text(),
  updated_at: text(),
}

export const proposals = defineTable(
  'proposals',
  {
    ...publicColumns,
    owner_user_id: text(),
    archived_at: text().optional(),
    revision: integer(),
    /** The hash of the draft. Absent while there is no draft. */
    ...columns(text().optional(), 'draft_hash', 'active_validation_run_id', 'saga_id'),
  },
  { key: ['proposal_id'], constants: { schema_version: 1 } },
)

/** A proposal with the fields that clients do not see. */
export type StoredProposal = RowOf<typeof proposals>

export function findProposal(reader: Reader, id: string): StoredProposal | undefined {
  return proposals.find(reader, id)
}

export function insertProposal(tx: Tx, proposal: StoredProposal): void {
  proposals.insert(tx, proposal)
}

export function updateProposal(tx: Tx, proposal: StoredProposal): void {
  if (!proposals.update(tx, proposal)) {
    throw new Error(`No row for proposal ${proposal.proposal_id}.`)
  }
}

/** Newest first, without archived ones. */
export function listProposals(
  reader: Reader,
  owner: string,
  { state, ...query }: PageQuery & { state?: ProposalState | undefined },
): { proposals: StoredProposal[]; total: number } {
  const from = `proposals WHERE owner_user_id = @owner AND archived_at IS NULL
    AND (@state IS NULL OR proposal_state = @state)`
  const order = 'created_at DESC, proposal_id DESC'
  const values = { owner, state: state ?? null }
  const { rows, total } = listPage(reader, { from, order }, values, query)
  return { proposals: rows.map(proposals.decode), total }
}

const pickPublic = proposals.picker([
  ...(Object.keys(publicColumns) as (keyof typeof publicColumns)[]),
  'schema_version',
])

/** The fields that clients see. */
export function toPublicProposal(proposal: StoredProposal): SkillBundleProposal {
  return pickPublic(proposal)
}
