import type { RunDrift } from '@apprentice/contracts/abilities/runs.ts'
import { ProposalRepair } from '@apprentice/contracts/learn/proposal-review.ts'
import {
  type AnchorRepair,
  type RepairedRecipe,
  repairRecipe,
} from '../../../knowledge/recipes/repair/repair-recipe.ts'
import type { Reader } from '../../../store/db/db.ts'
import { type DraftFile } from '../../../store/proposals/draft-files.ts'
import { type AbilityRunRow, findAbilityRun } from '../../../store/runs/ability-runs.ts'
import { listRunItems } from '../../../store/runs/run-items.ts'
import type { StoredSession } from '../../../store/sessions/learn-sessions.ts'
import { findCurrentRecipe } from '../../abilities/current-recipe.ts'
import { REPAIR_USER_ID } from '../../sessions/session-access.ts'
import { readDraftJson } from './files.ts'

/** A repair of an ability from the evidence of one of its runs. */
export interface RunRepair extends RepairedRecipe {
  readonly run_id: string
  /** The run found the targets by the new anchors and succeeded. */
  readonly verified: boolean
}

/** The repair that the drift of a run asks for. Undefined if there is none for the installed version. */
export function findRunRepair(reader: Reader, run: AbilityRunRow): RunRepair | undefined {
  const repairs = listAnchorRepairs(reader, run)
  const current = repairs.length === 0 ? undefined : findCurrentRecipe(reader, run.ability_id)
  if (current === undefined || current.version !== run.version) return undefined
  const repaired = repairRecipe(current.recipe, repairs)
  return repaired && { ...repaired, run_id: run.run_id, verified: run.state === 'success' }
}

/** The repair that a session of the daemon proposes. */
export function findSessionRepair(reader: Reader, session: StoredSession): RunRepair | undefined {
  const [runId] = session.active_trace_ids
  const run = session.owner_user_id === REPAIR_USER_ID && runId ? findAbilityRun(reader, runId) : undefined
  return run && findRunRepair(reader, run)
}

/**
 * A successful run verified the anchors it used. Of a failed one only the step that it ended with counts, if its other
 * anchors agree. Steps of called abilities are repaired there.
 */
function listAnchorRepairs(reader: Reader, run: AbilityRunRow): AnchorRepair[] {
  const items = run.items_total === undefined ? [] : listRunItems(reader, run.run_id)
  const outcomes = run.items_total === undefined ? [run] : items
  const found = outcomes.flatMap(({ state, outcome }) => {
    if (state !== run.state) return []
    return outcome.drift.flatMap((drift): AnchorRepair[] => toRepair(drift, state === 'success'))
  })
  return [...new Map(found.map((repair) => [repair.step_id, repair])).values()]
}

function toRepair({ step_id, used_fallback, agreed_anchor }: RunDrift, succeeded: boolean): AnchorRepair[] {
  const anchor = succeeded ? used_fallback : agreed_anchor
  return anchor === undefined || step_id.includes('/') ? [] : [{ step_id, anchor }]
}

/** The repair that a draft describes in its review. */
export function readDraftRepair(files: readonly DraftFile[]): ProposalRepair | undefined {
  return ProposalRepair.safeParse(readDraftJson(files, 'review.json')?.['repair']).data
}
