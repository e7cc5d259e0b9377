import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MAX_REPORT_BYTES } from '@apprentice/contracts/scenes/artifact.ts'
import type { PageOutcome } from '../browser/host-messages.ts'
import type { SceneBrowser } from '../browser/scene-browser.ts'
import { writePatientlyAs } from '../domain/command/context.ts'
import type { VaultCipher } from '../domain/connectors/registry/vault.ts'
import { decideWork } from '../domain/policies/applied-policy.ts'
import { noteProfileUse, readProfileState } from '../domain/scenes/scene-profiles.ts'
import {
  beginSceneRun,
  buildProblemOutcome,
  buildReportOutcome,
  getSceneRun,
  recordScenePhase,
  type SceneRunEnding,
  settleSceneRun,
} from '../domain/scenes/scene-run-record.ts'
import { Failure } from '../failure/failure.ts'
import { makeFolder } from '../home/private-files.ts'
import { type JobHandler, jobOrigin } from '../jobs/handler.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import type { Job } from '../store/command/jobs.ts'
import type { SceneRunRow } from '../store/scenes/scene-runs.ts'
import type { ExportedReport, ReportExport } from '../workers/report-export.ts'
import { openScenePackage, type OpenedPackage, type ScenePackagePort } from './scene-package.ts'

export interface SceneRunDeps extends RunnerDeps {
  readonly home: string
  readonly browser: SceneBrowser
  readonly vault: VaultCipher
  readonly packages: ScenePackagePort
  /** Checks and stores a report outside the event loop. */
  readonly exportReport: (input: ReportExport, signal: AbortSignal) => Promise<ExportedReport>
}

/** The folder of results that are not exported yet. A start removes what a kill left in it. */
export const RESULTS_FOLDER = 'scene-results'

/** Runs scenes. A run that a stop of the daemon interrupts is not repeated, because its page may have changed something. */
export function sceneRunJobs(deps: SceneRunDeps): JobHandler {
  return {
    resume: 'interrupt',
    onStarted: (ctx, { job_id }) => beginSceneRun(ctx, getSceneRun(ctx.tx, job_id)),
    run: (job, signal) => new SceneRunWork(deps, job, signal).run(),
    onSettled: (ctx, job) => settleSceneRun(ctx, job.job_id, toEnding(job)),
  }
}

class SceneRunWork {
  readonly #deps: SceneRunDeps
  readonly #job: Job
  readonly #signal: AbortSignal
  readonly #row: SceneRunRow

  constructor(deps: SceneRunDeps, job: Job, signal: AbortSignal) {
    this.#deps = deps
    this.#job = job
    this.#signal = signal
    this.#row = deps.store.read((reader) => getSceneRun(reader, job.job_id))
  }

