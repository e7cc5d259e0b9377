import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import type { Capability } from '@apprentice/contracts/policy/capability.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import type { DeviceLease } from '@apprentice/contracts/devices/device.ts'
import { deleteLease, findDevice, findLease } from '../../store/devices/devices.ts'
import { insertSkillRun, NO_OUTPUT, type SkillRunRow, updateSkillRun } from '../../store/skill-runs/skill-runs.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { assertDeviceAvailable, leaseDevice } from '../devices/leases.ts'
import { deviceNotFound } from '../devices/device-record.ts'
import { assertWorkAllowed, withTerms } from '../policies/applied-policy.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEvent } from '../command/ledger.ts'
import { type SkillPlan, chooseTimeout } from '../../knowledge/skill-script/skill-plan.ts'

export const SKILL_RUN_JOB_KIND = 'skill.run'

export interface SkillRunRequest {
  readonly args: readonly string[]
  readonly serial?: string | undefined
  readonly timeout_ms?: number | undefined
  readonly expect_contains?: string | undefined
  readonly runtime_verification: boolean
  readonly operator_package: string
  readonly allow_capabilities: readonly Capability[]
  readonly policy?: PolicyProfile | undefined
  /** The lane of the ability that installed the skill, if one did. */
  readonly lane?: OpenLane | undefined
}

/** The caller of a running script in rate limits; it identifies the run. */
export const formatRunCallerKey = (runId: string): string => `skill-run:${runId}`

export const formatSkillRunSubject = (runId: string): string => `skill-run/${runId}`

/** Queues a run. Runs with a device are serial per device; runs without one share a few queues. */
export function queueSkillRun(caller: CommandContext, plan: SkillPlan, request: SkillRunRequest): SkillRunRow {
  const { serial, allow_capabilities, policy, lane } = request
  const ctx = withTerms(caller, { allow_capabilities, policy, lanes: lane === undefined ? [] : [lane] })
  const owner = ctx.actor.user_id
  // What its script does on a device is judged call by call.
  assertWorkAllowed(ctx, { capabilities: [], packages: [], serial })
  if (serial !== undefined) {
    if (findDevice(ctx.tx, serial) === undefined) throw deviceNotFound(serial)
    assertDeviceAvailable(ctx.tx, serial, { user_id: owner, now: ctx.now })
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
    timeout_ms: chooseTimeout(request.timeout_ms, plan.manifest.agent),
    expect_contains: request.expect_contains,
    runtime_verification: request.runtime_verification,
    operator_package: request.operator_package,
    stdout: NO_OUTPUT,
    stderr: NO_OUTPUT,
    created_at: ctx.now,
  }
  insertSkillRun(ctx.tx, row)
  enqueueJob(ctx, { job_id: run_id, kind: SKILL_RUN_JOB_KIND, lane: chooseQueue(row), payload: {} })
  recordEvent(ctx, formatSkillRunSubject(run_id), 'skill.run.queued', {
    skill_id: plan.skill_id,
    serial,
  })
  return row
}

/** The shared queues limit how many scripts without a device run at once. */
const chooseQueue = ({ serial, run_id }: SkillRunRow): string =>
  serial === undefined
    ? `skill-runs/free-${Number.parseInt(run_id.at(-1) ?? '0', 16) % SHARED_QUEUES}`
    : `skill-runs/${serial}`
const SHARED_QUEUES = 4

/** The time after a run's timeout to stop its processes and read the screen once more. */
const LEASE_SLACK_MS = 60_000

export function beginSkillRun(ctx: CommandContext, row: SkillRunRow): void {
  const lease = leaseForRun(asSystem(ctx, row.owner_user_id), row)
  updateSkillRun(ctx.tx, {
    ...row,
    state: 'running',
    lease_id: lease?.lease_id,
    started_at: ctx.now,
  })
  recordEvent(ctx, formatSkillRunSubject(row.run_id), 'skill.run.started', { serial: row.serial })
}

/**
 * Leases the device to the owner for the time of the run. Returns undefined when the run must not release a lease: a
 * lease the owner holds already is extended and stays, and a lease of another user makes the run fail before it starts.
 */
function leaseForRun(ctx: CommandContext, { serial, run_id, timeout_ms }: SkillRunRow): DeviceLease | undefined {
  if (serial === undefined) return undefined
  const duration_ms = timeout_ms + LEASE_SLACK_MS
  const held = findLease(ctx.tx, serial, ctx.now)
  if (held === undefined) {
    return leaseDevice(ctx, serial, { purpose: `skill run ${run_id}`, duration_ms })
  }
  const own = held.owner_user_id === ctx.actor.user_id
  const remainingMs = Date.parse(held.expires_at) - Date.parse(ctx.now)
  if (own && remainingMs < duration_ms) leaseDevice(ctx, serial, { duration_ms })
  return undefined
}

export function releaseRunDevice(ctx: CommandContext, { serial, lease_id, owner_user_id }: SkillRunRow): void {
  if (serial === undefined || lease_id === undefined) return
  deleteLease(ctx.tx, lease_id)
  recordEvent(asSystem(ctx, owner_user_id), `device/${serial}`, 'device.released')
}
