import { type ProposalState, SkillBundleProposal } from '@apprentice/contracts/learn/proposal.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** A proposal with what only the daemon needs to know of it. */
export interface StoredProposal extends SkillBundleProposal {
  owner_user_id: string
  archived_at?: string | undefined
  revision: number
  /** Names the draft by its content; absent while there is none. */
  draft_hash?: string | undefined
  active_validation_run_id?: string | undefined
  saga_id?: string | undefined
}

const publicColumns = Object.keys(SkillBundleProposal.shape).filter(
  (name) => name !== 'schema_version',
)
const ownColumns = [
  'owner_user_id',
  'archived_at',
  'revision',
  'draft_hash',
  'active_validation_run_id',
  'saga_id',
] as const
const columns = [...publicColumns, ...ownColumns]
const listColumns = [
  'source_trace_ids',
  'trigger_phrases',
  'negative_triggers',
  'support_pack_refs',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function findProposal(reader: Reader, id: string): StoredProposal | undefined {
  const row = sql(reader, 'SELECT * FROM proposals WHERE proposal_id = ?').get(id)
  return row === undefined ? undefined : toProposal(row)
}

export function insertProposal(tx: Tx, proposal: StoredProposal): void {
  sql(tx, insertInto('proposals', columns)).run(toRow(proposal))
}

const updateText = `UPDATE proposals SET ${columns.map((c) => `${c} = @${c}`).join(', ')}
  WHERE proposal_id = @proposal_id`

export function updateProposal(tx: Tx, proposal: StoredProposal): void {
  const { changes } = sql(tx, updateText).run(toRow(proposal))
  if (changes !== 1) throw new Error(`No row for proposal ${proposal.proposal_id}.`)
}

/** Newest first, without archived ones. */
export function listProposals(
  reader: Reader,
  owner: string,
  { page, page_size, state }: PageQuery & { state?: ProposalState | undefined },
): { proposals: StoredProposal[]; total: number } {
  const where = [
    'owner_user_id = @owner AND archived_at IS NULL',
    ...(state === undefined ? [] : ['proposal_state = @state']),
  ].join(' AND ')
  const values = { owner, ...(state === undefined ? {} : { state }) }
  const rows = sql(
    reader,
    `SELECT * FROM proposals WHERE ${where}
      ORDER BY created_at DESC, proposal_id DESC LIMIT @limit OFFSET @offset`,
  ).all({ ...values, limit: page_size, offset: (page - 1) * page_size })
  const count = sql(reader, `SELECT count(*) AS total FROM proposals WHERE ${where}`).get(values)
  return { proposals: rows.map(toProposal), total: (count as { total: number }).total }
}

/** The part a client may know. */
export function publicProposal(proposal: StoredProposal): SkillBundleProposal {
  const known: Partial<StoredProposal> = { ...proposal }
  for (const name of ownColumns) delete known[name]
  return known as SkillBundleProposal
}

function toProposal(row: unknown): StoredProposal {
  const out = present(row as Row)
  for (const name of listColumns) out[name] = JSON.parse(String(out[name]))
  out['schema_version'] = 1
  return out as unknown as StoredProposal
}

function toRow(proposal: StoredProposal): Row {
  const { schema_version: _, ...fields } = proposal
  const row = bindable({ ...blank, ...fields })
  for (const name of listColumns) row[name] = JSON.stringify(row[name])
  return row
}