  async run(): Promise<SceneRunEnding> {
    const refusal = this.#findRefusal()
    if (refusal !== undefined) return fail(refusal.code, refusal.message)
    const { plan } = this.#row
    const folder = await this.#deps.packages.findFolder(plan.scene_id)
    const opened = folder === undefined ? undefined : await openScenePackage(folder, plan)
    if (opened === undefined) {
      return fail('SCENE_PACKAGE_CHANGED', `The package of ${plan.scene_id} changed after the run was planned.`)
    }
    const storage_state = await this.#readSignIn()
    if (storage_state === null) {
      return fail('SCENE_PROFILE_UNREADABLE', `The sign-in ${this.#row.profile ?? ''} is gone or unreadable.`)
    }
    await makeFolder(dirname(this.#resultFile))
    try {
      return await this.#collect(opened, storage_state)
    } finally {
      // The export takes the file, but a run can end before.
      await rm(this.#resultFile, { force: true })
    }
  }

  /** The profiles may have changed while the run was queued. */
  #findRefusal(): { code: 'POLICY_DENIED'; message: string } | undefined {
    const { store, clock } = this.#deps
    const work = { capabilities: [], packages: [], serial: undefined, now: clock().toISOString() }
    const decision = store.read((reader) => decideWork(reader, this.#job.authority, work))
    return decision.allowed ? undefined : { code: 'POLICY_DENIED', message: decision.message }
  }

  /** Null if the run needs a sign-in that cannot be read. */
  async #readSignIn(): Promise<string | null | undefined> {
    const { profile, owner_user_id: owner, plan } = this.#row
    if (profile === undefined) return undefined
    const name = { owner, domain: plan.bootstrap.expected_domain.toLowerCase(), name: profile }
    const { store, vault } = this.#deps
    const state = store.read((reader) => readProfileState(reader, vault, name) ?? '')
    if (state === '') return null
    await writePatientlyAs(this.#deps, jobOrigin(this.#job), (ctx) => noteProfileUse(ctx, name))
    return state
  }

  /** The report is exported while the page is being closed. */
  async #collect(
    { script, stand_in_folder }: OpenedPackage,
    storage_state: string | undefined,
  ): Promise<SceneRunEnding> {
    const { plan, run_id, timeout_ms } = this.#row
    const { expected_domain, target_url, page_title_keywords, requires_target_page } = plan.bootstrap
    let exporting: Promise<ExportedReport | Error> | undefined
    const outcome = await this.#deps.browser.run(
      {
        run_id,
        target_url,
        expected_domain,
        page_title_keywords,
        requires_target_page,
        allowed_domains: plan.allowed_domains,
        script,
        args: plan.args,
        stand_in_folder,
        storage_state,
        timeout_ms,
        max_result_bytes: MAX_REPORT_BYTES,
        result_file: this.#resultFile,
      },
      {
        signal: this.#signal,
        onPhase: (phase) => this.#note(phase),
        onCollected: () => {
          exporting = this.#export()
        },
      },
    )
    const exported = await exporting
    this.#signal.throwIfAborted()
    if (outcome.kind === 'problem') {
      return { state: 'failed', outcome: buildProblemOutcome(outcome.code, outcome.message, outcome), files: [] }
    }
    return this.#conclude(exported ?? new Error('The browser announced no result.'), outcome)
  }

  #export(): Promise<ExportedReport | Error> {
    this.#note('exporting')
    const { home, exportReport } = this.#deps
    const rules = this.#row.plan.artifact
    const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
    return exportReport({ result_file: this.#resultFile, home, rules }, this.#signal).catch(asError)
  }

  #conclude(exported: ExportedReport | Error, seen: PageOutcome): SceneRunEnding {
    if (exported instanceof Error) {
      const message = exported instanceof Failure ? exported.message : 'The report could not be stored.'
      this.#deps.log.error({ err: exported, run_id: this.#row.run_id }, 'a report could not be exported')
      return { state: 'failed', outcome: buildProblemOutcome('SCENE_EXPORT_FAILED', message, seen), files: [] }
    }
    if (exported.kind !== 'report') {
      const code = INVALID_REPORTS[exported.kind]
      return { state: 'failed', outcome: buildProblemOutcome(code, exported.message, seen), files: [] }
    }
    const { succeeded, summary, files } = exported
    const outcome = buildReportOutcome({ report: summary, succeeded }, seen)
    return { state: succeeded ? 'succeeded' : 'failed', outcome, files }
  }

  get #resultFile(): string {
    return join(this.#deps.home, RESULTS_FOLDER, this.#row.run_id)
  }

  /** Nobody waits for this. The phases are written in their order. */
  #note(phase: Parameters<typeof recordScenePhase>[2]): void {
    const { run_id } = this.#row
    writePatientlyAs(this.#deps, jobOrigin(this.#job), (ctx) => recordScenePhase(ctx, run_id, phase)).catch(
      (error: unknown) => this.#deps.log.error({ err: error, run_id, phase }, 'the phase of a run was not stored'),
    )
  }
}

const INVALID_REPORTS = {
  invalid: 'SCENE_ARTIFACT_INVALID',
  not_json: 'SCENE_RESULT_NOT_JSON',
  too_large: 'SCENE_RESULT_TOO_LARGE',
} as const

const fail = (code: Parameters<typeof buildProblemOutcome>[0], message: string): SceneRunEnding => ({
  state: 'failed',
  outcome: buildProblemOutcome(code, message),
  files: [],
})

function toEnding({ state, result }: Job): SceneRunEnding {
  switch (state) {
    case 'succeeded':
      // The handler returned this ending.
      return result as SceneRunEnding
    case 'cancelled':
      return { ...fail('SCENE_RUN_CANCELLED', 'The run was cancelled.'), state }
    case 'interrupted':
      return { ...fail('SCENE_RUN_INTERRUPTED', 'The daemon stopped during the run.'), state }
    case 'expired':
    case 'failed':
    case 'queued':
    case 'running':
      return fail('INTERNAL_ERROR', 'The run failed because of an internal error.')
  }
}
