import type { Config } from '../config/config.ts'
import type { Connectors } from '../connector-runtime/open-connectors.ts'
import { createExecutionRunner, type ExecutionRunnerDeps } from '../device-runtime/execution-runner.ts'
import type { DeviceRuntime } from '../device-runtime/open-device-runtime.ts'
import { createPracticeReader } from '../device-runtime/practice-screen.ts'
import { REFRESH_JOB_KIND } from '../domain/abilities/availability.ts'
import { NIGHTLY_JOB_KIND } from '../domain/command/nightly.ts'
import { EXECUTION_JOB_KIND } from '../domain/devices/executions.ts'
import { DISPATCH_JOB_KIND } from '../domain/connectors/dispatches.ts'
import { DOCUMENT_JOB_KIND } from '../domain/connectors/registry/built-in-server.ts'
import { installPrivately } from '../domain/install/start-install.ts'
import { INSTALL_JOB_KIND } from '../domain/install/saga-record.ts'
import { PRACTICE_JOB_KIND } from '../domain/practice/practice-start.ts'
import { SCENE_GENERATION_JOB_KIND } from '../domain/scene-generation/scene-generations.ts'
import { SCAN_JOB_KIND, STAGE_JOB_KIND } from '../domain/skill-import/import-jobs.ts'
import { TIDY_JOB_KIND } from '../domain/skill-import/record/artifact-removal.ts'
import { REPORT_REMOVAL_JOB_KIND } from '../domain/scenes/scene-files.ts'
import { SCENE_RUN_JOB_KIND } from '../domain/scenes/start-scene-run.ts'
import { SKILL_RUN_JOB_KIND } from '../domain/skill-runs/skill-run-start.ts'
import { VALIDATION_JOB_KIND } from '../domain/validation/start-run.ts'
import { REPAIR_JOB_KIND } from '../domain/runs/settle-run.ts'
import { repairProposals } from '../jobs/repairs.ts'
import { jobWorkers } from '../workers/worker-pool.ts'
import type { BundleStorage } from '../files/bundle-storage.ts'
import { readOrCreateKey } from '../home/secrets.ts'
import { SkillPlaces } from '../files/skill-places.ts'
import { availabilityRefresh } from '../jobs/availability-refresh.ts'
import { documentJobs } from '../jobs/documents.ts'
import { deviceExecutions } from '../jobs/device-executions.ts'
import type { JobHandler } from '../jobs/handler.ts'
import { installSagas } from '../jobs/install/install-sagas.ts'
import type { Lessons } from '../jobs/lessons.ts'
import type { Miner } from '../jobs/mining.ts'
import { nightlyLearning } from '../jobs/nightly-learning.ts'
import { practiceJobs } from '../jobs/practice/jobs.ts'
import type { JobRunner, RunnerDeps } from '../jobs/runner.ts'
import { importScans, importStages, importCleanup } from '../jobs/skill-imports.ts'
import { sceneGenerations } from '../jobs/scene-generations.ts'
import { skillRunJobs } from '../jobs/skill-runs.ts'
import { validationRuns } from '../jobs/validation-runs.ts'
import type { SceneRuns } from '../scene-runtime/open-scene-runs.ts'
import type { SkillRunProgram } from '../skill-runtime/skill-run-program.ts'
import type { Documents } from './documents.ts'
import type { Metrics } from './metrics.ts'

export interface JobHandlerDeps
  extends RunnerDeps, Pick<DeviceRuntime, keyof ExecutionRunnerDeps | 'sweepEvidence' | 'demonstrations'> {
  readonly config: Config
  readonly jobs: JobRunner
  readonly miner: Miner
  readonly lessons: Lessons
  readonly metrics: Metrics
  readonly bundles: BundleStorage
  readonly skillRuns: SkillRunProgram
  readonly connectors: Connectors
  readonly sceneRuns: Pick<SceneRuns, 'runs' | 'reportRemovals'>
  readonly documents: Documents
}

/** Registers the handler of every kind of job. */
export function registerJobHandlers(deps: JobHandlerDeps): void {
  const { jobs, bundles } = deps
  const skillFolders = new SkillPlaces(deps.config)
  jobs.handle(NIGHTLY_JOB_KIND, createNightlyHandler(deps))
  jobs.handle(REFRESH_JOB_KIND, availabilityRefresh(deps))
  jobs.handle(EXECUTION_JOB_KIND, createExecutionHandler(deps))
  jobs.handle(VALIDATION_JOB_KIND, validationRuns(deps, { jobs, install: installPrivately }))
  jobs.handle(REPAIR_JOB_KIND, repairProposals(deps))
  jobs.handle(INSTALL_JOB_KIND, installSagas(deps, skillFolders))
  jobs.handle(PRACTICE_JOB_KIND, createPracticeHandler(deps))
  jobs.handle(
    SCAN_JOB_KIND,
    importScans(deps, bundles, {
      scanBundle: (input, options) => jobWorkers.run('scanBundleFile', input, options),
      skillFolders,
    }),
  )
  jobs.handle(STAGE_JOB_KIND, importStages(deps, bundles))
  jobs.handle(
    SCENE_GENERATION_JOB_KIND,
    sceneGenerations(deps, {
      bundles,
      generate: (input, options) => jobWorkers.run('generateScenePackage', input, options),
    }),
  )
  jobs.handle(TIDY_JOB_KIND, importCleanup(deps, bundles))
  jobs.handle(SKILL_RUN_JOB_KIND, skillRunJobs(deps))
  jobs.handle(DISPATCH_JOB_KIND, deps.connectors.dispatches)
  jobs.handle(SCENE_RUN_JOB_KIND, deps.sceneRuns.runs)
  jobs.handle(REPORT_REMOVAL_JOB_KIND, deps.sceneRuns.reportRemovals)
  const { engine, storage } = deps.documents
  jobs.handle(DOCUMENT_JOB_KIND, documentJobs({ ...deps, cipher: deps.connectors.vault, reader: engine, storage }))
}

/** Cleans up the store, then removes unreferenced evidence files, then mines past runs for workflows. */
function createNightlyHandler(deps: JobHandlerDeps): JobHandler {
  const cleanup = nightlyLearning(deps)
  return {
    ...cleanup,
    run: async (job, signal) => {
      const done = await cleanup.run(job, signal)
      const removed_evidence_files = await deps.sweepEvidence()
      const removed_documents = await deps.documents.storage.sweep(deps.documents.isReferenced)
      const mined_proposals = await deps.miner.scanNightly(job.correlation_id)
      return { ...(done as object), removed_evidence_files, removed_documents, mined_proposals }
    },
  }
}

function createExecutionHandler(deps: JobHandlerDeps): JobHandler {
  return deviceExecutions(deps, createExecutionRunner(deps, deps), {
    observeWait: (seconds) => deps.metrics.executionWait.observe(seconds),
    outputKey: () => readOrCreateKey(deps.config.home, 'outputs.key'),
  })
}

function createPracticeHandler(deps: JobHandlerDeps): JobHandler {
  const { store, clock, newId, log, jobs, deviceReader, demonstrations, lessons, engineClock, config } = deps
  return practiceJobs({
    store,
    clock,
    newId,
    log,
    jobs,
    readScreen: createPracticeReader(deviceReader),
    evidence: demonstrations,
    lessons,
    sleep: engineClock?.sleep,
    rules: { max_phase: config.settings.learn.adapters_max_phase },
  })
}
