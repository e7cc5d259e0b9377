import type { DeviceLease } from '@apprentice/contracts/devices/device.ts'
import { deleteLease, findDevice, findLease } from '../../store/devices/devices.ts'
import {
  insertSkillRun,
  nothingPrinted,
  type SkillRunRow,
  updateSkillRun,
} from '../../store/skill-runs/skill-runs.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { assertFree, leaseDevice } from '../devices/leases.ts'
import { deviceNotFound } from '../devices/sightings.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEvent } from '../command/ledger.ts'
import { type SkillPlan, timeoutOf } from '../../knowledge/skill-script/plan-run.ts'

export const skillRunKind = 'skill.run'

export interface SkillRunRequest {
  readonly args: readonly string[]
  readonly serial?: string | undefined
  readonly timeout_ms?: number | undefined
  readonly expect_contains?: string | undefined
  readonly runtime_verification: boolean
  readonly operator_package: string
}

/** What the limits of a running script's token are counted against; also tells whose it is. */
export const runCallerKey = (runId: string): string => `skill-run:${runId}`

export const subjectOf = (runId: string): string => `skill-run/${runId}`

/** Puts a run into its lane: one at a time on a device, a few at a time without one. */
export function queueSkillRun(
  ctx: CommandContext,
  plan: SkillPlan,
  request: SkillRunRequest,
): SkillRunRow {
  const { serial } = request
  const owner = ctx.actor.user_id
  if (serial !== undefined) {
    if (findDevice(ctx.tx, serial) === undefined) throw deviceNotFound(serial)
    assertFree(ctx.tx, serial, { user_id: owner, now: ctx.now })
  }
  const run_id = ctx.newId()
  const row: SkillRunRow = {
    run_id,
    owner_user_id: owner,
    skill_id: plan.skill_id,
    kind: plan.kind,
    state: 'queued',
    serial,
    arguments: [...request.args],
    timeout_ms: timeoutOf(request.timeout_ms, plan.manifest.agent),
    expect_contains: request.expect_contains,
    runtime_verification: request.runtime_verification,
    operator_package: request.operator_package,
    stdout: nothingPrinted,
    stderr: nothingPrinted,
    created_at: ctx.now,
  }
  insertSkillRun(ctx.tx, row)
  enqueueJob(ctx, { job_id: run_id, kind: skillRunKind, lane: laneOf(row), payload: {} })
  recordEvent(ctx, subjectOf(run_id), 'skill.run.queued', { skill_id: plan.skill_id, serial })
  return row
}

/** Runs without a device share a few lanes, so that many of them are not many processes. */
const laneOf = ({ serial, run_id }: SkillRunRow): string =>
  serial === undefined
    ? `skill-runs/free-${Number.parseInt(run_id.at(-1) ?? '0', 16) % freeLanes}`
    : `skill-runs/${serial}`
const freeLanes = 4

/** What a run may take beyond its time: ending its processes, and a last look at the device. */
const leaseSlackMs = 60_000

export function beginSkillRun(ctx: CommandContext, row: SkillRunRow): void {
  const lease = leaseFor(asSystem(ctx, row.owner_user_id), row)
  updateSkillRun(ctx.tx, {
    ...row,
    state: 'running',
    lease_id: lease?.lease_id,
    started_at: ctx.now,
  })
  recordEvent(ctx, subjectOf(row.run_id), 'skill.run.started', { serial: row.serial })
}

/**
 * Takes the device in the owner's name, so that what the script asks for goes through and nobody else comes between.
 * Undefined when there is nothing to give back: a lease of the owner's own stays theirs, and somebody else's lets the
 * run be refused before anything is started.
 */
function leaseFor(
  ctx: CommandContext,
  { serial, run_id, timeout_ms }: SkillRunRow,
): DeviceLease | undefined {
  if (serial === undefined) return undefined
  const duration_ms = timeout_ms + leaseSlackMs
  const held = findLease(ctx.tx, serial, ctx.now)
  if (held === undefined) {
    return leaseDevice(ctx, serial, { purpose: `skill run ${run_id}`, duration_ms })
  }
  const own = held.owner_user_id === ctx.actor.user_id
  const lasts = Date.parse(held.expires_at) - Date.parse(ctx.now)
  if (own && lasts < duration_ms) leaseDevice(ctx, serial, { duration_ms })
  return undefined
}

export function giveDeviceBack(
  ctx: CommandContext,
  { serial, lease_id, owner_user_id }: SkillRunRow,
): void {
  if (serial === undefined || lease_id === undefined) return
  deleteLease(ctx.tx, lease_id)
  recordEvent(asSystem(ctx, owner_user_id), `device/${serial}`, 'device.released')
}
