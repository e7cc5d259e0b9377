import { z } from 'zod'
import { DateTime, SchemaVersion, Uuid } from '../base/fields.ts'
import { ReportFormat, ReportHead } from './artifact.ts'
import { SceneDomain, SceneId } from './manifest.ts'
import { ScenePlan } from './plan.ts'

/**
 * queued       waits in the queue of its domain
 * running      the browser works on it
 * succeeded    the report has a status that the manifest calls a success
 * failed       there is no report, or the report says that it failed
 * cancelled    cancelled before its end
 * interrupted  the daemon stopped while it ran; it is not repeated
 */
export const SceneRunState = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted'])
export type SceneRunState = z.infer<typeof SceneRunState>

/** How far a run is. */
export const SceneRunPhase = z.enum(['opening_page', 'checking_page', 'running_script', 'exporting'])
export type SceneRunPhase = z.infer<typeof SceneRunPhase>

/** Why a run failed, and whether the page refused (`blocked`) or something went wrong (`error`). */
export const SCENE_RUN_PROBLEMS = {
  SCENE_WRONG_DOMAIN: 'blocked',
  SCENE_TITLE_MISMATCH: 'blocked',
  SCENE_REQUEST_BLOCKED: 'blocked',
  SCENE_NAVIGATED_AWAY: 'blocked',
  SCENE_PROFILE_UNREADABLE: 'blocked',
  POLICY_DENIED: 'blocked',
  SCENE_PAGE_UNREACHABLE: 'error',
  SCENE_SCRIPT_THREW: 'error',
  SCENE_TIMED_OUT: 'error',
  SCENE_RESULT_NOT_JSON: 'error',
  SCENE_RESULT_TOO_LARGE: 'error',
  SCENE_ARTIFACT_INVALID: 'error',
  SCENE_REPORTED_FAILURE: 'error',
  SCENE_EXPORT_FAILED: 'error',
  SCENE_PACKAGE_CHANGED: 'error',
  SCENE_BROWSER_MISSING: 'error',
  SCENE_BROWSER_CRASHED: 'error',
  SCENE_RUN_CANCELLED: 'error',
  SCENE_RUN_INTERRUPTED: 'error',
  INTERNAL_ERROR: 'error',
} as const satisfies Record<string, 'blocked' | 'error'>

export type SceneRunProblemCode = keyof typeof SCENE_RUN_PROBLEMS
export const SceneRunProblemCode = z.enum(
  Object.keys(SCENE_RUN_PROBLEMS) as [SceneRunProblemCode, ...SceneRunProblemCode[]],
)

/** Something that the page tried and that was not allowed. */
export const ContainedAttempt = z.object({
  kind: z.enum(['request', 'pop_up', 'download', 'dialog', 'service_worker', 'file']),
  detail: z.string().max(300).describe('The server, the address, or the text of the dialog'),
  count: z.int().min(1),
})
export type ContainedAttempt = z.infer<typeof ContainedAttempt>

export const SceneConsoleLine = z.object({
  level: z.enum(['debug', 'info', 'warning', 'error']),
  text: z.string().max(500),
})
export type SceneConsoleLine = z.infer<typeof SceneConsoleLine>

export const SceneReportSummary = ReportHead.extend({
  row_count: z.int().min(0),
  warnings: z.array(z.string().max(2000)).max(50).describe('The first 50'),
})
export type SceneReportSummary = z.infer<typeof SceneReportSummary>

export const SceneRunOutcome = z.object({
  artifact_status: z.string().max(40).describe('The status of the report; blocked or error without one'),
  problem: z.object({ code: SceneRunProblemCode, message: z.string().max(1000) }).optional(),
  report: SceneReportSummary.optional(),
  contained: z.array(ContainedAttempt).max(100).describe('What the page tried and was not allowed'),
  console: z.array(SceneConsoleLine).max(200).describe('The first lines of the console of the page'),
  console_dropped: z.int().min(0),
  duration_ms: z.int().min(0),
  sandboxed: z.boolean().optional().describe('Whether the browser ran in its own sandbox; absent if none was started'),
})
export type SceneRunOutcome = z.infer<typeof SceneRunOutcome>

export const SceneRunFile = z.object({
  format: ReportFormat,
  file_name: z.string().max(200),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
  expires_at: DateTime.describe('When it is deleted'),
})
export type SceneRunFile = z.infer<typeof SceneRunFile>

export const SceneProfileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/)

export const SceneRun = z
  .object({
    run_id: Uuid,
    scene_id: SceneId,
    state: SceneRunState,
    phase: SceneRunPhase.optional(),
    instruction: z.string().optional(),
    plan: ScenePlan,
    profile: SceneProfileName.optional().describe('The sign-in of the user that is used, if there is one'),
    timeout_ms: z.int().min(1),
    outcome: SceneRunOutcome.optional(),
    files: z.array(SceneRunFile),
    created_at: DateTime,
    started_at: DateTime.optional(),
    settled_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SceneRun' })
export type SceneRun = z.infer<typeof SceneRun>

/** A sign-in to a domain. What it consists of stays in the vault. */
export const SceneProfile = z
  .object({
    profile_id: Uuid,
    domain: SceneDomain,
    name: SceneProfileName,
    cookies: z.int().min(0),
    created_at: DateTime,
    updated_at: DateTime,
    last_used_at: DateTime.optional(),
  })
  .meta({ id: 'SceneProfile' })
export type SceneProfile = z.infer<typeof SceneProfile>
