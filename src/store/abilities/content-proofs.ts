import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { flag, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The drafts, by content hash, that a device has carried out. */
export const contentProofs = defineTable(
  'content_proofs',
  {
    draft_hash: text(),
    kind: text<'rehearsal' | 'verified_run'>(),
    /** The validation run or the ability run. */
    source_ref: text(),
    created_at: text(),
  },
  { key: ['draft_hash', 'kind'] },
)

/** Drafts without a proof that a person uses nevertheless, in one lane. */
export const acceptedRisks = defineTable(
  'accepted_risks',
  {
    ability_id: text(),
    draft_hash: text(),
    install_lane: text<OpenLane>(),
    accepted_by: text(),
    reason: text(),
    created_at: text(),
  },
  { key: ['ability_id', 'draft_hash', 'install_lane'] },
)

/** Only the lanes whose settings were changed. */
export const laneSettings = defineTable(
  'lane_settings',
  { install_lane: text<OpenLane>(), accept_unrehearsed: flag(), updated_at: text() },
  { key: ['install_lane'] },
)

export type ContentProof = RowOf<typeof contentProofs>
export type AcceptedRisk = RowOf<typeof acceptedRisks>

/** The first proof of each kind is kept. */
export function insertContentProof(tx: Tx, proof: ContentProof): void {
  if (contentProofs.find(tx, proof.draft_hash, proof.kind) === undefined) contentProofs.insert(tx, proof)
}

export function hasContentProof(reader: Reader, draftHash: string): boolean {
  return sql(reader, 'SELECT 1 FROM content_proofs WHERE draft_hash = ? LIMIT 1').get(draftHash) !== undefined
}

export function upsertAcceptedRisk(tx: Tx, risk: AcceptedRisk): void {
  acceptedRisks.upsert(tx, risk)
}

export function findAcceptedRisk(
  reader: Reader,
  { ability_id, draft_hash, install_lane }: Pick<AcceptedRisk, 'ability_id' | 'draft_hash' | 'install_lane'>,
): AcceptedRisk | undefined {
  return acceptedRisks.find(reader, ability_id, draft_hash, install_lane)
}

export function findLaneSettings(reader: Reader, lane: OpenLane): RowOf<typeof laneSettings> | undefined {
  return laneSettings.find(reader, lane)
}

export function upsertLaneSettings(tx: Tx, settings: RowOf<typeof laneSettings>): void {
  laneSettings.upsert(tx, settings)
}
