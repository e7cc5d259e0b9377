import type { MiningSettingsChange, SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { findMiningSettings, upsertMiningSettings } from '../../store/mining/mining-settings.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'

const DEFAULT_SETTINGS: SkillMiningSettings = {
  mode: 'build_then_review',
  observe_inside_elnor: true,
  observe_outside_elnor: false,
  min_successful_traces: 3,
  require_user_feedback_before_build_when_ambiguous: true,
  require_tests_before_proposal: true,
  max_variation_score: 0.35,
  min_verification_coverage: 0.6,
  scan_interval_hours: 24,
  max_proposals_per_scan: 3,
  schema_version: 1,
}

export const readMiningSettings = (reader: Reader): SkillMiningSettings => ({
  ...DEFAULT_SETTINGS,
  ...findMiningSettings(reader),
})

/** Changes the given settings only. Switching on observation outside the agent requires its own confirmation. */
export function changeMiningSettings(
  ctx: CommandContext,
  { confirm_observe_outside, ...change }: MiningSettingsChange,
): SkillMiningSettings {
  const before = readMiningSettings(ctx.tx)
  const given = Object.entries(change).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(DEFAULT_SETTINGS, name),
  )
  const after: SkillMiningSettings = { ...before, ...Object.fromEntries(given), schema_version: 1 }
  const startsOutside = after.observe_outside_elnor && !before.observe_outside_elnor
  if (startsOutside && confirm_observe_outside !== true) throw confirmationRequired()
  upsertMiningSettings(ctx.tx, after, ctx.now)
  const changed = given.map(([name]) => name).filter((name) => name !== 'schema_version')
  recordEvent(ctx, 'mining/settings', 'learn.mining.settings_changed', { changed })
  recordReceipt(ctx, 'learn.mining.settings_changed', {
    summary: startsOutside
      ? 'Observation outside the agent was confirmed and switched on.'
      : `Mining settings changed: ${changed.join(', ') || 'nothing'}.`.slice(0, 500),
    details: { before, after },
  })
  return after
}

const confirmationRequired = (): Failure =>
  new Failure(
    'OBSERVATION_CONFIRMATION_REQUIRED',
    'To observe outside the agent, also send confirm_observe_outside: true.',
    { details: { field: 'confirm_observe_outside' } },
  )
