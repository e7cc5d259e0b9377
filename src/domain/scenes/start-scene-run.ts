import { hash } from 'node:crypto'
import type { ScenePlan } from '@apprentice/contracts/scenes/plan.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { Failure } from '../../failure/failure.ts'
import { findProfileByName } from '../../store/scenes/scene-profiles.ts'
import { insertSceneRun, type SceneRunRow } from '../../store/scenes/scene-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEvent } from '../command/ledger.ts'
import { recordSceneUse, type SceneUse } from './scene-ability-run.ts'
import { assertWorkAllowed, withTerms } from '../policies/applied-policy.ts'

export const SCENE_RUN_JOB_KIND = 'scene.run'
export const DEFAULT_PROFILE_NAME = 'default'
export const DEFAULT_TIMEOUT_MS = 120_000
/** How many scenes may run at once. */
export const SCENE_QUEUES = 3

export interface SceneRunStart {
  readonly plan: ScenePlan
  readonly instruction?: string | undefined
  /** The sign-in to use. Without a name the one called `default` is used, if there is one. */
  readonly profile?: string | undefined
  readonly timeout_ms?: number | undefined
  readonly policy?: PolicyProfile | undefined
  /** The lane of the ability that the run is for. */
  readonly lane?: OpenLane | undefined
  /** What the caller of the ability gave. */
  readonly use?: SceneUse | undefined
}

export const formatSceneRunSubject = (runId: string): string => `scene-run/${runId}`

/** Queues a run of a plan. The runs of a domain are serial. */
export function startSceneRun(caller: CommandContext, start: SceneRunStart): SceneRunRow {
  const { plan, instruction, policy, lane, timeout_ms = DEFAULT_TIMEOUT_MS } = start
  const ctx = withTerms(caller, { policy, lanes: lane === undefined ? [] : [lane] })
  assertWorkAllowed(ctx, { capabilities: [], packages: [], serial: undefined })
  const run_id = ctx.newId()
  const row: SceneRunRow = {
    run_id,
    owner_user_id: ctx.actor.user_id,
    scene_id: plan.scene_id,
    state: 'queued',
    instruction,
    plan,
    profile: chooseProfile(ctx, start),
    timeout_ms,
    created_at: ctx.now,
  }
  insertSceneRun(ctx.tx, row)
  recordSceneUse(ctx, row, start.use)
  const lane_of_jobs = chooseQueue(plan.bootstrap.expected_domain)
  enqueueJob(ctx, { job_id: run_id, kind: SCENE_RUN_JOB_KIND, lane: lane_of_jobs, payload: {} })
  recordEvent(ctx, formatSceneRunSubject(run_id), 'scene.run.queued', {
    scene_id: plan.scene_id,
    plan_hash: plan.plan_hash,
  })
  return row
}

function chooseProfile({ tx, actor }: CommandContext, { plan, profile }: SceneRunStart): string | undefined {
  const domain = plan.bootstrap.expected_domain.toLowerCase()
  const name = profile ?? DEFAULT_PROFILE_NAME
  if (findProfileByName(tx, { owner: actor.user_id, domain, name }) !== undefined) return name
  if (profile === undefined) return undefined
  throw new Failure('SCENE_PROFILE_NOT_FOUND', `There is no sign-in ${profile} to ${domain}.`)
}

/** A domain always has the same queue, and the number of queues limits how many scenes run at once. */
function chooseQueue(domain: string): string {
  const digest = hash('sha256', domain.toLowerCase(), 'hex')
  return `scenes/${Number.parseInt(digest.slice(0, 8), 16) % SCENE_QUEUES}`
}
