import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { blockedTermsFile, type Config } from '../config/config.ts'
import { type DeviceRuntime, openDeviceRuntime } from '../device-runtime/open-device-runtime.ts'
import { openSkills, type Skills } from '../skill-runtime/open-skills.ts'
import { choosePhone, type PhoneInUse } from '../device-runtime/devices/phone-in-use.ts'
import { lockHome } from './home-lock.ts'
import { Access } from '../http/access.ts'
import { CommandBus } from '../http/command-bus.ts'
import { ownToken } from '../http/own-token.ts'
import { refreshKind } from '../domain/abilities/availability.ts'
import { similarAbilities } from '../domain/proposals/collisions.ts'
import { nightlyKind } from '../domain/command/nightly.ts'
import { executionKind } from '../domain/devices/executions.ts'
import { installKind } from '../domain/install/saga-record.ts'
import { installPrivately } from '../domain/install/install-privately.ts'
import { practiceKind } from '../domain/practice/start-practice.ts'
import { validationKind } from '../domain/validation/start-run.ts'
import { scanKind, stageKind } from '../domain/skill-import/import-jobs.ts'
import { tidyKind } from '../domain/skill-import/record/throw-away.ts'
import { BundleStorage } from '../files/bundle-storage.ts'
import { LegacyImports } from '../files/legacy-imports.ts'
import { ownKey } from '../files/own-key.ts'
import { SkillPlaces } from '../files/skill-places.ts'
import {
  createExecutionRunner,
  type ExecutionRunnerDeps,
} from '../device-runtime/execution-runner.ts'
import { lookFor } from '../device-runtime/practice-look.ts'
import { runCallerKey, skillRunKind } from '../domain/skill-runs/start-run.ts'
import { callFromSkillRun } from '@apprentice/contracts/skills/runs.ts'
import type { SkillRunProgram } from '../skill-runtime/skill-run-program.ts'
import { openSkillRuns, type SkillRunsDeps } from '../skill-runtime/open-skill-runs.ts'
import { availabilityRefresh } from '../jobs/availability-refresh.ts'
import { deviceExecutions } from '../jobs/device-executions.ts'
import { openLookup, type OpenLookup } from '../jobs/lookup-warming.ts'
import { installSagas } from '../jobs/install-sagas.ts'
import { checkInstalledFiles } from '../jobs/installed-files.ts'
import { nightlyLearning } from '../jobs/nightly-learning.ts'
import { Miner } from '../jobs/mining.ts'
import { practiceRuns } from '../jobs/practice-runs.ts'
import { JobRunner, type RunnerDeps } from '../jobs/runner.ts'
import { recoverImports } from '../jobs/import-recovery.ts'
import { importScans, importStages, importTidying } from '../jobs/skill-imports.ts'
import { endLeftSkillRuns, skillRuns as scriptRuns } from '../jobs/skill-runs.ts'
import { Sweeper } from '../jobs/sweeper.ts'
import { closeLeftValidation, validationRuns } from '../jobs/validation-runs.ts'
import { Hub } from '../live/hub.ts'
import { openLog } from './log.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { migrationsFolder, shimFile } from '../config/paths.ts'
import { mirrorTable } from '../projections/files/projection-table.ts'
import { Projector } from '../projections/engine/projector.ts'
import { Store } from '../store/db/db.ts'
import { countOpenBySerial } from '../store/devices/executions.ts'
import { migrate } from '../store/db/migrate.ts'

/** What a test may replace: the edges, never the parts between. */
export interface SystemDeps {
  readonly clock?: () => Date
  readonly newId?: () => string
  readonly log?: Logger
  /** A phone somebody else brought; it is theirs to close. */
  readonly phone?: PhoneInUse | undefined
  /** Whether the daemon looks by itself at what time has changed; a test that owns the clock says no. */
  readonly sweeping?: boolean
}

/** Everything the daemon owns. */
export interface System
  extends Omit<DeviceRuntime, 'close'>, Omit<OpenLookup, 'closeLookup'>, Skills {
  readonly config: Config
  readonly log: Logger
  readonly clock: () => Date
  readonly newId: () => string
  readonly store: Store
  readonly commands: CommandBus
  readonly access: Access
  readonly hub: Hub
  /** Keeps the files under `<home>/system` up to what is committed. */
  readonly projector: Projector
  readonly jobs: JobRunner
  readonly miner: Miner
  readonly sweeper: Sweeper
  readonly metrics: Metrics
  /** Where bundles from outside lie. */
  readonly bundles: BundleStorage
  /** Runs the scripts of skills. */
  readonly skillRuns: SkillRunProgram
  /** Told where the daemon listens, so that programs it starts can ask it. */
  listening(address: AddressInfo | string | null): void
  /** Set when the daemon begins to stop: new work is refused, streams end. */
  stopping: boolean
  stop(): Promise<void>
}

/** Starts the parts in order; `stop` ends them in reverse. */
export async function startSystem(config: Config, edges: SystemDeps = {}): Promise<System> {
  mkdirSync(config.home, { recursive: true, mode: 0o700 })
  const unlock = lockHome(config.home)
  try {
    return await startParts(config, edges, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

async function startParts(config: Config, given: SystemDeps, unlock: () => void): Promise<System> {
  const { clock = () => new Date(), newId = randomUUID, log = openLog(config) } = given
  const store = Store.open(join(config.home, 'apprentice.db'), config.sync)
  migrate(store.schema, migrationsFolder)
  const edges = { store, clock, newId, log }
  const hub = new Hub(store, config.settings.limits)
  const projector = openProjector(config, edges)
  const jobs = new JobRunner(edges)
  const sweeper = new Sweeper(edges)
  const phone = given.phone ?? (await choosePhone(config, log))
  const { close: closeFloor, ...floor } = await openDeviceRuntime(config, { jobs, edges, phone })
  const metrics = watch(store, hub, projector)
  const { closeLookup, ...lookup } = openLookup(edges)
  const miner = new Miner(edges, {
    evidenceOf: (ids, owner) => floor.demonstrations.ofExecutions(ids, owner),
    findSimilar: similarAbilities(lookup.lookup),
  })
  handleJobs(jobs, edges, { ...floor, metrics, miner, home: config.home })
  const access = new Access(store, clock, config.token ?? ownToken(config.home))
  const library = openSkills(config, edges)
  const scripts = openScripts(config, access, { eyes: floor.eyes, skills: library.skills })
  const system: System = {
    ...edges,
    ...floor,
    config,
    commands: new CommandBus(store, clock, newId),
    access,
    hub,
    projector,
    jobs,
    miner,
    sweeper,
    metrics,
    bundles: new BundleStorage(config.home, blockedTermsFile(config)),
    ...scripts,
    ...lookup,
    ...library,
    stopping: false,
    stop: () => stopParts(system, { closeFloor, closeLookup, unlock }),
  }
  await recoverAtStartup(system)
  projector.start()
  if (given.sweeping !== false) sweeper.start()
  return system
}

interface Closers {
  closeFloor(): Promise<void>
  closeLookup(): Promise<void>
  unlock(): void
}

/** Those who work first, then those who tell of it, the database last. */
async function stopParts(system: System, closers: Closers): Promise<void> {
  system.stopping = true
  await system.sweeper.stop()
  await system.jobs.stop()
  await closers.closeFloor()
  system.skills.close()
  system.hub.close()
  await system.projector.stop()
  await closers.closeLookup()
  system.store.close()
  closers.unlock()
}

/** Closes, checks or goes on with what an earlier daemon left behind. */
async function recoverAtStartup(system: System): Promise<void> {
  const places = new SkillPlaces(system.config)
  system.jobs.handle(installKind, installSagas(system, places))
  const rules = { max_phase: system.config.settings.learn.adapters_max_phase }
  const { jobs, eyes, demonstrations } = system
  const evidenceOf = demonstrations.ofSession.bind(demonstrations)
  jobs.handle(practiceKind, practiceRuns(system, { jobs, look: lookFor(eyes), evidenceOf, rules }))
  await recoverLeftImports(system)
  await closeLeftValidation(system)
  await checkInstalledFiles(system, places)
  system.jobs.handle(skillRunKind, scriptRuns(system, system.skillRuns, system.jobs))
  await endLeftSkillRuns(system, system.skillRuns)
  await system.jobs.start()
}

async function recoverLeftImports(system: System): Promise<void> {
  const { jobs, bundles, config } = system
  jobs.handle(scanKind, importScans(system, bundles))
  jobs.handle(stageKind, importStages(system, bundles))
  jobs.handle(tidyKind, importTidying(bundles))
  await recoverImports(system, { bundles, legacy: new LegacyImports(config) })
}

type Seen = Pick<SkillRunsDeps, 'eyes' | 'skills'>

function openScripts(config: Config, access: Access, seen: Seen) {
  const lend = (runId: string, user_id: string) =>
    access.issueScopedToken(runCaller(runId, user_id))
  return openSkillRuns(config, { ...seen, shim: shimFile, lend })
}

/** What a script may ask the daemon with: one route, as the user whose run it is. */
const runCaller = (runId: string, user_id: string) => ({
  user_id,
  privilege: 'write' as const,
  key: runCallerKey(runId),
  only: callFromSkillRun.url,
})

function openProjector({ home, settings }: Config, { store, log }: RunnerDeps): Projector {
  const mirrors = mirrorTable({ max_phase: settings.learn.adapters_max_phase })
  return new Projector({ store, home, mirrors, log })
}

function watch(store: Store, hub: Hub, projector: Projector): Metrics {
  return createMetrics({
    subscribers: () => hub.subscribers,
    mirrorsBehind: () => projector.status().behind,
    laneDepths: () => store.read((reader) => countOpenBySerial(reader)),
  })
}

type JobDeps = Pick<DeviceRuntime, keyof ExecutionRunnerDeps | 'sweepEvidence'> & {
  metrics: Metrics
  miner: Miner
  home: string
}

function handleJobs(jobs: JobRunner, edges: RunnerDeps, staff: JobDeps): void {
  const tidying = nightlyLearning(edges)
  jobs.handle(nightlyKind, {
    ...tidying,
    run: async (job, signal) => {
      const done = await tidying.run(job, signal)
      const removed_evidence_files = await staff.sweepEvidence()
      const mined_proposals = await staff.miner.nightly(job.correlation_id)
      return { ...(done as object), removed_evidence_files, mined_proposals }
    },
  })
  jobs.handle(refreshKind, availabilityRefresh(edges))
  const outputKey = () => ownKey(staff.home, 'outputs.key')
  const waited = (seconds: number) => staff.metrics.executionWait.observe(seconds)
  const perform = createExecutionRunner(edges, staff)
  jobs.handle(executionKind, deviceExecutions(edges, perform, { waited, outputKey }))
  jobs.handle(validationKind, validationRuns(edges, { jobs, install: installPrivately }))
}
